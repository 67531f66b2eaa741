-- What teams ask: why they didn't win a game. A game that staff have played again has another number, and is another question.
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    place INTEGER NOT NULL,
    key TEXT NOT NULL,
    seat INTEGER NOT NULL,
    team INTEGER NOT NULL REFERENCES teams (id),
    by_staff INTEGER NOT NULL,
    asked_at TEXT NOT NULL,
    -- 'again': it has an answer, and is looked at further.
    state TEXT NOT NULL CHECK (state IN ('open', 'again', 'answered', 'failed')),
    reason TEXT NOT NULL,
    cpu_seconds REAL NOT NULL,
    UNIQUE (place, seat)
) STRICT;
CREATE INDEX questions_by_key ON questions (key);
CREATE INDEX questions_by_team ON questions (team, asked_at);
