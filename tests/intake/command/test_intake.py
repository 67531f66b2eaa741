"""``tiltyard intake`` as people type it."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.intake.making import need, plant, tank_plugin
from typer.testing import CliRunner

from tiltyard_intake.command.intake import app
from tiltyard_simulator.output.tables import WIDTH, render

RUNNER = CliRunner()
WORDS = ("intake", "--game", "tanks")
# How builds and first matches are isolated is tested without commands.
pytestmark = pytest.mark.usefixtures("inline")


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    return plant(tmp_path / "handed-in", {"ann/bot.py": tank_plugin("tank"), "ben/notes.txt": "To do: a team."})


def test_the_outputs_may_lie_in_the_download(handed_in: Path, run_command: RunCommand) -> None:
    for folders in ((), ("--into", "cup/teams")):
        done = run_command("tiltyard", *WORDS, ".", *folders, cwd=handed_in)
        assert done.returncode == 0, done.stderr
        assert "2 handed in: 1 plays, 1 not recognised" in done.stdout
    again = run_command("tiltyard", *WORDS, ".", "--dry-run", cwd=handed_in)
    assert "2 handed in: " in again.stdout
    assert (handed_in / "teams" / "ann.py").is_file()
    assert (handed_in / "cup" / "teams.intake" / "report.html").is_file()


def test_the_folder_of_teams_may_be_the_current_one(handed_in: Path, tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "cup").mkdir()
    done = run_command("tiltyard", *WORDS, "../handed-in", "--into", ".", cwd=tmp_path / "cup")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cup" / "ann.py").is_file()
    assert (tmp_path / "cup.intake" / "report.html").is_file()


@pytest.mark.parametrize("style", ["simple", "csv", "html", "pipe"])
def test_the_table_has_the_whole_reason(style: str, tmp_path: Path) -> None:
    reason = " ".join(f"word{number}" for number in range(400))
    text = render(("team", "words"), [("ann" * 400, reason), ("ben", "")], style, is_last_whole=True)
    assert re.findall(r"word\d+", text) == reason.split()
    assert " ... " in text
    lines = text.splitlines()
    assert style != "simple" or max(len(line.partition("  ")[2].strip()) for line in lines) <= WIDTH


def test_the_reason_is_whole_on_the_screen_and_in_the_file(tmp_path: Path, run_command: RunCommand) -> None:
    files = {f"{number}{'x' * 40}.zzz": "" for number in range(3)}
    plant(
        tmp_path / "handed-in",
        {"ann/bot.py": "import tiltyard_engine\nnot python at all\n", **{f"ben/{name}": "" for name in files}},
    )
    done = run_command("tiltyard", *WORDS, "handed-in")
    assert "..." not in done.stdout
    with (tmp_path / "teams.intake" / "intake.csv").open(newline="") as table:
        reasons = [row[-1] for row in csv.reader(table)]
    shown = " ".join(done.stdout.split())
    assert len(reasons) == 3
    assert all(word in shown for reason in reasons for word in reason.split())


def test_a_folder_of_which_nobody_becomes_a_team_is_not_well(handed_in: Path, run_command: RunCommand) -> None:
    done = run_command("tiltyard", *WORDS, "../handed-in/ben", "--dry-run", cwd=handed_in)
    assert done.returncode == 2
    assert "not recognised" in done.stdout
    assert "nothing in ../handed-in/ben was recognised as a team of tanks" in done.stderr


def test_folders_may_have_the_longest_names(handed_in: Path, tmp_path: Path, run_command: RunCommand) -> None:
    for name in ("a" * 255, "ß" * 127):
        (handed_in / name).mkdir()
        plant(handed_in / name, {f"{'x' * 252}.py": tank_plugin("\U00010330" * 64)})
    done = run_command("tiltyard", *WORDS, "handed-in", "--into", "t" * 255)
    assert done.returncode == 0, done.stderr
    assert "4 handed in: 3 play" in done.stdout
    assert run_command("tiltyard").returncode == 0
    words = ("round-robin", "t" * 255, "--maps", "two-fortresses", "--verbose", "--isolation", "inline")
    done = run_command("tiltyard", *words)
    assert (done.returncode, "too long" in done.stderr) == (0, False), done.stderr
    assert len(list(tmp_path.glob("output_*.txt"))) == 6


def test_works_that_are_alike_are_told_and_given_code_is_not(handed_in: Path, run_command: RunCommand) -> None:
    plant(handed_in, {"cem/bot.py": tank_plugin("tank") + "# mine\n", "skeleton/course.py": tank_plugin("tank")})
    plant(handed_in.parent, {"task/other.py": "def other(number):\n    return number + 1\n"})
    done = run_command("tiltyard", *WORDS, ".", "--given", "skeleton", "--given", "../task", cwd=handed_in)
    assert "3 handed in" in done.stdout
    assert "alike" not in done.stdout
    done = run_command("tiltyard", *WORDS, ".", cwd=handed_in)
    assert "3 pairs of works are alike: teams.intake/alike.html" in done.stdout
    assert "the same as in cem (100 %), skeleton (100 %)" in (handed_in / "teams.intake" / "intake.csv").read_text()
    assert (handed_in / "teams.intake" / "alike.html").is_file()


def test_what_the_machine_lacks_is_told_once_before_the_table(tmp_path: Path, run_command: RunCommand) -> None:
    need("cmake", "make", "gcc", "g++")
    tree = {"CMakeLists.txt": "cmake_minimum_required(VERSION 99.1)\nproject(bot C)\n", "main.c": "int main(void) { return x; }\n"}
    plant(tmp_path / "handed-in", {f"{team}/{name}": text for team in ("ann", "ben") for name, text in tree.items()})
    for style in ("simple", "csv"):
        done = run_command("tiltyard", "intake", "handed-in", "--game", "filler", "--format", style)
        lines = (done.stdout if style == "simple" else done.stderr).splitlines()
        told = [
            number for number, line in enumerate(lines) if line.startswith("this machine lacks CMake 99.1 or newer: nobody's work ")
        ]
        assert len(told) == 1, done
        assert style == "csv" or told[0] < next(number for number, line in enumerate(lines) if line.startswith("team "))
        assert "2 handed in: 2 can't be tried here" in lines


def test_packages_of_a_class_are_listed_without_its_game(handed_in: Path) -> None:
    plant(handed_in, {"cid/Cargo.toml": '[dependencies]\nrand = "0.8"\n', "cid/main.rs": "", "dora/Cargo.toml": "[x"})
    words = [str(handed_in), "--list-packages", "--packages", str(handed_in / "packages")]
    done = RUNNER.invoke(app, [*words, "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert list(csv.reader(done.stdout.splitlines())) == [
        ["kind", "package", "version", "state", "teams", "asked for in"],
        ["cargo", "rand", "0.8", "missing", "cid", "Cargo.toml"],
    ]
    assert "can't be read: dora: Cargo.toml: " in done.stderr
    assert f"to fetch them, on a machine with a network: sh {handed_in / 'packages' / 'fill.sh'}" in done.stderr
    # The folder that was made is no team's.
    assert "rand" in RUNNER.invoke(app, words).stdout
    assert sorted(path.name for path in handed_in.iterdir()) == ["ann", "ben", "cid", "dora", "packages"]
    plant(handed_in, {"packages/cargo/rand-0.8.5/Cargo.toml": '[package]\nname = "rand"\nversion = "0.8.5"\n'})
    done = RUNNER.invoke(app, [*words, "--allow", "cargo:other", "--format", "json"])
    assert "not allowed, but there 0.8.5" in done.stdout


def test_a_crate_that_is_allowed_without_a_folder_is_an_error(handed_in: Path, run_command: RunCommand) -> None:
    done = run_command("tiltyard", *WORDS, ".", "--allow", "cargo:rand", cwd=handed_in)
    assert "cargo:rand is allowed, but no folder of packages is named: add --packages FOLDER" in done.stderr
    assert done.returncode == 2


def test_all_that_is_missing_is_named_at_once(handed_in: Path, run_command: RunCommand) -> None:
    (handed_in.parent / "intake.yaml").write_text("game: tanks\nhanded-in: handed-in\nroster: gone.csv\ngiven: [skeleton/]\n")
    done = run_command("tiltyard", "intake", "--settings", "intake.yaml", "--wheels", "none", cwd=handed_in.parent)
    assert (done.returncode, done.stdout) == (2, "")
    missing = [f"{name}: no such file or folder\n" for name in ("gone.csv", "skeleton", "none")]
    assert done.stderr == "error: " + "".join(missing)


def test_an_option_can_switch_off_what_the_settings_say(handed_in: Path, run_command: RunCommand) -> None:
    words = ("game: tanks", "handed-in: handed-in", "deadline: 2030-11-30", "recipe: tanks-cpp", "last-that-plays: true")
    (handed_in.parent / "intake.yaml").write_text("\n".join((*words, "warnings-fail: true")))
    command = ("tiltyard", "intake", "--settings", "intake.yaml", "--dry-run", "--workers", "1")
    whole = run_command(*command, cwd=handed_in.parent)
    assert "deadline: 2030-11-30 23:59" in whole.stderr
    assert "ann: not recognised" in whole.stderr
    off = ("--deadline", "", "--recipe", "", "--no-last-that-plays", "--no-warnings-fail")
    done = run_command(*command, *off, cwd=handed_in.parent)
    assert "deadline" not in done.stderr
    assert "ann: recognised (python-file)" in done.stderr


def test_a_folder_of_nearly_that_name_is_offered(handed_in: Path, run_command: RunCommand) -> None:
    done = run_command("tiltyard", "intake", "handed-im", "--game", "tanks", cwd=handed_in.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: handed-im: no such file or folder; did you mean handed-in?\n"
