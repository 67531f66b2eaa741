CREATE TABLE decisions (
    number INTEGER PRIMARY KEY,
    made_at TEXT NOT NULL,
    kind TEXT NOT NULL,
    about TEXT NOT NULL,
    team TEXT NOT NULL,
    why TEXT NOT NULL,
    games TEXT NOT NULL,
    taken_back_at TEXT NOT NULL DEFAULT ''
);
