from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator import fault_folders
from tiltyard_simulator.code_digest import code_digest
from tiltyard_simulator.fault_folders import (
    FaultFolders,
    culprits,
    folder_name,
    is_fault_folder,
    read_conversation,
    read_fault_folder,
    write_fault_folder,
)
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.playing import NO_CLAIM, play_match
from tiltyard_simulator.rerunning import same_faults
from tiltyard_simulator.specs import Exchange, MapSource, MatchOutcome, MatchSpec, SeatAccount

SOURCE = MapSource("a map/of mine", map_text(DUEL, 20, 5).encode())
CRASH = Fault(1, Termination.CRASH, "boom", 3, "Traceback: here\n")


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    held = (Isolation.PROCESS, Isolation.INLINE)
    limits = (Limits(move_seconds=0.5), Limits())
    return MatchSpec(tanks, reference_manager, SOURCE, (teams["crasher"], teams["idler"]), seed=7, isolations=held, limits=limits)


def failed(*faults: Fault) -> MatchOutcome:
    exchanges = (Exchange(b"question", b"answer"), Exchange(b"last", b""))
    accounts = (SeatAccount("process", b"printed\xff", peak_bytes=30 << 20, conversation=exchanges), SeatAccount("inline"))
    return MatchOutcome(NO_CLAIM, 2, (2, 1), faults or (CRASH,), accounts=accounts)


def test_all_of_a_match_comes_back(spec: MatchSpec, tmp_path: Path) -> None:
    outcome = failed()
    write_fault_folder(tmp_path / "x", spec, outcome)
    record = read_fault_folder(tmp_path / "x")
    assert (record.spec, record.faults, record.message, record.held) == (spec, (CRASH,), outcome.message, ("process", "inline"))
    assert read_conversation(tmp_path / "x", 1) == outcome.accounts[0].conversation
    assert read_conversation(tmp_path / "x", 2) == ()
    assert (tmp_path / "x" / "seat1.txt").read_bytes() == b"printed\xff"
    assert record.changed() == []
    text = (tmp_path / "x" / "fault.txt").read_text()
    assert "crasher, player 1, round 3: crash\nboom\nheld: process; at most 30 MiB of memory\n\nTraceback: here\n" in text
    commands = (tmp_path / "x" / "README.txt").read_text()
    assert f"tiltyard rerun {tmp_path / 'x'}\n" in commands
    assert f"tiltyard debug {tmp_path / 'x'} --seat 1\n" in commands
    assert is_fault_folder(tmp_path / "x")
    assert not is_fault_folder(tmp_path)


def test_a_managers_fault_keeps_what_it_printed(spec: MatchSpec, tmp_path: Path) -> None:
    account = SeatAccount("sandbox, level A", b"a manager's words", peak_bytes=40 << 20)
    write_fault_folder(tmp_path / "x", spec, replace(failed(replace(CRASH, seat=0)), manager_account=account))
    assert (tmp_path / "x" / "manager.txt").read_bytes() == b"a manager's words"
    assert not (tmp_path / "x" / "seat1.txt").exists()
    assert "held: sandbox, level A; at most 40 MiB of memory" in (tmp_path / "x" / "fault.txt").read_text()


def test_a_real_match_is_played_again(spec: MatchSpec, tmp_path: Path) -> None:
    outcome = play_match(spec)
    write_fault_folder(tmp_path / "x", spec, outcome)
    record = read_fault_folder(tmp_path / "x")
    again = play_match(record.spec)
    assert same_faults(record, again)
    assert again.faults == outcome.faults
    assert len(read_conversation(tmp_path / "x", 1)) == 5
    assert not same_faults(record, replace(again, faults=()))
    assert not same_faults(record, replace(again, faults=(replace(CRASH, round=4),)))
    assert same_faults(record, replace(again, faults=(replace(CRASH, message="in other words"),)))


def test_names_that_no_file_may_have(spec: MatchSpec) -> None:
    assert folder_name(11, spec) == "0012_a-map-of-mine_crasher_idler"
    assert folder_name(0, replace(spec, map=MapSource("..", b""), algorithms=())) == "0001_x"


def test_odd_words_are_kept(spec: MatchSpec, tmp_path: Path) -> None:
    write_fault_folder(tmp_path / "x", spec, failed(replace(CRASH, message="\udc80", traceback="\ud800")))
    assert read_fault_folder(tmp_path / "x").faults[0].message == "\\udc80"


