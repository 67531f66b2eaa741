CREATE TABLE entries (
    key TEXT PRIMARY KEY,
    team TEXT NOT NULL,
    test TEXT NOT NULL,
    passed INTEGER NOT NULL,
    said TEXT NOT NULL,
    asked_at TEXT NOT NULL
) WITHOUT ROWID;
