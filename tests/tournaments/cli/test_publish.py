"""Observers and publishers from the command line: trusted ones are called, others are told of, failing ones stop nothing."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.engine.making import install

CUP = """\
title: Small cup
game: tanks
teams: [acorn, bramble]
maps: [back-yard, narrow-pass]
workers: 1
"""
BOARD = "notice_board.py"
MAP_ONLY = """\
from tiltyard_engine import MapFile, hookimpl
maps = hookimpl(lambda: [MapFile("valley", "tanks", b"")], specname="maps")
"""


@pytest.fixture
def folder(tmp_path: Path, programs: Path) -> Path:
    """With the plugin beside the file."""
    shutil.copy(programs / "publishing" / BOARD, tmp_path)
    return tmp_path


@pytest.fixture
def tiltyard(run_command: RunCommand, folder: Path) -> RunCommand:
    """``tiltyard(text, command, ...)``: the command over a file with this text after the common lines."""

    def run(text: str, command: str, *words: str) -> subprocess.CompletedProcess[str]:
        (folder / "cup.yaml").write_text(CUP + text)
        return run_command("tiltyard", command, "cup.yaml", *words)

    return run


@pytest.mark.usefixtures("inline")
def test_what_could_not_be_loaded_is_listed_wherever_results_are(run_command: RunCommand, folder: Path) -> None:
    (folder / "bots").mkdir()
    (folder / "bots" / "ann.py").write_text("def algorithms(:\n")
    (folder / "bots" / "bob").mkdir()
    (folder / "bots" / "bob" / "bot.py").write_text("")
    (folder / "bots" / "map.py").write_text(MAP_ONLY)
    (folder / "cup.yaml").write_text(CUP.replace("bramble]", "bramble, bots]") + "isolation: inline\n")
    played = run_command("tiltyard", "run", "cup.yaml")
    assert played.returncode == 0, played.stderr
    rows = [
        ["ann.py", "cannot be imported: SyntaxError: invalid syntax (ann.py, line 1)"],
        ["bob", "contains Python files, but none of them is a plugin, and there is no pyproject.toml with entry points"],
        ["map.py", "contains no algorithm for tanks"],
    ]
    table = run_command("tiltyard", "standings", "cup.yaml", "--table", "not-admitted", "-f", "csv").stdout
    assert list(csv.reader(table.splitlines())) == [["algorithm", "reason"], *rows]
    assert played.stderr.count("left out: ") == 3
    assert run_command("tiltyard", "publish", "cup.yaml", "--publisher", "site", "--publisher", "csv").returncode == 0
    page = next(folder.rglob("site/index.html")).read_text(encoding="utf-8")
    status = run_command("tiltyard", "status", "cup.yaml").stdout
    robin = run_command("tiltyard", "round-robin", "bots", "acorn", "bramble", "--maps", "back-yard", "-o", "robin")
    for text in (played.stdout, page, status, robin.stdout, (folder / "robin" / "results.txt").read_text()):
        for name, reason in rows:
            assert name in text
            assert reason in text.replace("&#39;", "'")
    assert str(folder) not in page
    assert list(csv.reader((folder / "robin" / "not-admitted.csv").read_text().splitlines()))[1:] == rows


def test_a_trusted_file_hears_and_publishes(tiltyard: RunCommand, folder: Path) -> None:
    text = f"""\
trust: [./{BOARD}]
observers: {{name: {BOARD}, file: heard.txt}}
publication:
  publishers: [{{name: "{BOARD}:notice", file: pinned.txt}}, {{name: markdown, file: table.md}}]
