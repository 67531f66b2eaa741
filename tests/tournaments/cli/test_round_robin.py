from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from typer.testing import CliRunner

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_simulator import result_files
from tiltyard_simulator.running import Finished, run_matches
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_tournaments.cli import round_robin
from tiltyard_tournaments.cli.round_robin import app

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


def files(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_tables_on_the_screen_and_in_files(words: list[str], tmp_path: Path) -> None:
    done = RUNNER.invoke(app, [*words, "-w", "1", "-o", "cup"])
    assert done.exit_code == 0
    assert set(files(tmp_path / "cup")) == {
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


@pytest.mark.parametrize("workers", ["2", "7"])
def test_files_do_not_depend_on_the_workers(words: list[str], tmp_path: Path, workers: str) -> None:
    outputs = [RUNNER.invoke(app, [*words, "-w", number, "-o", f"cup{number}"]).stdout for number in ("1", workers)]
    assert outputs[0] == outputs[1]
    assert files(tmp_path / "cup1") == files(tmp_path / f"cup{workers}")


def test_the_default_folder_is_new_each_time(words: list[str], tmp_path: Path) -> None:
    for _ in range(2):
        assert RUNNER.invoke(app, [*words, "-w", "1"]).exit_code == 0
    assert len(list((tmp_path / "results").glob("round-robin_*"))) == 2


def test_a_folder_with_something_in_it_is_refused_before_play(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_robin, "run_matches", None)
    done = RUNNER.invoke(app, [*words, "-o", "teams"])
    assert isinstance(done.exception, UserError)
    assert "is not empty" in str(done.exception)


def stop_after(count: int) -> Callable[[Sequence[MatchSpec], int, Finished, int], list[MatchOutcome]]:
    def run(specs: Sequence[MatchSpec], workers: int, finished: Finished, most_faults: int) -> list[MatchOutcome]:
        run_matches(specs[:count], workers, finished)
        raise KeyboardInterrupt

    return run


@pytest.mark.parametrize("count", [0, 3])
def test_an_interrupted_run_keeps_what_was_played_and_says_so(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(round_robin, "run_matches", stop_after(count))
    done = RUNNER.invoke(app, [*words, "-o", "cup"])
    assert done.exit_code == 130
    assert f"stopped after {count} of 12 games" in done.stderr
    assert f"stopped after {count} of 12 games" in (tmp_path / "cup" / "results.txt").read_text()
    assert len((tmp_path / "cup" / "games.csv").read_text().splitlines()) == 1 + count


def test_results_that_cannot_be_written_are_still_shown(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(text: str) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(result_files, "encode", full)
    done = RUNNER.invoke(app, [*words, "-w", "1", "-o", "cup"])
    assert isinstance(done.exception, UserError)
    assert "shooter" in done.stdout


def test_a_reader_that_goes_away_takes_no_results_with_it(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*texts: str, **options: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(round_robin, "print", gone, raising=False)
    RUNNER.invoke(app, [*words, "-w", "1", "-o", "cup"])
    assert "games.csv" in files(tmp_path / "cup")


def test_an_installed_name_is_meant_before_a_folder_of_that_name(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "acorn").mkdir()
    done = RUNNER.invoke(app, ["acorn", *words, "-w", "1", "-f", "csv"])
    assert done.exit_code == 0
    assert ",acorn," in done.stdout


@pytest.mark.parametrize(
    ("changed", "error", "part"),
    [
        (["teams/sound.py:idler"], UserError, "needs at least 2"),
        (["idler"], NotFoundError, "no algorithm is called 'idler'"),
        (["teams", "copy/sound.py:idler"], UserError, "two algorithms are both called 'idler'"),
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


def test_json_is_one_object_of_all_tables(words: list[str]) -> None:
    done = RUNNER.invoke(app, [*words, "-w", "1", "-f", "json"])
    found = json.loads(done.stdout)
    assert next(iter(found)) == "Standings"
    assert found["Standings"][0]["algorithm"] == "shooter"
    assert len(found) == 4


def test_a_team_named_twice_plays_once(words: list[str]) -> None:
    once, twice = (RUNNER.invoke(app, [*named, *words[1:], "-w", "1"]).stdout for named in (["teams"], ["teams", "teams"]))
    assert once == twice
