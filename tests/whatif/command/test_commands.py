"""``tiltyard whatif`` and ``tiltyard why`` over a tournament that was played."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from base64 import b64decode
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.whatif.games import CONNECT_FOUR
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_simulator.replays.encoding import decode
from tiltyard_simulator.replays.files import unpack
from tiltyard_site.explained.explained import read_explained
from tiltyard_tournaments.cli.publish import app as publish
from tiltyard_tournaments.cli.run import app as run
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.store import Store
from tiltyard_whatif.analysis.idle_process import IdleProcess
from tiltyard_whatif.analysis.losses import AnalysisBudget, explain_for_site
from tiltyard_whatif.command.whatif import app as whatif
from tiltyard_whatif.command.why import app as why
from tiltyard_whatif.stored import stored_games

RUNNER = CliRunner()
CUP = """title: Four
game: connect-four
trust: [./connect_four.py, ./team.py]
maps: [standard]
teams: [four-careful, greedy, team.py:fails, team.py:moody, team.py:steady]
seed: 3
workers: 1
output: cup
"""
TEAM = """
from os import environ
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class Fails(TurnAlgorithm):
    def __init__(self, seat):
        self.turns = 0
    def choose(self, position):
        self.turns += 1
        if self.turns == 3:
            raise ValueError("no idea")
        return position.columns[-1]

class Moody(TurnAlgorithm):
    def __init__(self, seat):
        pass
    def choose(self, position):
        wanted = int(environ.get("MOOD", "5"))
        return wanted if wanted in position.columns else position.columns[0]

class Steady(TurnAlgorithm):
    def __init__(self, seat):
        pass
    def choose(self, position):
        return position.columns[0]

