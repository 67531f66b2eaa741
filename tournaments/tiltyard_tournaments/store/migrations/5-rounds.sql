CREATE TABLE rounds (
    number INTEGER PRIMARY KEY,
    drawn_at TEXT NOT NULL,
    drawn BLOB NOT NULL
);
