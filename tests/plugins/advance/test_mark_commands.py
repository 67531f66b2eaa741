"""``tiltyard mark advance`` and ``tiltyard advance`` as people use them."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shutil
import signal
import time
import zipfile
from importlib import import_module
from pathlib import Path

import pytest
import typer
from tests.end_to_end.background import commands_in
from tests.engine.attack import AS_PROGRAM, assert_harmless
from tests.plugins.advance.marked_bots import parrot, script, small_pack
from typer.testing import CliRunner, Result

from tiltyard_advance import commands, mark_commands, marker, pack_commands
from tiltyard_advance.marker import Marker
from tiltyard_advance.marks import BotMark
from tiltyard_advance.outcome_file import OUTCOME_FILE, OutcomeFile
from tiltyard_advance.packs import read_pack
from tiltyard_engine.host import find_host
from tiltyard_engine.texts import time_left
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.code_digest import code_digest


def run(app: typer.Typer, *arguments: str | Path) -> Result:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def mark(*arguments: str | Path) -> Result:
    return run(mark_commands.app, "advance", *arguments)


@pytest.fixture
def short_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is waited for until a limit has a part of a second of CPU time to start, not five."""
    monkeypatch.setattr(mark_commands, "STARTUP_SECONDS", 0.3)
    monkeypatch.setattr(marker, "NAME_LIMITS", {"move_seconds": 0.2, "startup_seconds": 0.2, "wall_factor": 25.0})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kept(folder: Path) -> list[bytes]:
    return (folder / OUTCOME_FILE).read_bytes().splitlines()


def test_the_plugins_commands_have_targets() -> None:
    assert {"mark", "advance"} <= {command.name for command in commands.commands()}
    for command in commands.commands():
        module, attribute = command.target.split(":")
        assert isinstance(getattr(import_module(module), attribute), typer.Typer)


def test_a_level_bot_is_marked_by_the_first_level_that_it_fails(here: Path) -> None:
    tests = small_pack(here / "tests", 3)
    result = mark("advance-level-4", "--tests", "tests", "-w", "1", "--format", "json")
    assert result.exit_code == 0
    (bot,) = json.loads(result.stdout)["bots"]
    levels = bot["levels"]
    assert [level["level"] for level in levels][:2] == [4, 5]
    assert (levels[0]["passed"], levels[0]["tests"], levels[0]["failures"]) == (3, 3, [])
    assert levels[-1]["passed"] < 3
    assert 50 <= bot["percent"] < 85
    assert bot["games"]["played"] == 0
    failure = levels[-1]["failures"][0]
    (asked,) = [test for test in tests if test.name == failure["test"]]
    assert "".join(failure["board"]) == asked.board
    assert "".join(failure["expected"]) == asked.expected
    assert "".join(failure["got"]) not in ("", asked.expected)


def test_a_bot_that_never_starts_is_not_marked_for_good(here: Path) -> None:
    small_pack(here / "tests", 3, levels=(4,))
    (here / "secret").write_text("")
    bot = "#!/bin/sh\necho 'Failed to create CoreCLR' >&2; cat {0}/secret 2>/dev/null; test -e {0}/missing || exit 134\n"
    script(here / "bots" / "first", bot.format(here))
    script(here / "bots" / "second", "#!/no/such/runtime\n")
    result = mark("bots", "--tests", "tests", "--workers", "1", "--output", "marks")
    assert "not final: all 2 bots ended in the same way in all of their tests: look for what they have in common" in result.stdout
    is_confined = probe_confinement().level is not Level.C
    denied = f"; denied by the sandbox, the latest first: {here}/secret" if is_confined else ""
    assert (
        "first: not final: the machine or the sandbox looks at fault: the bot ended in the same way in all of 3 tests: "
        f"crash: the program exited with code 134{denied} (expected: the board with one move made, in move.txt; "
        "command: first white board.txt move.txt). It said: Failed to create CoreCLR\n"
    ) in result.stdout
    assert "'tiltyard doctor' shows which languages' programs start here." in result.stdout
    bots = json.loads((here / "marks" / "report.json").read_text())["bots"]
    assert [bot["is_final"] for bot in bots] == [False, False]
    assert "cannot start" in bots[1]["notes"][-1]
    assert "<strong>Not final</strong>" in next((here / "marks").rglob("*first*.html")).read_text()
    # What became of it is not kept: when the machine is mended, the same command asks again.
    played = len(kept(here / "marks"))
    mark("bots", "--tests", "tests", "--workers", "1", "--output", "marks")
    assert len(kept(here / "marks")) == 2 * played


