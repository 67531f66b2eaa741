CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE matches (
    key TEXT PRIMARY KEY,
    place INTEGER NOT NULL UNIQUE,
    game TEXT NOT NULL,
    manager TEXT NOT NULL,
    map TEXT NOT NULL,
    teams TEXT NOT NULL,
    seed INTEGER NOT NULL,
    held TEXT NOT NULL,
    faults INTEGER NOT NULL,
    seconds REAL NOT NULL,
    played_at TEXT NOT NULL,
    spec BLOB NOT NULL,
    outcome BLOB NOT NULL,
    replay BLOB
);
CREATE TABLE incidents (
    place INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    what TEXT NOT NULL
);
