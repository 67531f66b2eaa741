"""A tournament from its file to its tables, as an organiser runs it: stopped, killed, changed, and with mistakes in it."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import RunCommand, WriteMap
from tests.end_to_end.background import PATIENCE, Command, Start, commands_in, wait_until

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.store import Store, StoreLock

GONE_SECONDS = 20.0
KILLS = 4
TEAMS = ("acorn", "bramble", "shooting", "waiting")
STRANGERS = """
import time
from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

class Shooting(TankAlgorithm):
    action = ActionRequest.SHOOT
    def __init__(self, player_index, tank_index):
        pass
    def get_action(self):
        time.sleep(PAUSE)
        return self.action
    def update_battle_info(self, info):
        pass

class Waiting(Shooting):
    action = ActionRequest.DO_NOTHING

class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass

@hookimpl
def algorithms():
    yield TankTeam("NAME", Commander, TANK)
"""
ENDING = """

class Ending(Shooting):
    def __init__(self, player_index, tank_index):
        import os
        os._exit(7)
"""
CUP = """
title: Spring cup
game: tanks
teams: [teams/, acorn, bramble]
maps: maps/*.txt
games: GAMES
workers: 2
"""


SINGLE = "isolation: inline\nformat: {name: round-robin, seats: single}\n"


def stranger(name: str, tank: str, pause: float = 0.0) -> str:
    """The text of a team."""
    return STRANGERS.replace("NAME", name).replace("TANK", tank).replace("PAUSE", str(pause))


@pytest.fixture
def cup(tmp_path: Path, write_map: WriteMap) -> Callable[..., Path]:
    """``cup(games=, maps=)`` writes a tournament of two strangers' teams and two of the project's own.

    Where a run must not be over too soon, the strangers sleep before each move: ``pause=`` says for how many seconds.
    """

    def write(games: int = 1, maps: int = 2, pause: float = 0.0) -> Path:
        (tmp_path / "teams").mkdir(exist_ok=True)
        for name, tank in (("shooting", "Shooting"), ("waiting", "Waiting")):
            (tmp_path / "teams" / f"{name}.py").write_text(stranger(name, tank, pause))
        for number in range(maps):
            write_map(f"maps/m{number}.txt", steps=4 + number)
        path = tmp_path / "cup.yaml"
        path.write_text(CUP.replace("GAMES", str(games)))
        return path

    return write


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``start("run", "cup.yaml")`` starts ``tiltyard`` in ``tmp_path`` and its temporary files below it."""
    (tmp_path / "tmp").mkdir()
    with commands_in(tmp_path, TMPDIR=str(tmp_path / "tmp")) as run:
        yield partial(run, "tiltyard")


def events(text: str) -> list[dict[str, Any]]:
    """Events of ``--json``; a last line that was cut off is none."""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def played(text: str) -> list[dict[str, Any]]:
    return [event for event in events(text) if event["event"] == "match finished" and event["played"]]


def read_events(process: Command, matches: int) -> str:
    """What is printed up to the end of so many matches."""
    assert process.stdout is not None
    text, count = "", 0
    while count < matches and (line := process.stdout.readline()):
        text += line
        count += '"match finished"' in line
    return text


def read_rest(process: Command) -> tuple[str, str]:
    """All that is left of both streams; unlike communicate() with what ``read_events`` has buffered."""
    assert process.stdout is not None
    assert process.stderr is not None
    texts = process.stdout.read(), process.stderr.read()
    process.wait(PATIENCE)
    return texts


def below(pid: int) -> set[tuple[int, str]]:
    """All processes that come from one, each with the moment of its start."""
    found: set[tuple[int, str]] = set()
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return found
    for child in children:
        begun = status(child)[1]
        # One that has ended since it was listed has no start, and would be waited for in vain.
        found |= {(child, begun), *below(child)} if begun else set()
    return found


def status(pid: int) -> tuple[str, str]:
    """A process's state, a letter, and the moment of its start; empty when there is none."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", ""
    return words[0], words[19]


def test_from_the_file_to_the_tables(cup: Callable[..., Path], run_command: RunCommand, tmp_path: Path) -> None:
    path = cup()
    text = path.read_text()
    path.write_text(text + "isolation: inline\n")
    planned = run_command("tiltyard", "plan", "cup.yaml", "--trials", "2")
    assert planned.returncode == 0, planned.stderr
    assert "24 games\n" in planned.stdout
    assert "with 2 workers, at" in planned.stdout
    assert not (tmp_path / "cup").exists()
    for command in ("status", "standings", "export"):
        early = run_command("tiltyard", command, "cup.yaml")
        assert early.returncode == 2
        assert early.stderr.splitlines() == [
            "error: cup: nothing has been played here yet (tournament.sqlite is missing)",
            "help: tiltyard explain nothing-played",
        ]

    path.write_text(text)
    ran = run_command("tiltyard", "run", "cup.yaml", "--log", "cup.jsonl")
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.splitlines() == [
        "Spring cup: 4 teams, 0 games already played",
        ran.stderr.splitlines()[1],
        "results: cup",
    ]
    assert ran.stderr.splitlines()[1].startswith("finished: 24 games (24 played in this run) in ")
    log = events((tmp_path / "cup.jsonl").read_text())
    assert [event["event"] for event in log].count("match finished") == 24
    assert (log[0]["event"], log[-1]["event"], log[-1]["complete"]) == ("tournament started", "tournament finished", True)

    told = run_command("tiltyard", "status", "cup.yaml")
    assert told.stdout.splitlines() == ["Spring cup (round-robin, 4 teams, 2 maps)", "done: 24 games, complete"]
    shown = run_command("tiltyard", "standings", "cup.yaml")
    assert shown.stderr == ""
    assert ran.stdout.partition("\nIsolation")[0].rstrip() in shown.stdout
    table = json.loads(run_command("tiltyard", "standings", "cup.yaml", "-t", "standings", "-f", "json").stdout)
    assert {row["algorithm"]: row["games"] for row in table} == dict.fromkeys(TEAMS, 12)
    csv = run_command("tiltyard", "standings", "cup.yaml", "-t", "standings", "--format", "csv").stdout.splitlines()
    assert csv[0] == "place,algorithm,points,games,wins,ties,losses,faults,forfeits"
    assert [line.split(",")[3] for line in csv[1:]] == ["12"] * 4
    assert csv[-1].split(",")[1] == "waiting"
    assert "| waiting" in run_command("tiltyard", "standings", "cup.yaml", "--format", "github").stdout
    both = run_command("tiltyard", "standings", "cup.yaml", "-t", "games", "-t", "maps", "-f", "json").stdout
    assert [len(rows) for rows in json.loads(both).values()] == [24, 2]

    lines = [json.loads(line) for line in run_command("tiltyard", "export", "cup.yaml").stdout.splitlines()]
    assert lines[0] == {"kind": "tournament", "title": "Spring cup"}
    assert [line["kind"] for line in lines[1:]] == ["match"] * 24
    assert {line["key"] for line in lines[1:]} == {event["key"] for event in log if event["event"] == "match finished"}
    wrong = run_command("tiltyard", "standings", "cup.yaml", "-t", "standing")
    assert wrong.returncode == 2
    assert "standings" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_going_on_after_an_interrupt(cup: Callable[..., Path], start: Start, run_command: RunCommand, tmp_path: Path) -> None:
    path = cup(pause=0.1)
    path.write_text(path.read_text() + "isolation: inline\n")
    process = start("run", "cup.yaml", "--json")
    text = read_events(process, 5)
    os.killpg(process.pid, signal.SIGINT)
    rest, err = read_rest(process)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    first = {event["key"] for event in played(text + rest)}
    assert f"stopped; {len(first)} games are saved in cup; run the same command to resume" in err
    shown = run_command("tiltyard", "standings", "cup.yaml")
    assert f"{24 - len(first)} games must still be played: run 'tiltyard run cup.yaml'" in shown.stderr
    with StoreLock(tmp_path / "cup"):
        for command in ("standings", "publish"):
            shown = run_command("tiltyard", command, "cup.yaml")
            assert f"{24 - len(first)} games must still be played: a run is playing them now" in shown.stderr
    assert f"left: {24 - len(first)} games" in run_command("tiltyard", "status", "cup.yaml").stdout
    again = run_command("tiltyard", "run", "cup.yaml", "--json")
    assert again.returncode == 0
    second = {event["key"] for event in played(again.stdout)}
    assert not first & second
    assert len(first) + len(second) == 24
    assert "complete" in run_command("tiltyard", "status", "cup.yaml").stdout


def test_a_changed_team_plays_only_its_own_matches_again(cup: Callable[..., Path], run_command: RunCommand, tmp_path: Path) -> None:
    path = cup()
    path.write_text(path.read_text() + "isolation: inline\n")
    assert len(played(run_command("tiltyard", "run", "cup.yaml", "--json").stdout)) == 24
    assert played(run_command("tiltyard", "run", "cup.yaml", "--json").stdout) == []
    team = tmp_path / "teams" / "waiting.py"
    team.write_text(team.read_text().replace("DO_NOTHING", "MOVE_FORWARD"))
    again = played(run_command("tiltyard", "run", "cup.yaml", "--json").stdout)
    assert len(again) == 12
    assert all("waiting" in event["teams"] for event in again)
    assert "unused: 12 stored games" in run_command("tiltyard", "status", "cup.yaml").stdout
    # What no result depends on plays nothing again; a new map only itself.
    path.write_text(path.read_text().replace("Spring", "Autumn").replace("workers: 2", "workers: 1\nscoring: {win: 1}"))
    assert played(run_command("tiltyard", "run", "cup.yaml", "--json").stdout) == []
    (tmp_path / "maps" / "m9.txt").write_text((tmp_path / "maps" / "m0.txt").read_text())
    assert [event["map"] for event in played(run_command("tiltyard", "run", "cup.yaml", "--json").stdout)] == ["m9"] * 12


def test_what_the_machine_spoils_is_said_and_tried_again(cup: Callable[..., Path], run_command: RunCommand, tmp_path: Path) -> None:
    """Inline a team can end the process that plays its match: nobody can tell that from a failure of the machine."""
    path = cup(maps=1)
    (tmp_path / "ending.py").write_text(stranger("ending", "Ending") + ENDING)
    path.write_text(path.read_text().replace("[teams/, acorn, bramble]", "[ending.py, acorn, bramble]") + SINGLE)
    for _ in range(2):
        done = run_command("tiltyard", "run", "cup.yaml", "--log", "cup.jsonl")
        last = events((tmp_path / "cup.jsonl").read_text())[-1]
        assert (last["event"], last["complete"], last["voids"]) == ("tournament finished", False, 2)
        assert done.returncode == 1, done.stderr
        assert "not complete: 2 games failed because of the machine and don't count; 'tiltyard run cup.yaml' plays" in done.stderr
        assert "charged to no team" in done.stdout
    status = run_command("tiltyard", "status", "cup.yaml").stdout
    assert status.splitlines()[1:3] == [
        "done: 1 game",
        "void: 2 games failed because of the machine and don't count; 'tiltyard run cup.yaml' plays them again",
    ]
    assert "left:" not in status
    assert "faults:" not in status
    assert "the machine: " in status
    quick = run_command(
        "tiltyard", "round-robin", "ending.py", "acorn", "--maps", "maps", "--isolation", "inline", "-w", "2", "-o", "rr"
    )
    assert quick.returncode == 1
    assert "not complete: 2 games failed because of the machine; run the same command with --output rr to play" in quick.stderr
    for command in ("standings", "publish"):
        told = run_command("tiltyard", command, "cup.yaml")
        assert told.returncode == 0
        line = "not complete: 2 games failed because of the machine and don't count; 'tiltyard run cup.yaml' plays them again"
        assert line in told.stderr.splitlines()
    assert "2 games failed because of the machine." in (tmp_path / "cup" / "site" / "index.html").read_text()
    team = tmp_path / "ending.py"
    team.write_text(team.read_text().replace("os._exit(7)", "pass"))
    assert len(played(run_command("tiltyard", "run", "cup.yaml", "--json").stdout)) == 2
    assert "done: 3 games, complete" in run_command("tiltyard", "status", "cup.yaml").stdout


def test_a_second_run_at_once_is_refused(cup: Callable[..., Path], start: Start, run_command: RunCommand) -> None:
    path = cup(games=4, pause=0.1)
    path.write_text(path.read_text() + "isolation: inline\n")
    process = start("run", "cup.yaml", "--json")
    assert read_events(process, 1)
    second = run_command("tiltyard", "run", "cup.yaml")
    assert second.returncode == 2
    assert second.stderr == (
        f"error: cup: process {process.pid} is already running this tournament; wait until it ends, or stop it\n"
        "help: tiltyard explain already-running\n"
    )
    assert run_command("tiltyard", "status", "cup.yaml").returncode == 0


@pytest.mark.parametrize("words", [["run", "cup.yaml", "--json"], ["round-robin", *TEAMS[:2], "--maps", "maps", "-o", "cup"]])
def test_an_output_folder_that_is_removed_meanwhile_ends_the_run(
    cup: Callable[..., Path], start: Start, tmp_path: Path, words: list[str]
) -> None:
    path = cup(maps=80)
    path.write_text(path.read_text() + "isolation: inline\n")
    process = start(*words)
    store = tmp_path / "cup" / "tournament.sqlite"

    def something_is_stored() -> bool:
        # Where there is no store yet, or no table in it, there is no match either.
        with suppress(UserError), Store(store.parent, writable=False) as reader:
            return bool(reader.keys())
        return False

    wait_until(something_is_stored)
    shutil.rmtree(store.parent)
    _, err = read_rest(process)
    assert process.returncode == 2, err
    assert "error: cup/tournament.sqlite: was removed, moved or replaced during the run, so results can no longer be saved" in err
    assert "Traceback" not in err
    assert not store.exists()


def test_an_output_folder_that_cannot_be(cup: Callable[..., Path], run_command: RunCommand, tmp_path: Path) -> None:
    path = cup()
    (tmp_path / "taken").write_text("a file")
    reasons = {"taken": "is a file, expected a folder", "taken/cup": "cannot be made: ", "/proc/cup": "cannot be made: "}
    for output, reason in reasons.items():
        path.write_text(CUP.replace("GAMES", "1") + f"isolation: inline\noutput: {output}\n")
        done = run_command("tiltyard", "run", "cup.yaml")
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"error: {output}: {reason}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into a read-only folder")
def test_a_read_only_output_folder(cup: Callable[..., Path], run_command: RunCommand, tmp_path: Path) -> None:
    cup()
    (tmp_path / "cup").mkdir(mode=0o500)
    done = run_command("tiltyard", "run", "cup.yaml")
    assert done.returncode == 2
    assert "cup/running.lock: cannot be written: Permission denied" in done.stderr


def test_every_mistake_in_the_file_is_said_at_once(cup: Callable[..., Path], run_command: RunCommand, tmp_path: Path) -> None:
    cup()
    (tmp_path / "bad.yaml").write_text("game: tanks\nteams: [acron, bramble]\nmaps: gone.txt\nformat: {name: swis}\nscorring: 3\n")
    for command in ("run", "plan", "status", "standings", "export"):
        done = run_command("tiltyard", command, "bad.yaml")
        assert done.returncode == 2
        assert done.stdout == ""
        first, *lines, _ = done.stderr.splitlines()
        assert [line.split(" ")[0] for line in (first.removeprefix("error: "), *lines[:-1])] == [
            "bad.yaml:2:",
            "bad.yaml:3:",
            "bad.yaml:4:",
            "bad.yaml:5:",
        ]
        assert "acorn" in first
        assert "swiss" in lines[1]
        assert "did you mean scoring?" in lines[2]
        assert lines[-1] == "bad.yaml: 4 problems; nothing was played"
    assert not (tmp_path / "bad").exists()


def test_killed_at_any_moment_nothing_that_was_told_is_lost(
    cup: Callable[..., Path], start: Start, run_command: RunCommand, tmp_path: Path
) -> None:
    """Half of the kills come some matches after the first, which is when there is something to lose; half at any time."""
    path = cup(games=3, pause=0.02)
    path.write_text(path.read_text() + "isolation: inline\n")
    shutil.copy(path, tmp_path / "quiet.yaml")
    quiet = run_command("tiltyard", "run", "quiet.yaml")
    assert quiet.returncode == 0, quiet.stderr
    chance = random.Random(20261)
    every: set[tuple[int, str]] = set()
    told: set[str] = set()
    complete = 0
    for number in range(KILLS):
        process = start("run", "cup.yaml", "--json")
        text = read_events(process, chance.randint(1, 4)) if number % 2 else ""
        time.sleep(chance.uniform(0, 0.05) if number % 2 else chance.uniform(0, 1.2))
        every |= below(process.pid)
        process.kill()
        rest, err = read_rest(process)
        assert "Traceback" not in err
        now = {event["key"] for event in played(text + rest)}
        assert not now & told, "played again although it was told before"
        told |= now
        complete += '"tournament finished"' in rest
        if told:
            with Store(tmp_path / "cup", writable=False) as store:
                assert told <= store.keys()
    assert told
    assert complete < KILLS / 2, "too few matches to be killed in"
    last = run_command("tiltyard", "run", "cup.yaml", "--json")
    assert last.returncode == 0, last.stderr
    assert not {event["key"] for event in played(last.stdout)} & told
    for table in ([], ["-t", "games"]):
        shown = [run_command("tiltyard", "standings", name, *table).stdout for name in ("cup.yaml", "quiet.yaml")]
        assert shown[0] == shown[1] != ""
    with Store(tmp_path / "cup", writable=False) as store, Store(tmp_path / "quiet", writable=False) as undisturbed:
        assert len(store.keys()) == len(undisturbed.keys()) == 72
    wait_until(lambda: all(status(pid)[1] != begun or status(pid)[0] == "Z" for pid, begun in every), GONE_SECONDS)
    assert every
    ended = start("run", "cup.yaml")
    assert ended.wait(PATIENCE) == 0
    assert sorted(entry.name for entry in (tmp_path / "tmp").glob("tiltyard-*")) == []