def test_what_a_bot_says_cannot_control_a_terminal_nor_forge_a_line(here: Path) -> None:
    small_pack(here / "tests", 2, (4,))
    script(here / "bot", AS_PROGRAM)
    assert_harmless(mark("./bot", "--tests", "tests", "--workers", "1").stdout)
    for name in ("report.txt", "report.csv"):
        assert_harmless((here / "marks" / name).read_text())
    # What is quoted on a page has a frame of its own.
    assert_harmless((here / "marks" / "report.html").read_text().replace("\nfault of", "\n fault of"))


def test_a_bot_with_hard_coded_answers_passes_the_public_tests_and_is_flagged_by_the_hidden_ones(here: Path) -> None:
    tests = small_pack(here / "tests")
    small_pack(here / "hidden", skip=1)
    parrot(here / "parrot", tests)
    result = mark("parrot", "--tests", "tests", "--hidden", "hidden", "--games", "4", "--workers", "1")
    assert result.exit_code == 0
    text = result.stdout
    assert 'parrot/bot (its name for itself is "Parrot")' in text
    assert "CHECK THE CODE: level 4: passes 1 of 1 public tests, but only 0 of 1 hidden tests" in text
    assert "4 games against level 7: 0 won (0 as white, 0 as black), 0 tied, 4 lost; 90 wins in 100 not reached" in text
    assert "MARK: 85 %" in text
    assert "made no move" in text


def test_results_are_kept_and_only_what_changed_is_asked_again(here: Path) -> None:
    tests = small_pack(here / "tests", 2, (4,))
    bot = parrot(here / "parrot", tests[:1])
    first = mark("parrot", "--tests", "tests", "--games", "0", "-w", "1")
    lines = kept(here / "marks")
    # Its name, and two tests.
    assert (first.exit_code, len(lines)) == (0, 3)
    again = mark("parrot", "--tests", "tests", "--games", "0", "-w", "1")
    assert again.stdout == first.stdout
    assert kept(here / "marks") == lines
    # Another bot, but the same tests.
    bot.write_text(bot.read_text() + "# better\n")
    code_digest.cache_clear()  # as in another process
    assert mark("parrot", "--tests", "tests", "--games", "0", "-w", "1").exit_code == 0
    assert len(kept(here / "marks")) == 6
    # The same bot, but one test is another.
    (here / "tests" / f"{tests[1].name}.txt").unlink()
    small_pack(here / "more", 1, (4,), skip=4)
    (here / "more" / "level-4" / "white-05.txt").rename(here / "tests" / "level-4" / "white-05.txt")
    assert mark("parrot", "--tests", "tests", "--games", "0", "-w", "1").exit_code == 0
    assert len(kept(here / "marks")) == 7


def test_a_marking_that_was_killed_goes_on(here: Path) -> None:
    small_pack(here / "tests", 4, (4,))
    script(here / "slow", "#!/bin/sh\nsleep 0.2\n")
    with commands_in(here) as start:
        process = start("tiltyard", "mark", "advance", "./slow", "--tests", "tests", "-w", "1")
        deadline = time.monotonic() + 120
        while not ((here / "marks" / OUTCOME_FILE).exists() and kept(here / "marks")):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
    before = kept(here / "marks")
    assert mark("./slow", "--tests", "tests", "-w", "1").exit_code == 0
    after = kept(here / "marks")
    assert after[: len(before) - 1] == before[:-1]
    assert len({json.loads(line)["key"] for line in after}) == 5


