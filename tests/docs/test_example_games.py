"""The worked games of docs/examples/games are sound, and each shows what it says it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tiltyard_engine import Termination
from tiltyard_kit.testing import Mark, PlayMatch, check_game, scripted

pytest_plugins = ["tiltyard_kit.testing"]

GAMES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "games"


NAMES = sorted(file.stem for file in GAMES.glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_the_game_is_sound(name: str) -> None:
    # What two games show in all processes, the others need not show again.
    skip = {} if name in ("connect_four", "drones") else dict.fromkeys(("players in processes", "players in sandboxes"), "seen")
    outcomes = {outcome.name: outcome.mark for outcome in check_game(GAMES / f"{name}.py", skip=skip)}
    assert (outcomes["guesses"] is Mark.PASSED) == (name in ("high_card", "dilemma"))


def test_connect_four_in_all_directions(play_match: PlayMatch) -> None:
    matches: dict[str, tuple[Sequence[int], Sequence[int], int]] = {
        "column": ((0, 0, 0, 0), (1, 1, 1), 1),
        "row": ((0, 1, 2, 3), (0, 1, 2), 1),
        "upwards": ((0, 1, 2, 2, 3, 3), (1, 2, 3, 3, 6), 1),
        "downwards": ((6, 5, 4, 4, 3, 3), (5, 4, 3, 3, 0), 1),
        "second": ((0, 1, 0, 1), (3, 3, 3, 3), 2),
    }
    for line, (first, second, winner) in matches.items():
        record = play_match(GAMES / "connect_four.py", [scripted(*first), scripted(*second)])
        assert (line, record.winner, record.claim.reason) == (line, winner, "LINE")


def test_a_full_column_is_the_players_fault(play_match: PlayMatch) -> None:
    record = play_match(GAMES / "connect_four.py", [scripted(0, 0, 0, 0), scripted(0, 0, 0)])
    assert record.winner == 2
    assert [(fault.seat, fault.termination) for fault in record.faults] == [(1, Termination.ILLEGAL_MOVE)]


def test_nobody_hears_of_an_answer_before_all_have_given_theirs(play_match: PlayMatch) -> None:
    # If player 2 saw player 1's choice of the same round, it would defect from round 1 on.
    record = play_match(GAMES / "dilemma.py", ["grim", "grim"])
    assert record.claim.scores == (60.0, 60.0)
    defects = play_match(GAMES / "dilemma.py", [scripted(*"dddddddddddddddddddd"), "grim"])
    assert defects.claim.scores == (5.0 + 19.0, 0.0 + 19.0)


@pytest.mark.parametrize(("name", "players"), [("pig_race", ["bold", "careful"]), ("high_card", ["lowest", "beats"])])
def test_chance_comes_from_the_seed_and_is_in_the_replay(name: str, players: Sequence[str], play_match: PlayMatch) -> None:
    one, same, other = (play_match(GAMES / f"{name}.py", players, seed=seed) for seed in (1, 1, 2))
    assert one.replay is not None
    assert other.replay is not None
    assert one.replay == same.replay
    assert one.replay != other.replay
    assert one.replay.frames != replace(other.replay, panels=one.replay.panels).frames


def test_nine_players_are_ranked_by_their_scores(play_match: PlayMatch) -> None:
    record = play_match(GAMES / "pig_race.py", ["bold", "careful", "careful"] * 3, seed=3)
    assert len(record.claim.scores) == len(record.ranks) == 9
    order = sorted(range(9), key=lambda seat: -record.claim.scores[seat])
    assert [record.ranks[seat] for seat in order] == sorted(record.ranks)
    assert record.claim.scores[order[0]] == 50.0


def test_arrays_reach_a_team_in_another_process(play_match: PlayMatch) -> None:
    inline, apart = (play_match(GAMES / "drones.py", ["pilot", "hasty"], isolation=each) for each in ("inline", "process"))
    assert inline.replay == apart.replay
    assert inline.claim.scores[0] > inline.claim.scores[1] > 0
