from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from typer.testing import CliRunner

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_matchups.commands import round_robin
from tiltyard_matchups.commands.round_robin import app
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output import result_files
from tiltyard_simulator.play.executor import Ended, Executor, InlineExecutor
from tiltyard_tournaments.store import Store

RUNNER = CliRunner()
Files = dict[str, bytes]


@pytest.fixture
def words(tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three sound teams on two maps."""
    monkeypatch.chdir(tmp_path)
    write_map("maps/a.txt")
    write_map("maps/b.txt", steps=2)
    (tmp_path / "teams").mkdir()
    shutil.copy(programs / "teams" / "sound.py", tmp_path / "teams")
    return ["teams", "--maps", "maps"]


def test_what_a_crash_means_belongs_to_the_matches_keys(
    tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_map("maps/a.txt", steps=9, shells=0)
    teams = [f"{programs / 'teams' / file}.py:{name}" for file, name in (("sound", "idler"), ("faulty", "crasher"))]
    words = [*teams, "--maps", "maps", "-o", "cup", "-w", "1", "--isolation", "inline"]
    seen = []
    for on_crash in ("void", "void", "idle", "forfeit"):
        assert RUNNER.invoke(app, [*words, "--on-crash", on_crash]).exit_code == 0
        with Store(tmp_path / "cup", writable=False) as store:
            stored = len(store.keys())
        standings = list(csv.DictReader((tmp_path / "cup" / "standings.csv").read_text().splitlines()))
        points = {row["algorithm"]: (row["points"], row["games"]) for row in standings}
        seen.append((stored, points["idler"], points["crasher"]))
    assert seen == [(2, ("0", "0"), ("0", "0"))] * 2 + [(4, ("2", "2"), ("2", "2")), (6, ("6", "2"), ("0", "2"))]


def files(folder: Path) -> Files:
    """All that people and other programs read."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".txt", ".csv")}


@contextmanager
def stopping(after: int, begun: list[MatchSpec]) -> Iterator[Executor]:
    """Plays ``after`` matches, then stops as Ctrl-C does; notes what it begins."""

    class Stopping(InlineExecutor):
        def poll(self, timeout: float) -> list[Ended]:
            if len(begun) == after:
                raise KeyboardInterrupt
            begun.extend(self._waiting)
            return super().poll(timeout)

    with closing(Stopping()) as executor:
        yield executor


@pytest.fixture
def stop_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[MatchSpec]]:
    """``stop_after(3)`` stops the next run after 3 matches; the list has the matches that it began."""

    def stop(count: int) -> list[MatchSpec]:
        begun: list[MatchSpec] = []
        monkeypatch.setattr(round_robin, "local_executor", lambda workers: stopping(count, begun))
        return begun

    return stop


@pytest.mark.parametrize(("limit", "status", "workers"), [("-n 64", 2, "1"), ("-n 64", 2, "2"), ("-S -n 64", 0, "2")])
def test_too_few_open_files_are_said_or_more_are_allowed(tmp_path: Path, limit: str, status: int, workers: str) -> None:
    words = f"round-robin acorn bramble --maps narrow-pass --isolation process --workers {workers} -o out"
    command = f"ulimit {limit}; exec {Path(sys.executable).with_name('tiltyard')} {words}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    message = (
        "on narrow-pass: the limit on open files is 64 (ulimit -n), but cells need 512; raise it, for example with 'ulimit -n 512'"
    )
    assert (message in done.stderr) == (status == 2)