def test_a_class_is_a_table_with_a_page_for_each(here: Path) -> None:
    tests = small_pack(here / "tests", 1, (4, 5))
    parrot(here / "class" / "alice", tests)
    parrot(here / "class" / "bob", tests[:1])
    script(here / "class" / "carol", "#!/bin/sh\ncase $1 in name) echo '=<b>CAROL</b>';; esac\n")
    (here / "class" / "notes.txt").write_text("not a bot")
    (here / "class" / "empty").mkdir()
    result = mark("class", "--tests", "tests", "--format", "csv", "-w", "1")
    assert result.exit_code == 1
    rows = {row["bot"]: row for row in csv.DictReader(io.StringIO(result.stdout)) if row["mark %"]}
    assert {name: row["mark %"] for name, row in rows.items()} == {"alice": "65.0", "bob": "50.0", "carol": "0.0"}
    assert (rows["alice"]["name"], rows["carol"]["name"]) == ("Parrot", "'=<b>CAROL</b>")
    text = (here / "marks" / "report.txt").read_text()
    assert "not marked: notes: not recognised: holds no sources and no programs, only 1 .txt" in text
    assert "not marked: empty: is an empty folder" in text
    page = (here / "marks" / "report.html").read_text()
    assert "&lt;b&gt;CAROL&lt;/b&gt;" in page
    assert "<b>CAROL" not in page
    assert "://" not in page
    for name in rows:
        assert f'href="bots/{name}.html"' in page
        assert (here / "marks" / "bots" / f"{name}.html").is_file()
    assert json.loads((here / "marks" / "report.json").read_text())["bots"][0]["bot"] == "alice"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing"], "error: no algorithm is called 'missing'"),
        (["./missing"], "error: missing: no such file or folder"),
        (["advance-level-4", "--tests", "missing"], "error: missing: no such file or folder; expected a folder or file of tests"),
        (["advance-level-4", "--tests", "only-5"], "error: only-5: contains no tests of level 4, where marking starts"),
        (["advance-level-4", "--hidden", "shipped"], "error: shipped: 1 of its tests are also public"),
        (["nobody"], "error: nobody: contains no bots: expected programs"),
        (["plain"], "error: plain: "),
        (["advance-level-4", "--output", "plain"], "error: "),
    ],
)
def test_mistakes_are_one_message(here: Path, arguments: list[str], message: str) -> None:
    small_pack(here / "only-5", 1, (5,))
    small_pack(here / "shipped", 1, (4,))
    (here / "nobody").mkdir()
    (here / "plain").write_text("just text")
    result = mark(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(message)
    assert result.stdout == ""


def test_packs_are_made_and_checked(here: Path) -> None:
    made = run(pack_commands.app, "generate-tests", "pack", "--level", "6", "--count", "1", "--seed", "3", "-w", "1")
    assert (made.exit_code, made.stdout) == (0, "pack: 2 tests (level 6: 2)\n")
    assert [test.name for test in read_pack(here / "pack")] == ["level-6/black-01", "level-6/white-01"]
    checked = run(pack_commands.app, "check-tests", "pack")
    assert (checked.exit_code, checked.stdout) == (0, "pack: 2 tests (level 6: 2); 2 correct, 0 wrong\n")
    again = run(pack_commands.app, "generate-tests", "pack")
    assert (again.exit_code, again.stderr.partition(";")[0]) == (2, "error: pack: already exists and is not empty")
    wrong = run(pack_commands.app, "generate-tests", "other", "--level", "3")
    assert (wrong.exit_code, wrong.stderr) == (2, "error: --level 3: expected 4 to 7\n")
    file = here / "pack" / "level-6" / "white-01.txt"
    file.write_text(file.read_text().replace("level: 6", "level: 4"))
    unsound = run(pack_commands.app, "check-tests", "pack")
    assert unsound.exit_code == 1
    assert "1 correct, 1 wrong" in unsound.stdout


def test_a_class_is_told_at_the_start_with_who_is_refused(here: Path) -> None:
    tests = small_pack(here / "tests", 1, (4, 5))
    parrot(here / "class" / "alice", tests)
    (here / "class" / "notes.txt").write_text("not a bot")
    result = mark("class", "--tests", "tests", "--games", "3", "-w", "1")
    refused = "not marked: notes: not recognised: holds no sources and no programs, only 1 .txt"
    assert result.exit_code == 1
    assert result.stderr.splitlines()[:2] == ["to mark: 1 bot; 2 tests of levels 4 to 5", refused]
    assert refused in result.stdout
    # Every report has it, that of a single bot too.
    assert refused in (here / "marks" / "report.txt").read_text()
    assert "notes: not recognised" in (here / "marks" / "report.html").read_text()
    assert json.loads((here / "marks" / "report.json").read_text())["left_out"] == [refused.removeprefix("not marked: ")]
    _, row = csv.DictReader(io.StringIO((here / "marks" / "report.csv").read_text()))
    assert (row["bot"], row["mark %"]) == ("notes", "")
    assert row["note"].startswith("not marked: not recognised")


def test_what_was_handed_in_is_built_before_it_is_marked(here: Path) -> None:
    tests = small_pack(here / "tests", 1, (4,))
    download = here / "download"
    for number, (name, text) in enumerate({"Ann": "import sys\nsys.exit()\n", "Ben": "import sys\nsys.exit(\n"}.items()):
        folder = download / f"{name}_{100 + number}_assignsubmission_file_"
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / "bot.zip", "w") as archive:
            archive.writestr("bot/main.py", text)
    (download / "Cem_102_assignsubmission_file_").mkdir()
    (download / "Cem_102_assignsubmission_file_" / "bot.zip").write_bytes(b"not a zip")
    parrot(download / "Dan_103_assignsubmission_file_", tests)
    words = ("download", "--tests", "tests", "--games", "0", "--workers", "1")
    result = mark(*words)
    assert result.exit_code == 1
    refused = [
        "Ben: doesn't build: main.py:2: SyntaxError: '(' was never closed",
        "Cem: can't be opened: bot.zip: is not an archive, though its name says so; send a zip",
    ]
    report = json.loads((here / "marks" / "report.json").read_text())
    assert {bot["bot"]: bot["percent"] for bot in report["bots"]} == {"Ann": 0.0, "Dan": 50.0}
    assert report["left_out"] == refused
    assert all(f"not marked: {line}\n" in result.stdout for line in refused)
    page = html.unescape((here / "marks" / "report.html").read_text())
    assert all(line in page for line in refused)
    rows = {row["bot"]: row["note"] for row in csv.DictReader(io.StringIO((here / "marks" / "report.csv").read_text()))}
    assert rows["Cem"].startswith("not marked: can't be opened")
    asked = len(kept(here / "marks"))
    # Neither built nor asked again.
    assert "Ann: built by python-program, kept from before\n" in mark(*words).stderr
    assert len(kept(here / "marks")) == asked


