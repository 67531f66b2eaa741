CREATE TABLE league_games (
    place INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    version_1 INTEGER NOT NULL,
    version_2 INTEGER NOT NULL,
    map TEXT NOT NULL,
    kind TEXT NOT NULL,
    counts INTEGER NOT NULL,
    voided INTEGER NOT NULL,
    winner INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    fault INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    UNIQUE (kind, version_1, version_2, map)
);
CREATE INDEX league_games_of_first ON league_games (version_1, place);
CREATE INDEX league_games_of_second ON league_games (version_2, place);
CREATE INDEX league_games_by_key ON league_games (key);
CREATE INDEX league_games_in_time ON league_games (ended_at);