def test_tables_on_the_screen_and_in_files(words: list[str], tmp_path: Path) -> None:
    done = RUNNER.invoke(app, [*words, "-w", "1", "-o", "cup"])
    assert done.exit_code == 0
    assert {path.name for path in (tmp_path / "cup").iterdir()} == {
        "tournament.sqlite",
        "running.lock",
        "results.txt",
        "standings.csv",
        "ratings.csv",
        "crosstable.csv",
        "maps.csv",
        "games.csv",
    }
    assert (tmp_path / "cup" / "results.txt").read_text() == done.stdout
    standings = list(csv.reader((tmp_path / "cup" / "standings.csv").read_text().splitlines()))
    assert [row[:3] for row in standings[1:]] == [["1", "shooter", "16"], ["2", "idler", "6"], ["2", "spinner", "6"]]
    ratings = list(csv.reader((tmp_path / "cup" / "ratings.csv").read_text().splitlines()))
    assert [row[0] for row in ratings] == ["algorithm", "shooter", "idler", "spinner"]
    assert int(ratings[1][1]) > 0 > int(ratings[2][1])
    assert len((tmp_path / "cup" / "games.csv").read_text().splitlines()) == 1 + 2 * 6


@pytest.mark.usefixtures("inline")
def test_files_do_not_depend_on_the_workers(words: list[str], tmp_path: Path) -> None:
    outputs = [RUNNER.invoke(app, [*words, "-w", number, "-o", f"cup{number}"]).stdout for number in ("1", "2")]
    assert outputs[0] == outputs[1]
    assert files(tmp_path / "cup1") == files(tmp_path / "cup2")


@pytest.mark.usefixtures("inline")
def test_the_default_folder_is_new_each_time(words: list[str], tmp_path: Path) -> None:
    for _ in range(2):
        assert RUNNER.invoke(app, [*words, "-w", "1"]).exit_code == 0
    assert len(list((tmp_path / "results").glob("round-robin_*"))) == 2


@pytest.mark.usefixtures("inline")
def test_a_folder_of_something_else_is_refused_before_play(
    words: list[str], tmp_path: Path, stop_after: Callable[[int], list[MatchSpec]]
) -> None:
    begun = stop_after(99)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").touch()
    done = RUNNER.invoke(app, [*words, "-o", "notes"])
    assert isinstance(done.exception, UserError)
    assert "notes: isn't empty; use a new folder, or the folder of an earlier round robin to resume it" in str(done.exception)
    assert begun == []
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["todo.txt"]


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("count", [0, 3])
def test_an_interrupted_run_keeps_what_was_played_and_says_so(
    words: list[str], tmp_path: Path, stop_after: Callable[[int], list[MatchSpec]], count: int
) -> None:
    stop_after(count)
    done = RUNNER.invoke(app, [*words, "-o", "cup"])
    assert done.exit_code == 130
    # The command itself says it too, as all commands do: see the tests of Ctrl-C.
    note = f"stopped after {count} of 12 games; run the same command with --output cup to resume"
    assert note in (tmp_path / "cup" / "results.txt").read_text()
    assert len((tmp_path / "cup" / "games.csv").read_text().splitlines()) == 1 + count


@pytest.mark.usefixtures("inline")
def test_a_second_run_plays_nothing_and_says_the_same(
    words: list[str], tmp_path: Path, stop_after: Callable[[int], list[MatchSpec]]
) -> None:
    first = RUNNER.invoke(app, [*words, "-w", "1", "-o", "cup"])
    before = files(tmp_path / "cup")
    begun = stop_after(0)
    second = RUNNER.invoke(app, [*words, "-o", "cup"])
    assert (second.exit_code, begun) == (0, [])
    assert second.stdout == first.stdout
    assert files(tmp_path / "cup") == before


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("count", [0, 7])
def test_after_an_interruption_the_rest_is_played_and_the_files_are_written_anew(
    words: list[str], tmp_path: Path, stop_after: Callable[[int], list[MatchSpec]], count: int
) -> None:
    whole = RUNNER.invoke(app, [*words, "-w", "1", "-o", "whole"])
    first = stop_after(count)
    assert RUNNER.invoke(app, [*words, "-o", "cup"]).exit_code == 130
    assert files(tmp_path / "cup") != files(tmp_path / "whole")
    second = stop_after(99)
    done = RUNNER.invoke(app, [*words, "-o", "cup"])
    assert done.exit_code == 0, done.output
    assert (len(first), len(second)) == (count, 12 - count)
    assert not {spec.place.key for spec in first} & {spec.place.key for spec in second}
    assert done.stdout == whole.stdout
    assert files(tmp_path / "cup") == files(tmp_path / "whole")


