"""The tables of a league's games, beside the tournament's own in its store, and the steps from each older form to the next."""

from __future__ import annotations

from typing import Final

OWNER: Final = "league"
FILL_SEATS: Final = """
    INSERT INTO league_seats (game, seat, version, rank, failure)
    SELECT place, of_version.key + 1, of_version.value, of_rank.value, of_fault.value
    FROM league_games, json_each(versions) AS of_version, json_each(ranks) AS of_rank, json_each(faults) AS of_fault
    WHERE of_rank.key = of_version.key AND of_fault.key = of_version.key
"""
"""Makes rows of ``league_seats`` of rows of ``league_games``: of all, or with ``AND place = ?`` of one."""
STEPS: Final = (
    """
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
    """,
    """
    ALTER TABLE league_games ADD COLUMN message TEXT NOT NULL DEFAULT '';
    UPDATE league_games SET message = message_of_match(key) WHERE fault = 0;
    """,
    # Games of any number of versions: lists in JSON, in the order of the seats. What is asked by version is in a table beside it,
    # which is made of the games alone and can be made of them again.
    """
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
    """,
)
"""Each step is a transaction, and one that was released is never changed."""