"""
    done = tiltyard(text, "run", "--json", "--log", "log.jsonl")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == [
        json.loads(line)["event"] for line in (folder / "log.jsonl").read_text().splitlines()
    ]
    assert {event["event"] for event in events} >= {"tournament started", "match started", "match finished", "tournament finished"}
    lines = (folder / "heard.txt").read_text().splitlines()
    assert lines[0] == "Small cup begins: acorn, bramble"
    assert lines[1:-1] == [
        f"{' - '.join(event['teams'])}: {event['message']}" for event in events if event["event"] == "match finished"
    ]
    assert lines[-1] == "over after 4 games"
    assert (folder / "pinned.txt").read_text() == "Small cup: acorn > bramble; 4 replays\n"
    assert (folder / "cup" / "table.md").read_text().startswith("## Standings\n\n|   place | algorithm")
    assert "published: cup/table.md" in done.stderr
    assert not (folder / "cup" / "site").exists()


def test_what_is_not_trusted_is_refused_and_nothing_is_played(tiltyard: RunCommand, folder: Path) -> None:
    done = tiltyard(f"observers: {BOARD}\npublication: {{publishers: '{BOARD}:notice'}}\n", "run")
    assert done.returncode == 2
    how = f"if you trust it, use --trust ./{BOARD}, TILTYARD_TRUST, or 'trust' in the tournament file"
    refusal = f"not loaded: an observer's code runs in the runner's own process; {how}"
    assert done.stderr.splitlines() == [
        f"error: cup.yaml:6: observers: {BOARD}: {refusal}",
        f"cup.yaml:7: publication.publishers[1]: {BOARD}:notice: {refusal.replace('an observer', 'a publisher')}",
        "cup.yaml: 2 problems; nothing was played",
        "help: tiltyard explain tournament-file",
    ]
    assert not (folder / "cup").exists()


def test_an_installed_observer_hears_of_every_run_if_it_is_trusted(
    tiltyard: RunCommand, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(folder, "board-team", "1.0", {"board": "notice_board"})
    monkeypatch.setenv("PYTHONPATH", str(folder))
    done = tiltyard("", "run")
    assert done.returncode == 0
    assert "left out: board-team: observer notice-board: not loaded: an observer's code runs in" in done.stderr
    assert "use --trust board-team, " in done.stderr
    assert not (folder / "board.txt").exists()
    trusting = tiltyard("trust: [board-team]\n", "run")
    assert "left out" not in trusting.stderr
    assert (folder / "board.txt").read_text().splitlines() == ["Small cup begins: acorn, bramble", "over after 4 games"]
    named = tiltyard("trust: [board-team]\nobservers: {name: notice-board, file: other.txt}\n", "run")
    assert named.returncode == 0
    assert (folder / "other.txt").read_text() == (folder / "board.txt").read_text()


def test_publishers_that_fail_keep_nobody_from_publishing(tiltyard: RunCommand, folder: Path) -> None:
    names = f"['{BOARD}:failing', '{BOARD}:refusing', json]"
    text = f"trust: [./{BOARD}]\npublication: {{publishers: {names}}}\n"
    done = tiltyard(text, "run")
    assert done.returncode == 0, done.stderr
    problems = [
        f"publisher failing ({folder}/{BOARD}): raised ConnectionError: the server is away ({BOARD}, line 69)",
        f"publisher refusing ({folder}/{BOARD}): there is no password: set BOARD_PASSWORD",
    ]
    assert [line for line in done.stderr.splitlines() if line.startswith("publisher ")] == problems
    assert set(json.loads((folder / "cup" / "standings.json").read_text())) >= {"Standings"}
    again = tiltyard(text, "publish")
    assert again.returncode == 1
    assert again.stdout == "cup/standings.json\n"
    assert [line for line in again.stderr.splitlines() if "error" in line] == [f"error: {line}" for line in problems]


def test_a_full_disk_is_an_error(tiltyard: RunCommand, folder: Path) -> None:
    for place in (folder / "out", folder / "cup"):
        place.mkdir()
        (place / "standings.md").symlink_to("/dev/full")
    run = tiltyard("publication: {publishers: [markdown]}\n", "run")
    assert run.returncode == 2
    assert "cup/standings.md: cannot be written: No space left on device" in run.stderr
    done = tiltyard("", "publish", "-p", "markdown", "-p", "json", "-o", "out")
    assert (done.returncode, done.stdout) == (2, "out/standings.json\n")
    assert "out/standings.md: cannot be written: No space left on device" in done.stderr


def test_publishers_by_name(tiltyard: RunCommand, folder: Path) -> None:
    assert tiltyard("", "run").returncode == 0
    assert sorted(path.name for path in (folder / "cup").iterdir()) == ["running.lock", "tournament.sqlite"]
    assert tiltyard("", "publish").stdout == "cup/site/index.html\n"
    assert tiltyard("", "publish", "-o", "www").stdout == "www/index.html\n"
    named = tiltyard("publication: {hide: [ratings]}\n", "publish", "-p", "csv", "-p", "html", "-o", "out")
    files = [f"out/tables/{name}.csv" for name in ("standings", "crosstable", "maps", "games")]
    assert named.stdout.split() == [*files, "out/standings.html"]
    rows = list(csv.DictReader((folder / "out/tables/games.csv").read_text().splitlines()))
    assert [row["map"] for row in rows] == ["back-yard", "narrow-pass"] * 2
    page = (folder / "out/standings.html").read_text()
    assert "<h1>Small cup</h1>" in page
    assert "Ratings" not in page
    wrong = tiltyard("", "publish", "-p", "markdwon")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: no publisher is called 'markdwon'; did you mean markdown?\n")


def test_options_are_checked_with_the_file(tiltyard: RunCommand, folder: Path) -> None:
    wrong = ["{name: csv, fodler: x}", "{name: html, tables: standings}", "{name: json, tables: [seats, mapz]}", "stie"]
    done = tiltyard("publication:\n  publishers:\n" + "".join(f"    - {entry}\n" for entry in wrong), "run")
    assert done.stderr.splitlines() == [
        "error: cup.yaml:8: publication.publishers[1].fodler: unknown key; did you mean folder?",
        "cup.yaml:9: publication.publishers[2].tables: expected a list, got 'standings'",
        "cup.yaml:10: publication.publishers[3].tables[2]: unknown value 'mapz'; did you mean maps?",
        "cup.yaml:11: publication.publishers[4]: no publisher is called 'stie'; did you mean site?",
        "cup.yaml: 4 problems; nothing was played",
        "help: tiltyard explain tournament-file",
    ]