@pytest.mark.usefixtures("inline")
def test_another_team_plays_against_those_that_have_met(
    words: list[str], tmp_path: Path, stop_after: Callable[[int], list[MatchSpec]]
) -> None:
    assert RUNNER.invoke(app, [*words, "-w", "1", "-o", "cup"]).exit_code == 0
    begun = stop_after(99)
    assert RUNNER.invoke(app, [*words, "acorn", "-o", "cup"]).exit_code == 0
    assert len(begun) == 2 * 2 * 3
    assert all("acorn" in spec.input.names for spec in begun)
    assert len((tmp_path / "cup" / "games.csv").read_text().splitlines()) == 1 + 2 * 12


@pytest.mark.usefixtures("inline")
def test_faults_of_an_interrupted_run_are_kept_when_it_resumes(
    words: list[str], tmp_path: Path, programs: Path, stop_after: Callable[[int], list[MatchSpec]]
) -> None:
    crasher = str(programs / "teams" / "faulty.py") + ":crasher"
    command = ["teams/sound.py:idler", crasher, *words[1:], "-v", "-o", "cup"]
    stop_after(1)
    assert RUNNER.invoke(app, command).exit_code == 130
    assert [path.name for path in (tmp_path / "cup" / "faults").iterdir()] == ["0001_a_idler_crasher"]
    stop_after(99)
    done = RUNNER.invoke(app, command)
    assert done.exit_code == 0, done.output
    assert sorted(path.name[:4] for path in (tmp_path / "cup" / "faults").iterdir()) == ["0001", "0002"]
    # The first game's output file is of the first run, the other three are of the second.
    assert len(list(tmp_path.glob("output_*"))) == 4


@pytest.mark.usefixtures("inline")
def test_maps_of_one_name_stay_apart(words: list[str], tmp_path: Path, write_map: WriteMap) -> None:
    write_map("other/a.txt", steps=3)
    maps = ["--maps", "maps/a.txt", "--maps", "other/a.txt", "--maps", "maps/a.txt"]
    done = RUNNER.invoke(app, ["teams/sound.py:shooter", "teams/sound.py:idler", *maps, "-w", "1", "-o", "cup"])
    assert done.exit_code == 0, done.output
    rows = list(csv.reader((tmp_path / "cup" / "maps.csv").read_text().splitlines()))
    assert [row[0] for row in rows[1:]] == ["a", "a (2)"]
    assert len((tmp_path / "cup" / "games.csv").read_text().splitlines()) == 1 + 2 * 2


def test_the_game_follows_from_what_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = RUNNER.invoke(app, ["heat", "nearest", "--maps", "map00", "-w", "1", "-o", "cup", "-f", "csv"])
    assert done.exit_code == 0, done.output
    with Store(tmp_path / "cup", writable=False) as store:
        played = list(store.matches())
    assert {(match.spec.input.game.name, match.spec.input.manager.name, match.spec.input.map.name) for match in played} == {
        ("filler", "filler", "map00")
    }
    assert [match.record.outcome.teams for match in played] == [("heat", "nearest"), ("nearest", "heat")]
    assert all(match.record.outcome.counts and not match.record.outcome.faults for match in played)


