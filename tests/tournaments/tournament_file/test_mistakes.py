"""Mistakes in a tournament file: each is reported, with its line, and none hides another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tournaments.tournament_file.conftest import Read, problems

from tiltyard_engine.errors import UserError


def test_every_wrong_name_is_said_at_once(read: Read, tmp_path: Path) -> None:
    text = """\
        game: tanks
        teams:
          - acron
          - bramble
          - team: coyote
            limits: {move_second: 2}
        maps:
          - narow-pass
          - gone/*.txt
          - {}
        format: {name: swiss, rouns: 3, seats: triple}
        players: 77
        scoring: {win: 3, loss: 4}
        tie-breaks: [wins, buchhols]
        publication: {logo: no.png}
    """
    found = problems(read, text)
    assert [line.partition(": ")[2].partition(": ")[0] for line in found[:-1]] == [
        "teams[1]",
        "teams[3].limits",
        "maps[1]",
        "maps[2]",
        "maps[3]",
        "format.rouns",
        "format.seats",
        "players",
        "tie-breaks[2]",
        "publication.logo",
    ]
    assert [int(line.split(":")[1]) for line in found[:-1]] == [3, 6, 8, 9, 10, 11, 11, 12, 14, 15]
    assert "acorn" in found[0]
    assert "move_seconds" in found[1]
    assert "narrow-pass" in found[2]
    assert found[3].endswith(f"no file matches the pattern 'gone/*.txt' in {tmp_path}")
    assert "did you mean rounds?" in found[5]
    assert "'triple'" in found[6]
    assert "77" in found[7]
    assert "did you mean buchholz or" in found[8]
    assert "'no.png'" in found[9]
    assert found[10] == "cup.yaml: 10 problems; nothing was played"


def test_wrong_types_do_not_hide_wrong_names(read: Read) -> None:
    found = problems(read, "game: tanks\nscorring: 3\ngames: many\nteams: [acron, bramble]\nformat: swis\ntie-breaks: [wine]\n")
    assert [line.split(": ")[1] for line in found[:-1]] == ["scorring", "games", "teams[1]", "format.name", "tie-breaks[1]"]


WRONG_EVERYWHERE = """\
title: [1]
game: tansk
manager: refrence
teams:
  - acron
  - {teem: bramble, team: bramble}
  - {team: coyote, limits: {move_second: 2, memory: 3}}
maps:
  - narow-pass
  - {map: back-yard, generat: {}}
rounds: 3
format: swis
players: many
isolation: sandbx
tie-breaks: [5, buchhols]
scoring: {wim: 3, loss: x}
publication:
  titel: x
  publishers: [{name: markdwon}, 5, {name: markdown, fodler: x}]
seed: -1
seed: 4
limits: {move_second: 1, moves: 2}
"""


def test_no_mistake_hides_another_one(read: Read) -> None:
    lines = [1, 2, 3, 5, 6, 7, 7, 9, 10, 11, 12, 13, 14, 15, 15, 16, 16, 18, 19, 19, 19, 20, 21, 22, 22]
    found = problems(read, WRONG_EVERYWHERE)
    assert [int(line.split(":")[1]) for line in found[:-1]] == lines
    assert found[-1] == "cup.yaml: 25 problems; nothing was played"


def test_a_game_that_is_not_trusted_is_one_mistake(read: Read, tmp_path: Path) -> None:
    (tmp_path / "pile.py").write_text("games, algorithms, maps = game_hooks('pile')\n")
    rest = "teams: [pile-random, all pile-greedy]\nmaps: [small]\nmanager: pile-referee\ndisqualify: {pile-random: copied}\n"
    told = (
        "no game is called 'pile'; ./pile.py here has a game: add --trust ./pile.py, or to a tournament file 'trust: [./pile.py]'"
    )
    assert problems(read, f"game: pile\n{rest}scorring: 3\n") == [
        f"cup.yaml:1: game: {told}",
        "cup.yaml:6: scorring: unknown key; did you mean scoring?",
        "cup.yaml: 2 problems; nothing was played",
    ]


@pytest.mark.parametrize(
    ("broken", "keys"),
    [
        ("isolation: sandbx", ["isolation"]),
        ("players: many", ["players"]),
        ("game: 5", ["game"]),
        ("manager: {}", ["manager"]),
        ("trust: 7", ["trust"]),
        ("unconfined: maybe", ["unconfined"]),
    ],
)
def test_a_wrong_key_that_much_depends_on_is_the_only_problem(read: Read, tmp_path: Path, broken: str, keys: list[str]) -> None:
    """Its consequences aren't told as further mistakes. Code from outside is not touched."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots/bad.py").write_text("raise SystemExit('imported')\n")
    game = "" if broken.startswith("game") else "game: tanks\n"
    outside = "" if keys[0] in ("game", "players", "manager") else ", bots, bots/bad.py, bots/bad.py:team"
    found = problems(read, f"{broken}\n{game}teams: [acorn, bramble{outside}]\nmaps: [narrow-pass]\n")
    assert [line.split(": ")[1] for line in found[:-1]] == keys


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "rounds: 3",
            "rounds: unknown key; 'rounds' belongs under 'format', as an option of pools or swiss, as in 'format: {name: swiss, ",
        ),
        (
            "format: swiss\nrounds: 3",
            "rounds: unknown key; 'rounds' belongs under 'format', as in 'format: {name: swiss, rounds: ...}'",
        ),
        ("win: 2", "win: unknown key; 'win' belongs under 'scoring'"),
        ("move_seconds: 2", "move_seconds: unknown key; 'move_seconds' belongs under 'limits'"),
        ("count: 3", "count: unknown key; 'count' belongs under 'maps: generate'"),
        ("tables: [maps]", "tables: unknown key; 'tables' belongs under 'publication.publishers'"),
        ("hide: [output]", "hide: unknown key; 'hide' belongs under 'publication'"),
        (
            "format: {name: swiss, workers: 2}",
            "format.workers: unknown key; 'workers' belongs at the top level of the file, not under 'format'",
        ),
        (
            "scoring: {tie-breaks: [wins]}",
            "scoring.tie-breaks: unknown key; 'tie-breaks' belongs at the top level of the file, not under 'scoring'",
        ),
        (
            "publication: {publishers: [{name: markdown, seed: 2}]}",
            "publication.publishers[1].seed: unknown key; 'seed' belongs at the top level of the file, not under 'publication.",
        ),
        ("teams: [{team: acorn, move_seconds: 2}]", "teams[1].move_seconds: unknown key; 'move_seconds' belongs under 'limits'"),
        # The nearest key is meant rather than one elsewhere that is written so.
        ("result: 3", "result: unknown key; expected one of title, "),
        ("disqualified: {}", "disqualified: unknown key; did you mean disqualify?"),
    ],
)
def test_a_key_in_the_wrong_place_is_told_where_it_belongs(read: Read, text: str, hint: str) -> None:
    found = problems(read, f"game: tanks\n{text}\n")
    assert any(line.partition(": ")[2].startswith(hint) for line in found), found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("game: tansk\n", "cup.yaml:1: game: no game is called 'tansk'; did you mean tanks?"),
        ("game: tanks\nmanager: refrence\n", "cup.yaml:2: manager: "),
        ("game: tanks\nformat: {name: swiss, rounds: -1}\n", "cup.yaml:2: format.rounds: expected at least 0, got -1"),
        ("game: tanks\nformat: {rounds: 3}\n", "cup.yaml:2: format.name: this key is required"),
        ("game: tanks\nteams: acorn\n", "cup.yaml:2: teams: expected at least 2 usable teams, found 1"),
        (
            "game: tanks\nteams: [acorn, acorn]\n",
            "cup.yaml:2: teams: expected at least 2 usable teams, found 1: acorn is named more than once, and it can't play itself",
        ),
        ("game: tanks\nmaps: [back-yard, back-yard]\n", "cup.yaml:2: maps[2]: two maps are called 'back-yard'"),
        ("game: tanks\nmaps: {map: back-yard, generate: {}}\n", "cup.yaml:2: maps: expected either 'map' or 'generate'"),
        (
            "game: tanks\nmaps: {generate: {count: 0}}\n",
            "cup.yaml:2: maps[1].generate.count: expected a whole number from 1 to 10,000, got 0",
        ),
        (
            "game: tanks\nmaps: {generate: {count: 9223372036854775807}}\n",
            "cup.yaml:2: maps[1].generate.count: expected a whole number from 1 to 10,000, got 9223372036854775807",
        ),
        ("game: tanks\nmaps: {generate: {seed: x}}\n", "cup.yaml:2: maps[1].generate.seed: expected a whole number, got 'x'"),
        ("game: tanks\nmaps: {generate: {row: 9}}\n", "cup.yaml:2: maps[1].generate.row: unknown key; did you mean rows"),
        ("game: tanks\nlimits: {move_seconds: -1}\n", "cup.yaml:2: limits: "),
        ("game: tanks\nlimits: {move: 1}\n", "cup.yaml:2: limits: "),
        ("game: tanks\non-crash: ignore\n", "cup.yaml:2: on-crash: "),
        (
            "game: filler\non-crash: idle\n",
            "cup.yaml:2: on-crash: a team can't idle in filler, because every turn needs a move: use 'forfeit'",
        ),
        ("game: tanks\nformat: {name: gauntlet, challengers: [acron]}\n", "cup.yaml:2: format: "),
        ("game: tanks\nformat: knockout\nplayers: 3\n", "cup.yaml:"),
        (
            "game: tanks\nteams: [acorn, bramble]\nplayers: 3\n",
            "cup.yaml:2: teams: expected at least 3 usable teams, one for each player of a match, found 2",
        ),
        ("game: tanks\nscoring: {win: .inf}\n", "cup.yaml:2: scoring.win: expected a finite number, got inf"),
        ("game: tanks\nscoring: points\n", "cup.yaml:2: scoring.by: unknown value 'points'; "),
        (
            "game: tanks\nteams: [all installed, {team: installed, limits: {move_seconds: 1}}]\n",
            "cup.yaml:2: teams[2].limits: 'installed' stands for ",
        ),
    ],
)
def test_a_mistake_and_its_line(read: Read, text: str, problem: str) -> None:
    found = problems(read, text)
    assert found[0].startswith(problem)
    assert found[1:] == ["cup.yaml: 1 problem; nothing was played"]


def test_the_file_itself_cannot_be_read(tmp_path: Path) -> None:
    from tiltyard_tournaments.tournament_file.resolution import load_tournament

    with pytest.raises(UserError, match=r"none\.yaml: cannot be read: No such file"):
        load_tournament(tmp_path / "none.yaml")
