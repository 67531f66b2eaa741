CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE teams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    pseudonym TEXT NOT NULL UNIQUE,
    slug TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('student', 'staff')),
    state TEXT NOT NULL CHECK (state IN ('active', 'disabled', 'gone')),
    reason TEXT NOT NULL,
    chosen INTEGER REFERENCES versions (id),
    made_at TEXT NOT NULL
) STRICT;
CREATE TABLE members (
    id INTEGER PRIMARY KEY,
    team INTEGER NOT NULL REFERENCES teams (id),
    roster_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'gone'))
) STRICT;
CREATE INDEX members_of_teams ON members (team);
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('invite', 'upload', 'session')),
    team INTEGER REFERENCES teams (id),
    member INTEGER REFERENCES members (id),
    made_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    team INTEGER NOT NULL REFERENCES teams (id),
    number INTEGER NOT NULL,
    upload TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    member INTEGER REFERENCES members (id),
    note TEXT NOT NULL,
    late INTEGER NOT NULL,
    uploaded_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('received', 'checking', 'accepted', 'refused', 'withdrawn', 'disabled', 'again')),
    reason TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    checked_at TEXT NOT NULL,
    code TEXT NOT NULL,
    entry BLOB,
    report BLOB,
    UNIQUE (team, number)
) STRICT;
CREATE INDEX versions_by_state ON versions (state);
CREATE INDEX versions_by_code ON versions (code);
CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    team INTEGER NOT NULL REFERENCES teams (id),
    version INTEGER NOT NULL REFERENCES versions (id),
    opponent INTEGER NOT NULL REFERENCES versions (id),
    map TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'played', 'refused')),
    reason TEXT NOT NULL
) STRICT;
CREATE TABLE overrides (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('void', 'restore', 'rerun')),
    why TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    done_at TEXT NOT NULL
) STRICT;
CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    about TEXT NOT NULL
) STRICT;
