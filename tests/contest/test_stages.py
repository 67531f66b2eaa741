"""Several tournaments in one file, and teams that come from another tournament."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from tests.contest.stages_cup import GROUPS, STAGES, call, kill_in, outcomes, ranking

from tiltyard_checks.command import plan, status
from tiltyard_tournaments.cli import run, standings
from tiltyard_tournaments.cli.tournament_options import TournamentOptions


def places(file: Path, stage: str) -> list[str]:
    shown = call(standings.app, file, "--stage", stage, "--table", "standings", "--format", "csv")
    assert shown.exit_code == 0, shown.output
    return [row[1] for row in list(csv.reader(shown.stdout.splitlines()))[1:]]


def test_the_best_of_the_groups_play_the_finals(stages_cup: Path) -> None:
    groups, finals, lower = (places(stages_cup, stage) for stage in ("groups", "finals", "lower"))
    assert sorted(finals) == sorted(groups[:4])
    assert sorted(lower) == sorted(groups[4:])
    assert len(outcomes(stages_cup.with_suffix("") / "groups")) == 4 * 4 * 2
    assert [row[1] for row in ranking(stages_cup)] == finals + lower
    assert [row[2] for row in ranking(stages_cup)] == ["finals"] * 4 + ["lower"] * 4


IN_GROUPS = """\
stages:
  - {name: groups, format: {name: groups, groups: 4, seats: single}}
  - {name: finals, maps: [narrow-pass], format: {name: double-elimination, best_of: 1, replays: 0},
     teams: {from: groups, top: 1, of: each group}}
