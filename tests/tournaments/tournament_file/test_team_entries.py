"""Who plays by a tournament file: names, folders, disqualifications, limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import WriteMap
from tests.tournaments.tournament_file.conftest import Read, problems, team
from typer.testing import CliRunner

import tiltyard_tournaments as tiltyard
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_tournaments.cli import run
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.tournament_file.problems import TournamentFileError
from tiltyard_tournaments.tournament_file.resolution import load_tournament


def test_who_is_disqualified(read: Read, tmp_path: Path) -> None:
    team(tmp_path / "bots" / "ann.py", "bot")
    team(tmp_path / "bots" / "bob.py", "bot")
    found = read("""\
        game: tanks
        teams: [bots/, acorn, {team: bramble, name: Thorns}]
        disqualify:
          "ann: bot": copied from bob
          bramble: {reason: late, results: strike}
    """).tournament
    assert found.names == ("ann: bot", "bob: bot", "acorn")
    assert found.field.teams == found.names
    assert [(each.team.label, each.reason, each.results) for each in found.disqualified] == [
        ("ann: bot", "copied from bob", "keep"),
        ("Thorns", "late", "strike"),
    ]


def test_names_are_compared_in_one_form(read: Read) -> None:
    text = 'game: tanks\nteams: [acorn, coyote, {{team: bramble, name: "Zoe\u0308"}}]\ndisqualify: {{{}: late}}\n'
    for name in ("Zo\u00eb", "Zoe\u0308"):
        (found,) = read(text.format(name)).tournament.disqualified
        assert found.team.name == "bramble"


def test_wrong_disqualifications(read: Read, tmp_path: Path) -> None:
    text = "game: tanks\nteams: [acorn, bramble]\ndisqualify:\n"
    assert problems(read, f"{text}  acron: late\n  zoe: late\n")[:2] == [
        "cup.yaml:4: disqualify.acron: no team is called 'acron'; did you mean acorn?",
        "cup.yaml:5: disqualify.zoe: no team is called 'zoe'; known: acorn, bramble",
    ]
    assert problems(read, f"{text}  acorn: {{reasn: late, results: keep}}\n")[:2] == [
        "cup.yaml:4: disqualify.acorn.reasn: unknown key; did you mean reason?",
        "cup.yaml:4: disqualify.acorn.reason: this key is required",
    ]
    assert problems(read, f"{text}  acorn: {{reason: late, results: stike}}\n")[0] == (
        "cup.yaml:4: disqualify.acorn.results: unknown value 'stike'; did you mean strike?"
    )
    assert problems(read, f"{text}  acorn: {{reason: late, results: strike}}\n")[0] == (
        "cup.yaml:3: disqualify: expected at least 2 teams whose results are kept, found 1"
    )
    assert problems(read, f"{text}  - acorn\n")[0].startswith(
        "cup.yaml:3: disqualify: expected keys and values, got a list of 1 item"
    )
    assert problems(read, "game: tanks\nteams: [acorn, {team: bramble, name: x}]\ndisqualify: {x: late, bramble: late}\n")[0] == (
        "cup.yaml:3: disqualify.bramble: the team 'x' is listed twice"
    )


@pytest.mark.parametrize("leaves", ["withdraw: {Cem: now}", "withdraw: {Cem: 3}", "disqualify: {Cem: copied}"])
def test_a_team_that_left_counts_as_it_played_when_its_files_are_gone(tmp_path: Path, leaves: str) -> None:
    """An intake moves a team away that hands in nothing any more. The name was a mistake then, and nothing was played."""
    for name in ("Ann", "Bob", "Cem", "Dee"):
        team(tmp_path / "bots" / f"{name}.py")
    file = tmp_path / "cup.yaml"
    text = "game: tanks\nteams: [bots/]\nworkers: 1\nisolation: inline\n"
    file.write_text(f"{text}maps: [back-yard]\n")
    before = [row["key"] for row in tiltyard.load(file).run().results()]
    (tmp_path / "bots" / "Cem.py").unlink()
    file.write_text(f"{text}maps: [back-yard, narrow-pass]\n{leaves}\n")
    for _ in range(2):
        cup = tiltyard.load(file)
        (note,) = load_tournament(file).notes
        assert note == "the files of Cem are gone; their games count as they were played"
        cup.run()
        rows = cup.results()
        assert set(before) < {row["key"] for row in rows}
        assert len(rows) == 2 * len(before)
        # The new map is played without it, and its opponents win there.
        assert sum("Cem" in row.values() for row in rows) == len(before)
        assert tiltyard.load(file).status().complete


def test_a_team_can_be_withdrawn_after_a_run_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever forgot it had to find and copy back what an intake had moved away, under the name that it had."""
    for name in ("Ann", "Bob", "Cem"):
        team(tmp_path / "bots" / f"{name}.py")
    file = tmp_path / "cup.yaml"
    text = "game: tanks\nteams: [bots/]\nmaps: [back-yard]\nworkers: 1\nisolation: inline\n"
    file.write_text(text)
    before = {row["key"] for row in tiltyard.load(file).run().results()}
    (tmp_path / "bots" / "Cem.py").unlink()
    for _ in range(2):
        tiltyard.load(file).run()
        assert len(tiltyard.load(file).results()) == len(before) / 3
    file.write_text(f"{text}withdraw: {{Chem: now}}\n")
    with pytest.raises(tiltyard.UserError, match="no team is called 'Chem'; did you mean Cem"):
        tiltyard.load(file)
    file.write_text(f"{text}withdraw: {{Cem: now}}\n")
    for _ in range(2):
        assert {row["key"] for row in tiltyard.load(file).run().results()} == before


