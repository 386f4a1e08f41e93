-- One database holds every account's catalogs. The account's number comes first in every key of every table
-- that holds an account's data, so no row can be read without naming whose it is.

-- `instance` tells this database from one that takes its place; `seq` numbers every decision and is never
-- reset; `scrub` is 1 while bytes of forgotten accounts may still be in the files.
CREATE TABLE meta (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  instance TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  scrub    INTEGER NOT NULL
) STRICT;

-- What was done to the schema, and when: milliseconds since 1970, UTC.
CREATE TABLE migration (
  version    INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

-- `number` comes from `seq` and is never used again: an account that is forgotten and comes back is another.
CREATE TABLE account (
  number INTEGER PRIMARY KEY,
  name   TEXT    NOT NULL UNIQUE
) STRICT;

-- The numbers of forgotten accounts whose rows are still to be deleted.
CREATE TABLE doomed (
  account INTEGER PRIMARY KEY
) STRICT;

-- A row is made when a catalog is first asked for, and survives a discard. Presence is `is_loaded`, never a
-- count of books. Spans and wall times are in milliseconds, the continuous clock in nanoseconds.
CREATE TABLE catalog (
  account              INTEGER NOT NULL,
  name                 TEXT    NOT NULL,
  number               INTEGER NOT NULL,            -- from `seq`
  version              INTEGER NOT NULL,            -- the `seq` of the last change
  floor                INTEGER NOT NULL DEFAULT 0,  -- an answer begun before this writes nothing
  answered             INTEGER NOT NULL DEFAULT 0,  -- the `begun` of the newest flight that has answered
  stale_mark           INTEGER NOT NULL DEFAULT 0,  -- an answer begun before this isn't fresh

  is_loaded            INTEGER NOT NULL DEFAULT 0,
  is_complete          INTEGER NOT NULL DEFAULT 0,
  book_count           INTEGER NOT NULL DEFAULT 0,
  read_seal            INTEGER NOT NULL DEFAULT 0,  -- sum of the hashes of what books() reads
  rest_seal            INTEGER NOT NULL DEFAULT 0,  -- sum of the hashes of the other columns
  next_text_id         INTEGER NOT NULL,            -- for books whose identifier is text; never goes back

  validated_begun      INTEGER,
  validated_wall       INTEGER,
  validated_continuous INTEGER,
  validated_boot       TEXT,
  initial_age          INTEGER,
  latest_wall_seen     INTEGER,
  server_lifetime      INTEGER,
  server_swr           INTEGER,
  server_sie           INTEGER,
  must_revalidate      INTEGER NOT NULL DEFAULT 0,
  no_cache             INTEGER NOT NULL DEFAULT 0,

  entity_tag           TEXT,
  last_modified        TEXT,
  answer_digest        TEXT,

  failure_code         TEXT,
  failure_at           INTEGER,

  policy_lifetime      INTEGER,
  policy_swr           INTEGER,
  policy_sie           INTEGER,
  policy_within_from   INTEGER,                     -- both NULL: the server's lifetimes are ignored
  policy_within_to     INTEGER,
  policy_is_relaxed    INTEGER,
  policy_tolerance     INTEGER,

  PRIMARY KEY (account, name)
) STRICT, WITHOUT ROWID;

-- `identifier` is NULL if the remote's identifier is the `id` itself.
CREATE TABLE book (
  account        INTEGER NOT NULL,
  catalog        INTEGER NOT NULL,
  id             INTEGER NOT NULL,
  title          TEXT    NOT NULL,
  is_borrowed    INTEGER NOT NULL,
  borrowed_until INTEGER,
  identifier     TEXT,
  authors        TEXT,                              -- a JSON array of names; NULL for none
  language       TEXT,
  updated        INTEGER,
  PRIMARY KEY (account, catalog, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX book_by_identifier ON book (account, catalog, identifier) WHERE identifier IS NOT NULL;

-- The ids of text identifiers whose book is gone: an id is never given to another book.
CREATE TABLE retired (
  account    INTEGER NOT NULL,
  catalog    INTEGER NOT NULL,
  identifier TEXT    NOT NULL,
  id         INTEGER NOT NULL,
  PRIMARY KEY (account, catalog, identifier)
) STRICT, WITHOUT ROWID;

-- Changes that a server has accepted, for answers that were begun before them.
CREATE TABLE confirmation (
  account        INTEGER NOT NULL,
  catalog        INTEGER NOT NULL,
  id             INTEGER NOT NULL,
  seq            INTEGER NOT NULL,
  is_borrowed    INTEGER NOT NULL,
  borrowed_until INTEGER,
  PRIMARY KEY (account, catalog, id)
) STRICT, WITHOUT ROWID;
