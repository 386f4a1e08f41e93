#ifndef CATALOG_CSQLITE_SHIM_H
#define CATALOG_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Swift doesn't import variadic C functions; these are the calls of them that we need. */

static inline int catalog_db_config_flag(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}

/* Swift doesn't import macros that cast to a function pointer. */

static inline int catalog_bind_text_copied(sqlite3_stmt *stmt, int index, const char *text, sqlite3_uint64 bytes) {
  return sqlite3_bind_text64(stmt, index, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

#endif