"""


def test_the_best_of_each_group_play_a_double_elimination(tmp_path: Path) -> None:
    """Killed in the second batch of the finals."""
    file = tmp_path / "cup.yaml"
    file.write_text(GROUPS + IN_GROUPS)
    shown = call(plan.app, file, "--trials", 0)
    assert re.findall(r"^\d.*", shown.stdout, re.MULTILINE) == [
        "4 games",
        "6 to 7 games: 2 are known, the others depend on results",
    ]
    assert re.findall(r"^group ([A-D]): \w+, \w+$", shown.stdout, re.MULTILINE) == list("ABCD")
    kill_in(file, "finals", 3)
    before = outcomes(file.with_suffix("") / "finals")
    done = call(run.app, file)
    assert done.exit_code == 0, done.output
    assert before.items() <= outcomes(file.with_suffix("") / "finals").items()
    table = call(standings.app, file, "--stage", "groups", "--table", "standings", "--format", "csv").stdout
    rows = [row[:3] for row in csv.reader(table.splitlines())][1:]
    assert [row[0] for row in rows] == list("AABBCCDD")
    assert len(places(file, "finals")) == 4
    assert [row[2] for row in ranking(file)] == ["finals"] * 4 + ["groups"] * 4


@pytest.mark.parametrize(("of", "is_said"), [("all", True), ("each group", False)])
def test_a_plan_says_whether_the_best_of_all_groups_advance_or_those_of_each(of: str, is_said: bool, tmp_path: Path) -> None:
    stages = f"[{{name: groups, format: {{name: groups}}}}, {{name: finals, teams: {{from: groups, top: 2, of: {of}}}}}]"
    (tmp_path / "cup.yaml").write_text(f"{GROUPS}stages: {stages}\n")
    said = call(plan.app, tmp_path / "cup.yaml", "--trials", 0).stderr
    assert ("of all groups of Cup: groups together, 2 advance; to take the best of each group" in said) == is_said


def test_each_stage_is_shown(stages_cup: Path) -> None:
    told = call(status.app, stages_cup)
    assert [line for line in told.stdout.splitlines() if line.startswith(("Stage", "done"))] == [
        "Stage groups",
        "done: 32 games, complete",
        "Stage finals",
        "done: 12 games, complete",
        "Stage lower",
        "done: 12 games, complete",
    ]
    tables = call(standings.app, stages_cup).stdout
    assert tables.count("Standings") == 3
    assert tables.count("Final ranking") == 1
    games = call(plan.app, stages_cup, "--trials", 0)
    assert games.stdout.count("Stage") == 3, games.output


def test_other_commands_ask_for_a_stage(stages_cup: Path) -> None:
    error = call(run.app, stages_cup, "--stage", "final")
    assert "did you mean finals?" in str(error.exception)


TWO = (
    "title: Groups\ngame: tanks\nmaps: [back-yard]\nworkers: 1\nteams: [acorn, bramble, coyote]\nformat: {name: swiss, rounds: 1}\n"
    "publication: {address: 'https://x.org/groups/'}\n"
)
FINALS = "title: Finals\ngame: tanks\nmaps: [back-yard]\nworkers: 1\nteams: {from: groups.yaml, top: 2}\nformat: round-robin\n"


def test_who_was_there_stays_when_the_first_tournament_changes(tmp_path: Path) -> None:
    groups, finals = tmp_path / "groups.yaml", tmp_path / "finals.yaml"
    groups.write_text(TWO)
    finals.write_text(FINALS)
    early = call(run.app, finals)
    assert "Groups has not begun, so no team advances from it yet" in str(early.exception)
    assert call(run.app, groups).exit_code == 0
    first = call(run.app, finals)
    assert first.exit_code == 0, first.output
    table = call(standings.app, finals, "--table", "standings", "--format", "csv").stdout
    best = [row[1] for row in list(csv.reader(table.splitlines()))[1:]]
    site = TournamentOptions(finals).tournament(as_run=True).publication
    assert site.links == (("Groups", "https://x.org/groups/"),), "its pages lead to where its teams come from"

    groups.write_text(TWO + f"disqualify: {{{best[0]}: cheated}}\n")
    again = call(run.app, finals)
    assert again.exit_code == 0, again.output
    assert "; the teams that began stay (--redraw starts with the new ones)" in again.stderr
    assert "0 played in this run" in again.stderr
    shown = call(standings.app, finals, "--table", "standings", "--format", "csv")
    assert shown.stdout == table
    assert "by the standings of groups.yaml, " in shown.stderr

    redrawn = call(run.app, finals, "--redraw")
    assert redrawn.exit_code == 0, redrawn.output
    assert f" {best[0]} " not in redrawn.stdout

    groups.unlink()
    assert "cannot be read" in call(standings.app, finals).stderr


def test_the_best_of_several_groups_meet(tmp_path: Path) -> None:
    """The same program under two names comes from two groups, and is two teams."""
    file = tmp_path / "cup.yaml"
    file.write_text(
        "game: tanks\nmaps: [back-yard]\nworkers: 1\nstages:\n"
        "  - {name: A, teams: [acorn, {team: coyote, name: c2}]}\n"
        "  - {name: B, teams: [bramble, coyote]}\n"
        "  - {name: finals, teams: [{from: A, top: 1}, {from: B, top: 1}]}\n"
    )
    done = call(run.app, file)
    assert done.exit_code == 0, done.output
    assert sorted(places(file, "finals")) == ["c2", "coyote"]
    again = call(run.app, file, "--stage", "finals")
    assert "0 played in this run" in again.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GROUPS + STAGES.replace("top: 4}", "top: 4, of: each group}"), "groups has no groups (swiss); leave out 'of: each group'"),
        (FINALS.replace("groups.yaml", "finals.yaml"), "its teams come from here, so they can't come from there too"),
        (FINALS.replace("groups.yaml", "other.yaml"), "other.yaml: cannot be read"),
        (FINALS.replace("from: groups.yaml, ", ""), "'top' needs 'from'"),
        (FINALS.replace("{from", "{team: acorn, from"), "expected 'team' or 'from', got both"),
        (FINALS.replace("top: 2", "top: 2, after: 2"), "expected 'top' above 'after', got 2 and 2"),
        (GROUPS + STAGES.replace("from: groups", "from: group"), "did you mean groups?"),
        (GROUPS + STAGES.replace("name: lower", "name: finals"), "finals.yaml:17: stages[3].name: two stages are called 'finals'"),
        (GROUPS + STAGES.replace("name: lower", "name: ../lower"), "finals.yaml:17: stages[3].name: expected"),
        (GROUPS + STAGES.replace("name: lower", "name: lower, output: x"), "stages[3].output: 'output' belongs at the top level"),
        (GROUPS + STAGES.replace("maps: [narrow-pass]", "maps: [narow-pass]"), "finals.yaml:16: maps[1]"),
        (GROUPS + STAGES.replace("rounds: 4", "round: 4"), "finals.yaml:15: format.round: unknown key; did you mean rounds?"),
        (
            GROUPS
            + STAGES.replace("name: lower, teams: {from: groups", "name: lower, teams: {from: last").replace(
                "top: 8, after: 4, seeded: false}}", "top: 4}}\n  - {name: last}"
            ),
            "'last' comes later in the file; teams come from a stage before it (here: groups, finals), or from another file",
        ),
        (GROUPS + STAGES.replace("from: groups, top: 4", "from: finals, top: 4"), "'finals' is this stage; teams come from"),
        (GROUPS + STAGES.replace("from: groups, top: 4", "from: spring.yaml"), "spring.yaml: cannot be read"),
        (GROUPS + STAGES.replace("name: lower", "name: Finals"), "'finals' and 'Finals', which some systems don't tell apart"),
        (
            GROUPS + STAGES.replace("name: lower", "name: a/b"),
            "expected letters, digits, blanks, '-' and '_', as it is the name of",
        ),
        (GROUPS + STAGES.replace("name: lower", "name: site"), "the site goes into the folder 'site'; choose another name"),
        (GROUPS + STAGES.replace("rounds: 4", "places: 8"), "'places' is an option of knockout, not of swiss"),
        (GROUPS + STAGES + "disqualify: {acron: late}\n", "disqualify.acron: no team is called 'acron'; did you mean acorn?"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_played(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "finals.yaml"
    file.write_text(text)
    done = call(run.app, file)
    assert words in str(done.exception), done.exception
    assert not file.with_suffix("").exists()


def test_what_is_wrong_with_all_stages_and_the_file_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    head = "titel: Cup\ngame: tanks\nteams: [acorn, acron]\nmaps: [back-yard]\n"
    stages = "stages:\n  - {name: groups, format: swis}\n  - {NAME: finals, format: knockoot}\n"
    file.write_text(head + stages.replace("NAME", "name"))
    lines = str(call(run.app, file).exception).splitlines()
    of_the_file = ["cup.yaml:1: titel: unknown key; did you mean title?", "cup.yaml:3: teams[2]: no algorithm is called 'acron'"]
    of_the_stages = [
        "cup.yaml:6: format.name: no format is called 'swis'",
        "cup.yaml:7: format.name: no format is called 'knockoot'",
    ]
    expected = [*of_the_file, *of_the_stages, "cup.yaml: 4 problems; nothing was played"]
    assert len(lines) == len(expected)
    assert all(begin in line for line, begin in zip(lines, expected, strict=True)), lines
    # A list of stages that can't be read hides nothing of the rest.
    file.write_text(head + stages.replace("NAME", "nam"))
    lines = str(call(run.app, file).exception).splitlines()
    expected = [*of_the_file, "cup.yaml:7: stages[2].name: this key is required", "cup.yaml: 3 problems; nothing was played"]
    assert len(lines) == len(expected)
    assert all(begin in line for line, begin in zip(lines, expected, strict=True)), lines


def test_who_would_advance_now_is_said_once(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    head = "title: Cup\ngame: tanks\nmaps: [back-yard]\nworkers: 1\nteams: [acorn, bramble, coyote]\n"
    file.write_text(head + "stages:\n  - {name: groups}\n  - {name: finals, teams: {from: groups, top: 2}}\n")
    assert call(run.app, file).exit_code == 0
    best = places(file, "groups")[0]
    file.write_text(file.read_text() + f"disqualify: {{{best}: cheated}}\n")
    for app, words in ((run.app, []), (standings.app, []), (standings.app, ["--format", "csv"])):
        shown = call(app, file, *words)
        assert shown.exit_code == 0, shown.output
        assert shown.stderr.count("would advance now") == 1, shown.stderr
        assert f"would advance now instead of {best}; the teams that began stay" in shown.stderr


HALL = "title: Cup\ngame: tanks\nmaps: [back-yard]\nworkers: 1\n"
TWO_GROUPS = """\
stages:
  - {name: A, teams: [acorn, bramble]}
  - {name: B, teams: [coyote, dragoon]}
  - {name: semis, teams: [{from: A, top: 1}, {from: B, top: 2}]}
  - {name: finals, teams: {from: semis, top: 2}}