def test_whose_faults(spec: MatchSpec) -> None:
    faults = [Fault(0, Termination.CRASH, ""), CRASH, CRASH, Fault(2, Termination.VOID, "")]
    assert culprits(spec, failed(*faults)) == ["GameManager reference", "crasher"]


def places(folder: Path) -> list[int]:
    return sorted(int(path.name[:4]) - 1 for path in folder.iterdir())


@pytest.mark.parametrize("order", [range(9), range(8, -1, -1), (4, 0, 8, 2, 6, 1, 3, 5, 7)])
def test_of_each_teams_faults_the_first_are_kept_whoever_finishes_first(
    spec: MatchSpec, teams: Mapping[str, Reference], tmp_path: Path, order: tuple[int, ...]
) -> None:
    folders = FaultFolders(tmp_path / "faults", most=3)
    assert folders.summary() == ""
    for place in order:
        algorithms = (teams["crasher"], teams["liar"])
        # crasher fails always, liar in the last two matches too
        faults = (CRASH, replace(CRASH, seat=2)) if place > 6 else (CRASH,)
        folders.finished(place, replace(spec, algorithms=algorithms), failed(*faults))
    folders.finished(9, spec, failed(Fault(1, Termination.VOID, "the machine")))
    assert places(tmp_path / "faults") == [0, 1, 2, 7, 8]
    assert folders.summary() == (
        f"faults: {tmp_path / 'faults'}: 5 matches (of 9 faults of crasher the first 3); 'tiltyard rerun' plays one again"
    )
    forfeit = failed(replace(CRASH, termination=Termination.FORFEIT))
    folders.settle([failed()] * 7 + [forfeit])
    assert places(tmp_path / "faults") == [0, 1, 2, 8]
    folders.settle([forfeit] * 9)
    assert folders.summary() == ""


def test_a_folder_that_cannot_be_written_is_said_and_stops_nothing(spec: MatchSpec, tmp_path: Path) -> None:
    (tmp_path / "faults").write_text("in the way")
    folders = FaultFolders(tmp_path / "faults")
    for place in range(3):
        folders.finished(place, spec, failed())
    assert (
        folders.summary()
        == f"not all faults are kept: {tmp_path}/faults/0001_a-map-of-mine_crasher_idler: cannot be written: " + ("Not a directory")
    )


def test_code_that_was_changed_since(spec: MatchSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_fault_folder(tmp_path / "x", spec, failed())
    source = spec.algorithms[0].source
    now = code_digest
    monkeypatch.setattr(fault_folders, "code_digest", lambda other: "new" if other == source else now(other))
    assert read_fault_folder(tmp_path / "x").changed() == ["crasher"]


def test_what_is_no_fault_folder(spec: MatchSpec, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    with pytest.raises(UserError, match=r"not the folder of a fault: match\.json cannot be read"):
        read_fault_folder(folder)
    write_fault_folder(folder, spec, failed())
    record = json.loads((folder / "match.json").read_text())
    for changes, message in (
        ({"version": 2}, "expected format 'tiltyard fault' of version 1, found 'tiltyard fault' of version 2"),
        ({"format": None}, "Expected `str`, got `null`"),
        ({"spec": {}}, "missing required field"),
    ):
        (folder / "match.json").write_text(json.dumps({**record, **changes}))
        with pytest.raises(UserError, match=message):
            read_fault_folder(folder)
    (folder / "match.json").write_text("{")
    with pytest.raises(UserError, match="truncated"):
        read_fault_folder(folder)
    (folder / "seat1.conversation").write_bytes(b"\x01")
    with pytest.raises(UserError, match="not the recording of a seat"):
        read_conversation(folder, 1)


def test_a_team_that_is_gone(spec: MatchSpec, tmp_path: Path) -> None:
    gone = replace(spec.algorithms[0], source=replace(spec.algorithms[0].source, value=str(tmp_path / "gone.py")))
    away = replace(spec.manager, source=replace(spec.manager.source, name="away"))
    for number, (changed, message) in enumerate(
        [
            (replace(spec, algorithms=(gone, spec.algorithms[1])), r"'crasher' came from .*gone\.py, which is not there any more"),
            (replace(spec, manager=away), r"the game manager 'reference' came from away .*, which is not installed any more"),
        ]
    ):
        write_fault_folder(tmp_path / str(number), changed, failed())
        with pytest.raises(UserError, match=message):
            read_fault_folder(tmp_path / str(number))
