import CatalogCLI

await CatalogCommandLine.main()