@hookimpl
def algorithms():
    yield TurnTeam("fails", "connect-four", Fails)
    yield TurnTeam("moody", "connect-four", Moody)
    yield TurnTeam("steady", "connect-four", Steady)
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament that was played."""
    folder = tmp_path_factory.mktemp("played")
    shutil.copy(CONNECT_FOUR, folder)
    (folder / "team.py").write_text(TEAM)
    (folder / "cup.yaml").write_text(CUP)
    done = RUNNER.invoke(run, [str(folder / "cup.yaml")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def cup(played: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(played)
    shutil.rmtree(played / "cup" / "whatif", ignore_errors=True)
    (played / "team.py").write_text(TEAM)
    return played


def asked(app: object, *words: str) -> str:
    done = RUNNER.invoke(app, ["cup.yaml", *words], catch_exceptions=False)  # type: ignore[arg-type]
    assert done.exit_code == 0, done.output
    return done.stdout


def number_of(one: str, other: str) -> str:
    """The number of the match in which these two play, in this order."""
    with Store(Path("cup"), writable=False) as store:
        return next(match.key for match in store.matches() if match.spec.input.names == (one, other))


def test_the_turns_are_listed(cup: Path) -> None:
    match = number_of("steady", "four-careful")
    assert "steady lost: Player 2 won with four in a line" in asked(whatif, "--match", match)
    rows = json.loads(asked(whatif, "--match", match, "--format", "json"))
    assert (rows[0]["turn"], rows[0]["answer"]) == (1, "column 0")
    assert rows[0]["other answers"] == "column 1, column 2, column 3, column 4, column 5, column 6"
    assert [row["turn"] for row in rows] == list(range(1, 2 * len(rows), 2))


def test_other_versions_of_a_team_are_asked_at_the_same_turns(cup: Path) -> None:
    match, other = number_of("steady", "four-careful"), "team.py:fails"
    rows = json.loads(asked(whatif, "--match", match, "--format", "json", "--version", "team.py:steady", "--version", other))
    # It failed at its third turn, and was asked nothing more.
    assert [row[other] for row in rows] == ["column 6", "column 6"] + [""] * (len(rows) - 2)
    assert [row["team.py:steady"] for row in rows] == [row["answer"] for row in rows]
    words = ("--version", "team.py:steady", "--version", other, "--version", "greedy")
    text = asked(why, "--match", match, *words)
    assert f"team.py:steady answers the same at all {len(rows)} turns" in text
    assert f"{other} answers differently at 2 of 2 turns" in text
    steady, fails, greedy = json.loads(asked(why, "--match", match, *words, "--format", "json"))["versions"]
    assert steady["otherwise"] == steady["tried"] == []
    assert fails["otherwise"] == [[1, 1, "column 6"], [3, 1, "column 6"]]
    # What came of an answer is what 'whatif' says of it.
    assert greedy["turns"] == len(rows)
    turn, _, answer, value, _ = greedy["tried"][0]
    after = asked(whatif, "--match", match, "--turn", str(turn), "--answer", answer).splitlines()[2]
    assert f"steady {'won' if value == 1 else 'lost'}: " in after


def test_an_answer_is_put_in_and_its_continuation_written(cup: Path, tmp_path: Path) -> None:
    match, file = number_of("steady", "four-careful"), tmp_path / "other.jsonl"
    text = asked(whatif, "--match", match, "--turn", "3", "--answer", "6", "--replay", str(file))
    assert text.startswith("turn 3: steady answered 'column 0'; with 'column 6' instead:\n  before: steady lost: ")
    assert "the first turn that differs is 3; the result is " in text
    replay = unpack(file.read_bytes(), "file")
    assert replay.frames[2].actions == ("column 6", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--turn", "3"], "--answer is missing"),
        (["--answer", "3"], "--turn is missing"),
        (["--turn", "4", "--answer", "3"], "steady gives no answer in turn 4 of this match; the nearest turns are 3 and 5"),
        (["--turn", "3", "--answer", "9"], "in turn 3, '9' is not a legal answer; legal: column 0"),
        (["--turn", "3", "--answer", "2: 1"], "in turn 3, there is no answer 2, only 1"),
        (["--team", "nobody"], "nobody doesn't play in this match; expected steady, four-careful"),
        (["--version", "nobody.py"], "nobody.py: no such file or folder"),
        (["--version", "greedy", "--turn", "3", "--answer", "2"], "is for the list of turns"),
        (["--replay", "x.jsonl"], "also needs --turn and --answer"),
    ],
)
def test_what_cant_be_asked_is_said(cup: Path, words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        RUNNER.invoke(whatif, ["cup.yaml", "--match", number_of("steady", "four-careful"), *words], catch_exceptions=False)


@pytest.mark.parametrize("name", ["game.jsonl", "game.jsonl.zst"])
def test_a_replay_alone_is_refused_with_what_to_name_instead(cup: Path, tmp_path: Path, name: str) -> None:
    file, match = tmp_path / name, number_of("steady", "four-careful")
    asked(whatif, "--match", match, "--turn", "3", "--answer", "6", "--replay", str(file))
    expected = f"{name}: is a replay, which doesn't say by which code, seed and limits it was played: name the tournament file"
    for app, words in ((why, []), (why, ["--team", "steady"]), (whatif, []), (whatif, ["--match", match])):
        with pytest.raises(UserError, match=re.escape(expected)):
            RUNNER.invoke(app, [str(file), *words], catch_exceptions=False)
    with pytest.raises(UserError, match=r"say which match with --match; 'tiltyard replay cup[.]yaml' lists them"):
        asked(whatif)


def test_code_that_changed_is_told(cup: Path, run_command: RunCommand) -> None:
    match = number_of("steady", "four-careful")
    (cup / "team.py").write_text(TEAM.replace("columns[0]", "columns[1]"))
    done = run_command("tiltyard", "why", "cup.yaml", "--match", match, cwd=cup)
    assert done.returncode == 2
    assert "can't be played again: the code of algorithm steady" in done.stderr
    assert "changed since" in done.stderr


def test_a_team_that_is_not_deterministic_is_told(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOD", "6")
    for app in (why, whatif):
        with pytest.raises(UserError, match="this match isn't the same when it is played again"):
            asked(app, "--match", number_of("moody", "steady"))


def test_the_turn_that_decided_is_named_and_the_rest_resumed(cup: Path) -> None:
    match = number_of("steady", "four-careful")
    first = json.loads(asked(why, "--match", match, "--cpu-seconds", "0", "--format", "json"))
    assert (first["tried"], first["kind"]) == (0, "nothing helped so far")
    whole = json.loads(asked(why, "--match", match, "--format", "json"))
    assert whole["tried"] == whole["possible"]
    again = json.loads(asked(why, "--match", match, "--cpu-seconds", "0", "--format", "json"))
    assert {**again, "cpu_seconds": 0} == {**whole, "cpu_seconds": 0}
    assert whole["moments"][0]["value"] == 1.0
    for moment in whole["moments"]:
        text = asked(whatif, "--match", match, "--turn", str(moment["turn"]), "--answer", moment["better"])
        assert f"after:  steady won: {moment['message']} (after {moment['rounds']} turns)" in text


def test_why_says_it_in_sentences(cup: Path) -> None:
    text = asked(why, "--match", number_of("steady", "four-careful"))
    assert "steady lost: Player 2 won with four in a line" in text
    assert "This holds only for these programs, as they are now." in text
    assert "The last answer that could have been better: turn " in text
    assert "run the same command again" not in text


def test_what_is_left_comes_last_with_how_to_continue(cup: Path) -> None:
    match = number_of("four-careful", "greedy")
    left = r"0 of \d+ other answers were tried: run the same command again to try more, or give it more time with --cpu-seconds\."
    for words in (["--match", match], ["--team", "steady"]):
        last = asked(why, *words, "--cpu-seconds", "0").splitlines()[-1]
        assert re.fullmatch(left.replace("0 of", r"[\d,]+ of").replace(r"of \d+", r"of [\d,]+"), last), last


def test_a_match_that_there_is_not_is_refused_with_those_that_were_lost(cup: Path) -> None:
    for app in (why, whatif):
        with pytest.raises(
            UserError, match=r"no match 99 has been played; expected a number from 1 to \d+\. Matches that were not"
        ):
            asked(app, "--match", "99")


def test_a_fault_and_a_victory_are_told_as_such(cup: Path) -> None:
    match = number_of("fails", "steady")
    text = asked(why, "--match", match)
    assert "fails failed in its round 3: crash: choose raised ValueError: no idea" in text
    assert "'tiltyard explain'" in text
    told = asked(why, "--match", match, "--team", "steady")
    assert "There is nothing to explain: steady came first.\nMatches that steady didn't win: " in told


def test_what_could_not_be_helped_is_told_apart(cup: Path) -> None:
    whole = json.loads(asked(why, "--match", number_of("four-careful", "greedy"), "--format", "json"))
    assert (whole["kind"], whole["moments"], whole["last_help"]) == ("nothing helped", [], None)
    assert whole["tried"] == whole["possible"] > 20
    assert "The match was lost from the start" in asked(why, "--match", number_of("four-careful", "greedy"))


def test_all_matches_of_a_team_are_summed_up(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = asked(why, "--team", "steady", "--cpu-seconds", "30")
    for expected in (
        "  four-careful ",
        " that steady didn't win: ",
        "Matches by opponent: ",
        "Matches by map: standard ",
        "Look at match ",
    ):
        assert expected in text
    explained = json.loads(asked(why, "--team", "steady", "--cpu-seconds", "0", "--format", "json"))
    assert {each["team"] for each in explained} == {"steady"}
    assert all(each["value"] < 1 for each in explained)
    monkeypatch.setenv("MOOD", "6")
    text = asked(why, "--team", "steady", "--cpu-seconds", "0")
    assert "not explained: 1 match: this match isn't the same when it is played again" in text
    with pytest.raises(UserError, match=r"nobody plays in no match of cup[.]yaml; expected fails, four-careful, greedy"):
        asked(why, "--team", "nobody")
    with pytest.raises(UserError, match="say which team wants to know with --team"):
        asked(why)


def test_a_page_shows_both_courses(cup: Path, tmp_path: Path) -> None:
    file = tmp_path / "why.html"
    match = number_of("steady", "four-careful")
    assert f"{file}: " in asked(why, "--match", match, "--html", str(file))
    page = file.read_text()
    assert page.startswith("<!doctype html>")
    whole = json.loads(asked(why, "--match", match, "--format", "json"))
    number = whole["match"]
    shown = json.loads(page.partition(f'Tiltyard.register("why-{number}",')[2].partition(");\n")[0])["explained"][0]
    assert "".join(turn[2] for turn in shown["turns"]) == whole["strip"]
    assert [moment["better"] for moment in shown["moments"]] == [moment["better"] for moment in whole["moments"]]
    assert f'data-alone="#match={number}&amp;why=1&amp;moment=1' in page
    assert "src=" not in page.partition("<script>")[0]
    with pytest.raises(UserError, match="choose the match of the page with --match"):
        asked(why, "--team", "steady", "--html", str(file))


def test_lost_games_are_explained_when_a_site_is_published(cup: Path) -> None:
    (cup / "explained.yaml").write_text(f"{CUP}analysis: {{cpu_seconds: 4}}\n")
    words = ["explained.yaml", "--output", "site"]
    assert RUNNER.invoke(publish, words, catch_exceptions=False).exit_code == 0
    first = read_explained(cup / "cup")
    # A team's second game comes after the first ones of all others, and a look counts half a second at least.
    assert 2 <= len(first) <= 8
    assert len({each.team for each in first}) == min(len(first), 4)
    assert sum(each.cpu_seconds for each in first) > 3.5
    each = next(each for each in first if each.moments)
    assert "all programs played on" in (cup / "site" / f"why-{each.team}.html").read_text()
    script = (cup / "site" / "data" / f"why-{each.number}.js").read_text()
    shown = json.loads(script.partition(",")[2].rpartition(")")[0])["explained"]
    (value,) = [value for value in shown if value["seat"] == each.seat]
    replay = decode(zlib.decompress(b64decode(value["moments"][0]["replay"])), "moment")
    assert len(replay.frames) == each.moments[0].rounds
    # The time is over.
    assert RUNNER.invoke(publish, words, catch_exceptions=False).exit_code == 0
    assert read_explained(cup / "cup") == first


def test_what_cannot_be_explained_says_why(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOD", "6")
    with stored_games(TournamentOptions(Path("cup.yaml"))) as games, IdleProcess() as process:
        lost = next(lost for lost in games.lost() if "moody" in lost.spec.input.names)
        explained = explain_for_site(process, games, lost, 0.1)
        assert explained.kind == "not explained"
        assert "isn't the same when it is played again" in explained.problem
        assert read_explained(cup / "cup") == [explained]
        budget = AnalysisBudget(games, 100)
        assert budget.spent_on(lost) > 0
        # It is tried again when all others were.
        assert budget.next() != (lost, 100)


def test_what_keeps_games_from_being_explained_keeps_nobody_from_publishing(cup: Path) -> None:
    text = f"{CUP}analysis: {{cpu_seconds: 1}}\n"
    for changed, reason in (
        (f"{text}publication: {{hide: [replays]}}\n", "'publication: hide' hides replays"),
        (text.replace("seed: 3", "seed: 3\ngames: 2"), "games are still to be played"),
    ):
        (cup / "other.yaml").write_text(changed)
        done = RUNNER.invoke(publish, ["other.yaml", "--output", "other"], catch_exceptions=False)
        assert (done.exit_code, (cup / "other" / "index.html").is_file()) == (0, True)
        assert f"note: lost games are not explained: {reason}" in done.stderr
    (cup / "other.yaml").write_text(text)
    (cup / "team.py").unlink()
    done = RUNNER.invoke(publish, ["other.yaml", "--output", "other"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "note: lost games are not explained: other.yaml" in done.stderr
    assert not (cup / "cup" / "whatif").exists()
