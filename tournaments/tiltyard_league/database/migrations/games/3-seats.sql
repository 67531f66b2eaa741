-- Games of any number of versions: lists in JSON, in the order of the seats. What is asked by version is in a table beside it,
-- which is made of the games alone and can be made of them again.
CREATE TABLE league_games_of_many (
    place INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    versions TEXT NOT NULL,
    map TEXT NOT NULL,
    kind TEXT NOT NULL,
    counts INTEGER NOT NULL,
    voided INTEGER NOT NULL,
    winner INTEGER NOT NULL,
    ranks TEXT NOT NULL,
    rounds INTEGER NOT NULL,
    fault INTEGER NOT NULL,
    faults TEXT NOT NULL,
    verdict TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    message TEXT NOT NULL,
    UNIQUE (kind, versions, map)
);
INSERT INTO league_games_of_many SELECT place, key, json_array(version_1, version_2), map, kind, counts, voided, winner,
    CASE winner WHEN 0 THEN '[1,1]' WHEN 1 THEN '[1,2]' ELSE '[2,1]' END, rounds, fault,
    json_array(CASE fault WHEN 1 THEN verdict ELSE '' END, CASE fault WHEN 2 THEN verdict ELSE '' END),
    verdict, ended_at, message FROM league_games;
DROP TABLE league_games;
ALTER TABLE league_games_of_many RENAME TO league_games;
CREATE INDEX league_games_by_key ON league_games (key);
CREATE INDEX league_games_in_time ON league_games (ended_at);
CREATE TABLE league_seats (
    game INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    version INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    failure TEXT NOT NULL,
    change REAL,
    UNIQUE (game, seat)
);
INSERT INTO league_seats (game, seat, version, rank, failure) SELECT place, 1,
    json_extract(versions, '$[0]'), json_extract(ranks, '$[0]'), json_extract(faults, '$[0]') FROM league_games;
INSERT INTO league_seats (game, seat, version, rank, failure) SELECT place, 2,
    json_extract(versions, '$[1]'), json_extract(ranks, '$[1]'), json_extract(faults, '$[1]') FROM league_games;
CREATE INDEX league_seats_of_version ON league_seats (version, game, seat, rank, failure);