@pytest.mark.usefixtures("inline")
def test_results_that_cannot_be_written_are_still_shown(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(text: str) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(result_files, "encode", full)
    done = RUNNER.invoke(app, [*words, "-w", "1", "-o", "cup"])
    assert isinstance(done.exception, UserError)
    assert "shooter" in done.stdout


@pytest.mark.usefixtures("inline")
def test_a_reader_that_goes_away_takes_no_results_with_it(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*texts: str, **options: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(round_robin, "print", gone, raising=False)
    RUNNER.invoke(app, [*words, "-w", "1", "-o", "cup"])
    assert "games.csv" in files(tmp_path / "cup")


@pytest.mark.usefixtures("inline")
def test_an_installed_name_is_meant_before_a_folder_of_that_name(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "acorn").mkdir()
    done = RUNNER.invoke(app, ["acorn", *words, "-w", "1", "-f", "csv"])
    assert done.exit_code == 0
    assert ",acorn," in done.stdout


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize(
    ("changed", "error", "part"),
    [
        (["teams/sound.py:idler"], UserError, "needs at least 2"),
        # The maps tell the game.
        (["idler"], NotFoundError, "no algorithm is called 'idler'"),
        (["idler", "--game", "tanks"], NotFoundError, "no algorithm is called 'idler'"),
        (["acorn", "idler"], NotFoundError, "no algorithm is called 'idler'"),
        (["acorn", "heat"], UserError, "aren't all for one game"),
        (["teams", "--game", "tank"], NotFoundError, "no game is called 'tank'; did you mean tanks"),
        (["acorn", "acorn=bramble"], UserError, "two algorithms are called 'acorn'; rename one of them with NAME=PATH"),
        (["teams", "--manager", "refrence"], NotFoundError, "did you mean reference"),
        (["teams", "--maps", "missing/"], UserError, "cannot be read"),
        (["teams", "--format", "x"], NotFoundError, "no table format"),
    ],
)
def test_mistakes_cost_nothing(words: list[str], tmp_path: Path, changed: list[str], error: type[UserError], part: str) -> None:
    shutil.copytree(tmp_path / "teams", tmp_path / "copy")
    done = RUNNER.invoke(app, [*changed, *words[1:]])
    assert isinstance(done.exception, error)
    assert part in str(done.exception)
    assert not (tmp_path / "results").exists()


@pytest.mark.usefixtures("inline")
def test_json_is_one_object_of_all_tables(words: list[str]) -> None:
    done = RUNNER.invoke(app, [*words, "-w", "1", "-f", "json"])
    found = json.loads(done.stdout)
    assert next(iter(found)) == "Standings"
    assert found["Standings"][0]["algorithm"] == "shooter"
    assert list(found)[4:] == ["notes"]
    assert found["notes"] == ["One number fits: no results are further from the ratings than luck explains."]


def test_two_versions_of_one_team(words: list[str], tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "teams", tmp_path / "old")
    named = ["v2=teams/sound.py:idler", "Team Rocket=old/sound.py:idler", "müller=acorn", "old/sound.py:idler"]
    done = RUNNER.invoke(app, [*named[:3], *words[1:], "-w", "1", "-f", "json", "--limit", "v2:move_seconds=2", "-o", "cup"])
    assert done.exit_code == 0, done.output
    assert {line["algorithm"] for line in json.loads(done.stdout)["Standings"]} == {"v2", "Team Rocket", "müller"}
    done = RUNNER.invoke(app, [named[0], named[3], *words[1:], "-w", "1", "-f", "json"])
    assert {line["algorithm"] for line in json.loads(done.stdout)["Standings"]} == {"v2", "idler"}


@pytest.mark.usefixtures("inline")
def test_nobody_is_thrown_out_by_a_name_that_another_declares(words: list[str], tmp_path: Path) -> None:
    shutil.copy(tmp_path / "teams" / "sound.py", tmp_path / "teams" / "aaa.py")
    done = RUNNER.invoke(app, [*words, "-w", "1", "-f", "csv"])
    assert done.exit_code == 0, done.output
    for name in ("aaa: idler", "sound: idler"):
        assert f",{name}," in done.stdout
    assert "the name 'idler' is also another team's, so this one is shown as 'aaa: idler'" in done.stderr


@pytest.mark.usefixtures("inline")
def test_a_team_named_twice_plays_once(words: list[str]) -> None:
    once, twice = (RUNNER.invoke(app, [*named, *words[1:], "-w", "1"]).stdout for named in (["teams"], ["teams", "teams"]))
    assert once == twice
