from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from tests.made_records import made_record
from tests.made_specs import made_spec

from tiltyard_checks.faults.fault_reading import read_fault_folder
from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import INTERRUPTED, end_well
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.results import GameResult
from tiltyard_matchups import competition as mode
from tiltyard_matchups import new_file, output_files, reports
from tiltyard_matchups.competition import CompetitionOptions, prepare_competition, run_competition
from tiltyard_matchups.output_files import LogWriter
from tiltyard_matchups.simulator_command import main
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import labelled
from tiltyard_simulator.play.executor import Finished
from tiltyard_simulator.play.local_matches import run_matches
from tiltyard_simulator.registry.finder import Finder


@pytest.fixture
def competition(tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Words for a competition of six teams on three maps, two of them of the same stem; run in ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    for name in ("maps/a.txt", "maps/a.map", "maps/b.txt"):
        write_map(name, steps=len(name) + 5 * name.count("map"))
    folder = tmp_path / "teams"
    folder.mkdir()
    shutil.copy(programs / "teams" / "sound.py", folder)
    shutil.copy(programs / "teams" / "faulty.py", folder)
    text = (folder / "faulty.py").read_text()
    (folder / "faulty.py").write_text(text.replace('    yield TankTeam("dier", player=QuietPlayer, tank=Dier)\n', ""))
    return ("-competition", "game_maps_folder=maps", "game_manager=reference", "algorithms_folder=teams", "-verbose")


def written(folder: Path, pattern: str) -> dict[str, bytes]:
    """The files that match, and away with them."""
    found = {path.name: path.read_bytes() for path in sorted(folder.glob(pattern))}
    for name in found:
        (folder / name).unlink()
    return found


@pytest.mark.usefixtures("inline")
def test_files_and_screen_do_not_depend_on_the_workers(
    competition: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []
    for number in (1, 3):
        assert main([*competition, f"num_threads={number}"]) == 0
        results = list(written(tmp_path / "teams", "competition_*.txt").values())
        seen.append((results, written(tmp_path, "output_*"), capsys.readouterr().out))
    assert seen[0] == seen[1]
    assert len(seen[0][1]) == 15


@pytest.mark.usefixtures("inline")
def test_verbose_files_are_named_after_the_game(competition: tuple[str, ...], tmp_path: Path) -> None:
    assert main(competition) == 0
    names = set(written(tmp_path, "output_*"))
    assert {"output_a_reference_crasher_liar.txt", "output_b_reference_crasher_shooter.txt"} <= names


@pytest.mark.usefixtures("inline")
def test_each_run_has_a_results_file_of_its_own(
    competition: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "time_stamp", lambda: "now")
    for _ in range(2):
        assert main(competition[:-1]) == 0
    found = written(tmp_path / "teams", "competition_*")
    assert list(found) == ["competition_now.txt", "competition_now_2.txt"]
    assert len(set(found.values())) == 1


@pytest.mark.usefixtures("inline")
def test_the_results_file_holds_scores(competition: tuple[str, ...], tmp_path: Path) -> None:
    assert main(competition[:-1]) == 0
    (text,) = written(tmp_path / "teams", "competition_*").values()
    lines = text.decode().splitlines()
    assert lines[:3] == ["game_maps_folder=maps", "game_manager=reference", ""]
    scores = [(-int(line.split()[1]), line.split()[0]) for line in lines[3:]]
    assert len(scores) == 6
    assert scores == sorted(scores)


@pytest.mark.usefixtures("inline")
def test_results_that_cannot_be_written_are_shown(
    competition: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(competition[:-1]) == 0
    (text,) = written(tmp_path / "teams", "competition_*").values()
    capsys.readouterr()

    def full(text: str) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(new_file, "encode", full)
    assert main(competition[:-1]) == 1
    out, err = capsys.readouterr()
    assert "cannot be written: No space left on device" in err
    assert out.startswith(text.decode())


@pytest.mark.usefixtures("inline")
def test_an_output_file_that_cannot_be_written_stops_nothing(
    competition: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(folder: Path, stem: str, suffix: str, data: bytes) -> None:
        raise UserError(f"{stem}{suffix}: cannot be written: No space left on device")

    monkeypatch.setattr(output_files, "write_new", write)
    assert main(competition) == 1
    assert "cannot be written: No space left on device" in capsys.readouterr().err
    assert len(written(tmp_path / "teams", "competition_*")) == 1


@pytest.mark.usefixtures("inline")
def test_a_plugin_that_fails_is_reported_and_left_out(
    competition: tuple[str, ...], tmp_path: Path, programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(programs / "broken" / "syntax_error.py", tmp_path / "teams")
    assert main(competition[:-1]) == 0
    assert "syntax_error.py" in capsys.readouterr().err


@pytest.mark.usefixtures("inline")
def test_too_few_algorithms_or_maps_are_refused(
    competition: tuple[str, ...], tmp_path: Path, programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = tmp_path / "one"
    one.mkdir()
    shutil.copy(programs / "teams" / "scripted.py", one)
    (one / "scripted.py").write_text((one / "scripted.py").read_text().replace('    yield TankTeam("script2"', '    TankTeam("x"'))
    assert main([*competition[:3], "algorithms_folder=one"]) == 2
    assert "one: contains 1 usable algorithm for tanks; at least 2 are needed" in capsys.readouterr().err
    assert main(["-competition", "game_maps_folder=teams", *competition[2:4]]) == 2
    assert "teams: contains no usable map for tanks" in capsys.readouterr().err


def test_an_interrupted_competition_shows_what_it_has(
    competition: tuple[str, ...],
    tmp_path: Path,
    registry: Registry,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = CompetitionOptions(game_maps_folder="maps", game_manager="reference", algorithms_folder="teams")
    ready = prepare_competition(options, Finder(registry))

    def some(specs: list[MatchSpec], workers: int, finished: Finished, most_faults: int, **_: object) -> None:
        run_matches(specs[:2], workers, finished)
        raise KeyboardInterrupt

    monkeypatch.setattr(mode, "run_matches", some)
    assert end_well(lambda: run_competition(ready, options)) == INTERRUPTED
    out, err = capsys.readouterr()
    assert err.endswith("'tiltyard run' and 'round-robin' save each game\n")
    assert "stopped after 2 of 15 games; the table shows these. No results file was written, and no game is saved" in err
    assert "shooter" in out
    assert written(tmp_path / "teams", "competition_*") == {}


@pytest.mark.usefixtures("inline")
def test_faults_are_kept_beside_the_results_where_that_is_wanted(
    competition: tuple[str, ...], tmp_path: Path, registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    options = CompetitionOptions(game_maps_folder="maps", game_manager="reference", algorithms_folder="teams", keep_faults=True)
    assert run_competition(prepare_competition(options, Finder(registry)), options) == 0
    (folder,) = (tmp_path / "teams").glob("competition_*_faults")
    assert (tmp_path / "teams" / f"{folder.name.removesuffix('_faults')}.txt").exists()
    told = rf"faults: teams/{folder.name}: \d+ matches; 'tiltyard debug --whole-match' plays one again"
    assert re.search(told, capsys.readouterr().err)
    assert len(list(folder.iterdir())) == sum(1 for path in folder.iterdir() if read_fault_folder(path).faults)
    shutil.rmtree(folder)
    written(tmp_path / "teams", "competition_*")
    assert main(competition[:-1]) == 0
    assert list(written(tmp_path / "teams", "competition_*")) != []
    assert not list((tmp_path / "teams").glob("*_faults"))


@pytest.mark.usefixtures("inline")
def test_comparative_writes_into_the_managers_folder_or_here(
    tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "managers").mkdir()
    shutil.copy(programs / "managers" / "wrapped.py", tmp_path / "managers")
    (tmp_path / "managers" / "zzz.py").write_text((programs / "managers" / "faulty.py").read_text())
    words = ["-comparative", f"game_map={write_map()}", "algorithm1=acorn", "algorithm2=acorn", "-verbose"]
    assert main([*words, "game_managers_folder=managers", "num_threads=2"]) == 0
    (text,) = written(tmp_path / "managers", "comparative_results_*").values()
    groups = text.decode().split("\n\n")[1:]
    sizes = [len(each.splitlines()[0].split(", ")) for each in groups]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == 11 * 3 + 2 * 2 + 2 + 7
    out, err = capsys.readouterr()
    assert "fault of GameManager late-crash: crash" in out
    assert "silent-reference doesn't write output files" in err
    assert "output_duel_recorded-reference_acorn_acorn.txt" in written(tmp_path, "output_*")
    assert main([*words[:-1], "game_managers_folder=installed"]) == 0
    assert len(written(tmp_path, "comparative_results_*")) == 1


@pytest.fixture
def take(
    tmp_path: Path, tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference], monkeypatch: pytest.MonkeyPatch
) -> Callable[[LogWriter, int], None]:
    """``take(logs, place)`` gives it the game of that place; files go to ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    spec = made_spec(game=tanks, manager=reference_manager, map=MapSource("m", b""), teams=(teams["idler"], teams["idler"]))

    def take(logs: LogWriter, place: int) -> None:
        placed = spec.at(place)
        logs.finished(placed, labelled(made_record(claim=GameResult(0, "x", 1, (), log=f"game {place}\n"), ranks=(1, 1)), placed))

    return take


def test_output_files_are_written_in_the_order_of_the_schedule(tmp_path: Path, take: Callable[[LogWriter, int], None]) -> None:
    logs = LogWriter()
    for place in (2, 1, 0):
        assert list(tmp_path.iterdir()) == []
        take(logs, place)
    assert {name: text.decode() for name, text in written(tmp_path, "*").items()} == {
        "output_m_reference_idler_idler.txt": "game 0\n",
        "output_m_reference_idler_idler_2.txt": "game 1\n",
        "output_m_reference_idler_idler_3.txt": "game 2\n",
    }
    assert logs.status == 0
    logs.close()
    assert list(tmp_path.iterdir()) == []


def test_what_waits_for_games_that_were_not_played_is_written_at_the_end(
    tmp_path: Path, take: Callable[[LogWriter, int], None]
) -> None:
    logs = LogWriter()
    for place in (5, 0, 3):
        take(logs, place)
    assert len(list(tmp_path.iterdir())) == 1
    logs.close()
    logs.close()
    assert {name: text.decode() for name, text in written(tmp_path, "*").items()} == {
        "output_m_reference_idler_idler.txt": "game 0\n",
        "output_m_reference_idler_idler_2.txt": "game 3\n",
        "output_m_reference_idler_idler_3.txt": "game 5\n",
    }


def test_an_output_file_that_cannot_be_written_at_the_end_is_said(
    tmp_path: Path, take: Callable[[LogWriter, int], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(text: str) -> bytes:
        raise OSError(28, "No space left on device")

    logs = LogWriter()
    take(logs, 1)
    monkeypatch.setattr(new_file, "encode", full)
    logs.close()
    assert logs.status == 1
    assert "cannot be written: No space left on device" in capsys.readouterr().err