"""


def test_what_the_file_says_of_a_team_holds_in_all_its_stages(tmp_path: Path) -> None:
    """A team of group A isn't unknown in group B, nor in finals that it did not reach; whoever leaves leaves the later stages."""
    file = tmp_path / "cup.yaml"
    file.write_text(f"{HALL}disqualify: {{acorn: copied}}\norder: [bramble, coyote]\n{TWO_GROUPS}")
    done = call(run.app, file)
    assert done.exit_code == 0, done.output
    assert sorted(places(file, "semis")) == ["bramble", "coyote", "dragoon"]
    first = places(file, "finals")[0]
    file.write_text(f"{file.read_text()}withdraw: {{{first}: now}}\n")
    shown = call(status.app, file, "--stage", "finals")
    assert shown.exit_code == 0, shown.output
    assert f"withdrawn: {first}" in shown.output


def test_a_team_of_no_stage_is_told(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(f"{HALL}{TWO_GROUPS}withdraw: {{dragon: now}}\n")
    problem, count = str(call(run.app, file).exception).splitlines()
    assert f"{file}:10: withdraw.dragon: no team is called 'dragon'; did you mean dragoon?" in problem
    assert count.endswith(": 1 problem; nothing was played")


def test_what_is_wrong_with_an_earlier_stage_is_told_once(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    head = "title: Cup\ngame: tanks\nmaps: [back-yard]\nteams: [acorn, acron]\n"
    file.write_text(head + "stages:\n  - {name: groups}\n  - {name: finals, maps: [back-yart], teams: {from: groups, top: 2}}\n")
    of_the_file, of_finals, count = str(call(run.app, file).exception).splitlines()
    assert "cup.yaml:4: teams[2]: no algorithm is called 'acron'" in of_the_file
    assert "cup.yaml:7: maps[1]: no map is called 'back-yart'" in of_finals
    assert count.endswith(": 2 problems; nothing was played")


def test_what_is_wrong_with_another_file_is_counted_once(tmp_path: Path) -> None:
    other, file = tmp_path / "groups.yaml", tmp_path / "finals.yaml"
    other.write_text("game: tanks\nteams: [acorn, acron]\nmaps: [back-yart]\n")
    file.write_text(FINALS)
    problem, count = str(call(run.app, file).exception).splitlines()
    assert f"{file}:5: teams: {other}:2: teams[2]: no algorithm is called 'acron'" in problem
    assert f"; {other}:3: maps[1]: no map is called 'back-yart'" in problem
    assert count == f"{file}: 1 problem; nothing was played"


def test_another_file_with_stages_gives_no_teams(tmp_path: Path) -> None:
    """No stage of it can be named."""
    (tmp_path / "groups.yaml").write_text(GROUPS + STAGES)
    file = tmp_path / "finals.yaml"
    file.write_text(FINALS)
    problem, _ = str(call(run.app, file).exception).splitlines()
    cause = "groups.yaml has stages, and 'from' takes only files without; make this a stage of groups.yaml"
    assert problem == f"{file}:5: teams: {cause}"


def test_what_is_said_of_teams_that_did_not_go_on_is_for_other_stages(tmp_path: Path) -> None:
    """A name of the groups is none to complain about in the finals; who left before these is told."""
    file = tmp_path / "cup.yaml"
    head = "title: Cup\ngame: tanks\nmaps: [back-yard]\nworkers: 1\nteams: [acorn, bramble, coyote, {team: acorn, name: a2}]\n"
    rules = "tie-breaks: [wins, order, lots]\norder: [a2, coyote, acorn]\n"
    stages = "stages:\n  - {name: groups}\n  - {name: finals, teams: {from: groups, top: 2}}\n"
    file.write_text(head + rules + stages)
    assert call(run.app, file, "--stage", "groups").exit_code == 0
    first, second, *others = places(file, "groups")
    file.write_text(f"{head}{rules}{stages}disqualify: {{{first}: cheated}}\nwithdraw: {{{second}: now}}\n")
    done = call(run.app, file)
    assert done.exit_code == 0, done.output
    assert f"{second} has left Cup: groups and does not advance; the teams below it move up" in done.stderr
    assert sorted(places(file, "finals")) == sorted(others)
    file.write_text(head + stages.replace("groups", "first"))
    told = call(run.app, file)
    assert "groups is no longer a stage of" in told.stderr