@pytest.mark.usefixtures("short_start")
def test_a_bot_that_sleeps_is_given_up_after_three_timeouts_in_a_row(here: Path) -> None:
    tests = small_pack(here / "tests", 7, (4,))
    bot = parrot(here / "class" / "sleepy", tests)
    # It knows the first two, then sleeps.
    answers = sorted((here / "class" / "sleepy" / "answers").glob("*.answer"))
    for path in answers[2:]:
        path.unlink()
    bot.write_text(bot.read_text().replace("; exit; fi", " 2>/dev/null && exit; while :; do :; done; fi"))
    parrot(here / "class" / "well", tests)
    result = mark("class", "--tests", "tests", "--seconds", "0.1", "--workers", "1", "--format", "json")
    assert result.exit_code == 0
    sleepy, well = json.loads(result.stdout)["bots"]
    (level,) = sleepy["levels"]
    assert (level["tests"], level["passed"], level["not_asked"]) == (7, 2, 2)
    assert [failure["reason"] for failure in level["failures"]] == ["TIMEOUT"] * 3
    assert sleepy["is_final"]
    assert sleepy["notes"] == ["level 4 was given up after too many timeouts in a row; 2 of its tests were not asked"]
    assert well["levels"][0]["passed"] == 7
    assert "class/sleepy" not in result.stderr
    assert "sleepy: level 4: 2 of 7 tests; given up after 3 timeouts in a row" in result.stderr
    # Played: the names, seven tests of one, and five of the other.
    assert len(kept(here / "marks")) == 2 + 7 + 5
    # What was kept says the same.
    again = mark("class", "--tests", "tests", "--seconds", "0.1", "--workers", "1", "--format", "json")
    assert again.stdout == result.stdout
    assert len(kept(here / "marks")) == 2 + 7 + 5


