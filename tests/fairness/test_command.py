"""``tiltyard check-game --fair``: copies and pairs of teams are played, and a table says what follows for each map."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_fairness.measuring import MOST_GROUPS, groups_of, seatings
from tiltyard_kit_commands.check_game import app

RUNNER = CliRunner()
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "games"


def run(*words: str) -> tuple[str, str]:
    done = RUNNER.invoke(app, [*words, "-w", "1"])
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def test_a_game_of_chance() -> None:
    game = str(EXAMPLES / "pig_race.py")
    out, err = run(game, "--trust", game, "--fair", "--games", "3")
    title, _, head, _, row = out.splitlines()[:5]
    assert title == "Maps: seats, and how well they tell teams apart"
    assert head.split()[:3] == ["map", "games", "different"]
    # Two teams: each against itself, and both against each other from both seats, with three seeds.
    assert row.split()[:3] == ["fifty", "12", "12"]
    assert row.endswith("no difference seen")
    assert err == "bold, careful on 1 map: 8 games, or up to 12 where chance has a part\n"


def test_games_without_chance_are_played_twice() -> None:
    game = str(EXAMPLES / "connect_four.py")
    words = (game, "--trust", game, "--fair", "--player", "four-careful", "--map", "standard")
    (each,) = json.loads(run(*words, "--json")[0])
    assert (each["map"], each["games"], each["different"], each["verdict"]) == ("standard", 2, 1, "too few different games")


def test_what_does_not_go_together_is_refused() -> None:
    game = str(EXAMPLES / "pig_race.py")
    for words, message in (
        (["--fair", "--property", "maps"], "--fair checks maps"),
        (["--map", "fifty", "--map", "fifty"], "without --fair all properties are checked on one map"),
        (["--fair", "--map", "sixty"], "no map is called 'sixty'"),
        (["--fair", "--player", "nobody"], "no algorithm is called 'nobody'"),
    ):
        done = RUNNER.invoke(app, [game, "--trust", game, *words])
        assert isinstance(done.exception, UserError)
        assert message in str(done.exception)


def test_groups() -> None:
    two = groups_of("abc", 2)
    assert ["".join(group) for group in two] == ["aa", "bb", "cc", "ab", "ac", "bc"]
    assert [len(seatings(group)) for group in two] == [1, 1, 1, 2, 2, 2]
    four = groups_of("abcdefg", 4)
    assert len(set(four)) == 7 + MOST_GROUPS
    assert all(len(set(group)) in (1, 4) for group in four)
    # Few of them are all orders round the table.
    assert ["".join(group) for group in groups_of("abc", 3)] == ["aaa", "bbb", "ccc", "abc", "acb"]
    # Fewer teams than seats sit there several times.
    assert ["".join(group) for group in groups_of("ab", 4)] == ["aaaa", "bbbb", "abab"]