def test_a_withdrawal_that_changes_nothing_is_said(tmp_path: Path) -> None:
    """A run said only that no file was written."""
    file = tmp_path / "cup.yaml"
    text = "game: tanks\nteams: [acorn, bramble, coyote]\nworkers: 1\nisolation: inline\nmaps: [back-yard]\n"
    file.write_text(text)
    note = "coyote is withdrawn, but all its matches are played, so nothing changes."
    assert note not in CliRunner().invoke(run.app, [str(file)]).stdout
    file.write_text(f"{text}withdraw: {{coyote: now}}\n")
    assert note in CliRunner().invoke(run.app, [str(file)]).stdout
    file.write_text(f"{text.replace('back-yard', 'back-yard, narrow-pass')}withdraw: {{coyote: now}}\n")
    assert note not in CliRunner().invoke(run.app, [str(file)]).stdout


def test_an_empty_folder_of_teams_is_named(read: Read, tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    assert problems(read, "game: tanks\nteams: [acorn, bots/]\n")[0].endswith("/bots: contains no algorithm for tanks")
    assert [line.rpartition("/")[2] for line in read("game: tanks\nteams: [acorn, bramble, bots/]\n").left_out] == [
        "bots: contains no algorithm for tanks"
    ]


def test_limits_of_all_and_of_one(read: Read) -> None:
    found = read("""\
        game: tanks
        limits: {move_seconds: 3, match_seconds: 50}
        isolation: process
        teams: [acorn, {team: bramble, limits: {move_seconds: 7}}]
        maps: back-yard
    """).tournament
    spec = Schedule(tournament=found).next_batch()[0]
    assert set(spec.holding.isolations) == {Isolation.PROCESS}
    limits = {name: spec.holding.limits_of(seat) for seat, name in enumerate(spec.input.names, start=1)}
    assert {name: (limit.move_seconds, limit.match_seconds) for name, limit in limits.items()} == {
        "acorn": (3.0, 50.0),
        "bramble": (7.0, 50.0),
    }


def test_teams_that_declare_one_name(read: Read, tmp_path: Path) -> None:
    team(tmp_path / "bots" / "aaa.py", "student01")
    team(tmp_path / "bots" / "student01.py", "student01")
    team(tmp_path / "bots" / "zoe.py", "acorn")
    found = read("game: tanks\nteams: [bots, {team: acorn, limits: {move_seconds: 2}}]\nmaps: back-yard\n")
    assert found.tournament.names == ("aaa: student01", "student01", "zoe: acorn", "acorn")
    assert [note.partition("shown as ")[2] for note in found.notes] == ["'aaa: student01'", "'zoe: acorn'"]
    schedule = Schedule(tournament=found.tournament)
    limits = {
        name: spec.holding.limits_of(seat).move_seconds
        for spec in schedule.next_batch()
        for seat, name in enumerate(spec.input.names, start=1)
    }
    assert limits.pop("acorn") == 2
    assert limits["zoe: acorn"] != 2


def test_one_name_that_the_organiser_gives_twice(read: Read, tmp_path: Path) -> None:
    found = problems(read, "game: tanks\nteams: [{team: acorn, name: ann}, {team: bramble, name: ann}]\nmaps: back-yard\n")
    assert found[0].startswith("cup.yaml:2: teams[2]: two teams are called 'ann'")


def test_the_same_team_named_twice_plays_once(read: Read, tmp_path: Path) -> None:
    team(tmp_path / "bots" / "ann.py")
    found = read("game: tanks\nteams: [bots/, acorn, bots/ann.py, acorn]\nmaps: back-yard\n").tournament
    assert found.names == ("ann", "acorn")


def test_a_team_that_is_broken_is_no_silent_loss(read: Read, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def algorithms(:\n")
    found = problems(read, "game: tanks\nteams: [broken.py, acorn, gone.py, {team: lost.py, limits: {move_seconds: 1}}]\n")
    assert ["SyntaxError" in found[0], "gone.py" in found[1], "lost.py" in found[2]] == [True] * 3
    assert found[3:] == ["cup.yaml: 3 problems; nothing was played"]


def test_names_that_the_organiser_gives(read: Read) -> None:
    tournament = read("game: advance\nteams:\n- {team: advance-level-4, name: Ada}\n- advance-level-5\n").tournament
    assert tournament.names == ("Ada", "advance-level-5")
    assert [team.name for team in tournament.teams] == ["advance-level-4", "advance-level-5"]
    (spec, *_) = Schedule(tournament=tournament).next_batch()
    assert spec.input.names == ("Ada", "advance-level-5")


@pytest.mark.parametrize(
    ("teams", "message"),
    [
        ("[{team: installed, name: Ada}]", "teams\\[1\\].name: 'installed' stands for 5 teams; a name can only be given to one"),
        ("[{team: advance-level-4, name: advance-level-5}, advance-level-5]", "two teams are called 'advance-level-5'"),
        ("[{team: advance-level-4, name: ''}, advance-level-5]", "teams\\[1\\].name: expected text that isn't empty, got ''"),
    ],
)
def test_names_that_cannot_be_given(read: Read, teams: str, message: str) -> None:
    with pytest.raises(TournamentFileError, match=message):
        read(f"game: advance\nteams: {teams}\n")


def test_broken_submissions_are_left_out_and_said_once(read: Read, tmp_path: Path, write_map: WriteMap) -> None:
    team(tmp_path / "bots" / "ann.py")
    team(tmp_path / "bots" / "bob.py")
    (tmp_path / "bots" / "broken.py").write_text("def algorithms(:\n")
    (tmp_path / "bots" / "idle.py").write_text("")
    write_map("boards/a.txt")
    (tmp_path / "boards" / "notes.md").write_text("no map\n")
    found = read("""\
        game: tanks
        teams: [bots/, {team: acorn, limits: {move_seconds: 2}}]
        maps: boards/
    """)
    assert found.tournament.names == ("ann", "bob", "acorn")
    assert [line.split(":")[0].split(",")[0].rpartition("/")[2] for line in found.left_out] == ["broken.py", "idle.py", "notes.md"]
    assert "SyntaxError" in found.left_out[0]


@pytest.mark.parametrize(
    ("teams", "names"),
    [
        ("[acorn, {team: acorn, name: slow, limits: {move_seconds: 2}}, bramble]", ("acorn", "slow", "bramble")),
        ("[{team: acorn, name: slow, limits: {move_seconds: 2}}, acorn, bramble]", ("slow", "acorn", "bramble")),
        ("[{team: acorn, name: quick}, {team: acorn, name: slow, limits: {move_seconds: 2}}]", ("quick", "slow")),
    ],
)
def test_one_program_plays_twice_under_two_names(tmp_path: Path, teams: str, names: tuple[str, ...]) -> None:
    """Each is a team of its own, with limits of its own, and they meet each other."""
    file = tmp_path / "cup.yaml"
    file.write_text(f"game: tanks\nteams: {teams}\nmaps: back-yard\nworkers: 1\nisolation: inline\n")
    cup = tiltyard.load(file).run()
    assert cup.teams == names
    games = cup.results()
    assert len({row["key"] for row in games}) == len(games) == len(names) * (len(names) - 1)
    assert {line["games"] for line in cup.standings()} == {2 * (len(names) - 1)}
    assert tiltyard.load(file).status().complete
    assert load_tournament(file).tournament.isolation_policy.limits.for_teams == {"slow": {"move_seconds": 2}}