def test_after_ctrl_c_there_are_tables_of_what_is_done_and_names_are_kept(here: Path) -> None:
    tests = small_pack(here / "tests", 4, (4,))
    parrot(here / "class" / "first", tests)
    script(here / "class" / "waits" / "bot", "#!/bin/sh\n[ $1 = name ] && echo Waits && exit\nexec sleep 1000\n")
    with commands_in(here) as start:
        process = start("tiltyard", "mark", "advance", "class", "--tests", "tests", "-w", "1")
        deadline = time.monotonic() + 120
        # Two names and the first bot's tests; the second waits for ever.
        while not ((here / "marks" / OUTCOME_FILE).exists() and len(kept(here / "marks")) == 6):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped; results are saved in marks/kept.jsonl" in stderr
    assert "waits: not final: marking was stopped; run the same command again to continue" in stdout
    first, waits = csv.DictReader(io.StringIO((here / "marks" / "report.csv").read_text()))
    assert (first["name"], first["level 4"], first["note"]) == ("Parrot", "4/4", "")
    assert (waits["name"], waits["level 4"]) == ("Waits", "0/4")
    assert waits["note"].startswith("not final")
    # The same of those who remain: neither names nor tests are asked again.
    before = kept(here / "marks")
    shutil.rmtree(here / "class" / "waits")
    assert mark("class", "--tests", "tests", "-w", "1").exit_code == 0
    assert kept(here / "marks") == before


MEETS = "#!/bin/sh\n[ $1 = name ] || exit 0\ntouch {0}.asked\nuntil test -e {1}.asked; do sleep 0.1; done\necho {2}\n"
"""Tells its name once the other one has been asked for its own."""


def test_names_are_asked_at_once_and_the_time_left_is_shown(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_ISOLATION", "process")
    monkeypatch.setattr(time_left, "ENOUGH", 2)
    tests = small_pack(here / "tests", 2, (4,))
    for name, other in (("one", "two"), ("two", "one")):
        script(here / name, MEETS.format(here / name, here / other, name.title()))
    shown: list[str] = []
    with find_host() as host, OutcomeFile(here / "marks") as outcome_file:
        bots = [(BotMark(label=name), host.find_player(f"./{name}", "advance")) for name in ("one", "two")]
        Marker(
            host=host,
            outcome_file=outcome_file,
            show=shown.append,
            say=shown.append,
            tests=tests,
            hidden=[],
            games=0,
            seed=1,
            limits={},
            workers=2,
        ).mark(bots)
    assert [mark.name for mark, _ in bots] == ["One", "Two"]
    assert [text for text in shown if text.startswith("names")] == ["names: 0 of 2", "names: 1 of 2", "names: 2 of 2"]
    assert [text for text in shown if re.fullmatch(r"level 4: 3 of 4, \d+:\d\d left", text)]


@pytest.mark.usefixtures("short_start")
def test_the_report_says_what_a_move_may_take(here: Path) -> None:
    small_pack(here / "tests", 1, (4,))
    script(here / "busy", "#!/bin/sh\nwhile :; do :; done\n")
    result = mark("./busy", "--tests", "tests", "--seconds", "0.1", "-w", "1")
    assert "; --seconds N allows more)" in result.stdout
    assert "--limit" not in result.stdout
    assert "0.1 s per move, 0.4 s for the first one with the program's start" in result.stdout
    assert "the limit is 0.4 s" in result.stdout
