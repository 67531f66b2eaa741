from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.made_records import changed, made_record
from tests.made_specs import made_spec, spec_with

from tiltyard_checks.faults import fault_folders
from tiltyard_checks.faults.fault_folders import FaultFolders, culprits, folder_name, is_fault_folder, write_fault_folder
from tiltyard_checks.faults.fault_reading import read_conversation, read_fault_folder
from tiltyard_checks.faults.rerun import same_faults
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Exchange, MatchRecord, SeatAccount
from tiltyard_engine.registry import Reference, installed_sources
from tiltyard_engine.registry.sources import Origin, sources_of_team
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import labelled, play_match

SOURCE = MapSource("a map/of mine", map_text(DUEL, 20, 5).encode())
CRASH = Fault(1, Termination.CRASH, "boom", 3, "Traceback: here\n")


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    held = (Isolation.PROCESS, Isolation.INLINE)
    limits = (Limits(move_seconds=0.5), Limits())
    return made_spec(
        game=tanks,
        manager=reference_manager,
        map=SOURCE,
        teams=(teams["crasher"], teams["idler"]),
        seed=7,
        isolations=held,
        limits=limits,
    )


def failed(*faults: Fault) -> MatchRecord:
    exchanges = (Exchange(b"question", b"answer"), Exchange(b"last", b""))
    accounts = (
        SeatAccount(held="process", output=b"printed\xff", peak_bytes=30 << 20, conversation=exchanges),
        SeatAccount(held="inline"),
    )
    return made_record(
        teams=("crasher", "idler"), manager="reference", winner=2, ranks=(2, 1), faults=faults or (CRASH,), accounts=accounts
    )


def test_all_of_a_match_comes_back(spec: MatchSpec, tmp_path: Path) -> None:
    match = failed()
    write_fault_folder(tmp_path / "x", spec, match)
    record = read_fault_folder(tmp_path / "x")
    assert (record.spec, record.faults, record.message, record.held) == (
        spec,
        (CRASH,),
        match.outcome.message,
        ("process", "inline"),
    )
    assert read_conversation(tmp_path / "x", 1) == match.evidence.accounts[0].conversation
    assert read_conversation(tmp_path / "x", 2) == ()
    assert (tmp_path / "x" / "seat1.txt").read_bytes() == b"printed\xff"
    assert record.changed() == []
    text = (tmp_path / "x" / "fault.txt").read_text()
    assert "crasher, player 1, round 3: crash\nboom\n" in text
    assert "boom\nisolation: own process; at most 30 MiB of memory\n\n  | Traceback: here\n" in text
    commands = (tmp_path / "x" / "README.txt").read_text()
    assert f"tiltyard debug {tmp_path / 'x'} --whole-match\n" in commands
    assert f"tiltyard debug {tmp_path / 'x'} --seat 1\n" in commands
    assert is_fault_folder(tmp_path / "x")
    assert not is_fault_folder(tmp_path)


def test_a_managers_fault_keeps_what_it_printed(spec: MatchSpec, tmp_path: Path) -> None:
    account = SeatAccount(held="sandbox, level A", output=b"a manager's words", peak_bytes=40 << 20)
    write_fault_folder(tmp_path / "x", spec, changed(failed(replace(CRASH, seat=0)), manager_account=account))
    assert (tmp_path / "x" / "manager.txt").read_bytes() == b"a manager's words"
    assert not (tmp_path / "x" / "seat1.txt").exists()
    assert "isolation: sandboxed (level A); at most 40 MiB of memory" in (tmp_path / "x" / "fault.txt").read_text()


def test_a_real_match_is_played_again(spec: MatchSpec, tmp_path: Path) -> None:
    match = play_match(spec)
    write_fault_folder(tmp_path / "x", spec, match)
    record = read_fault_folder(tmp_path / "x")
    again = play_match(record.spec)
    assert same_faults(record, again.outcome)
    assert again.outcome.faults == match.outcome.faults
    assert len(read_conversation(tmp_path / "x", 1)) == 5
    assert not same_faults(record, changed(again, faults=()).outcome)
    assert not same_faults(record, changed(again, faults=(replace(CRASH, round=4),)).outcome)
    assert same_faults(record, changed(again, faults=(replace(CRASH, message="in other words"),)).outcome)


def test_code_is_only_called_the_projects_own_if_it_is(spec: MatchSpec, tmp_path: Path) -> None:
    acorn = next(source for source in installed_sources() if source.distribution == "tiltyard-acorn")
    for number, distribution in enumerate(("tiltyard-acorn", "tiltyard-tanks")):
        team = replace(spec.input.teams[0], source=replace(acorn, distribution=distribution))
        write_fault_folder(tmp_path / str(number), spec_with(spec, teams=(team, spec.input.teams[1])), failed())
    assert read_fault_folder(tmp_path / "0").spec.input.teams[0].source == acorn
    with pytest.raises(UserError, match=r"the algorithm 'crasher' came from acorn .*, which is no longer installed"):
        read_fault_folder(tmp_path / "1")


def test_a_path_is_what_it_leads_to(spec: MatchSpec, tmp_path: Path) -> None:
    """Code is trusted by its path."""
    source = spec.input.teams[0].source
    roundabout = str(tmp_path / ".." / tmp_path.name / "link.py")
    (tmp_path / "link.py").symlink_to(source.value)
    team = replace(
        spec.input.teams[0], source=replace(source, value=roundabout, folder="/trusted", error="not tried", environment="/etc")
    )
    write_fault_folder(tmp_path / "x", spec_with(spec, teams=(team, spec.input.teams[1])), failed())
    assert read_fault_folder(tmp_path / "x").spec.input.teams[0].source == source


def test_a_team_is_at_home_only_where_its_folder_is_its_own(spec: MatchSpec, tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    shutil.copy(spec.input.teams[0].source.value, tmp_path / "team" / "bot.py")
    (own,) = sources_of_team(tmp_path / "team")
    for folder, expected in ((own.folder, own), (str(tmp_path.parent), replace(own, folder=""))):
        team = replace(spec.input.teams[0], source=replace(own, folder=folder))
        write_fault_folder(tmp_path / "x", spec_with(spec, teams=(team, spec.input.teams[1])), failed())
        assert read_fault_folder(tmp_path / "x").spec.input.teams[0].source == expected
        shutil.rmtree(tmp_path / "x")


def test_names_that_no_file_may_have(spec: MatchSpec) -> None:
    assert folder_name(spec.at(11)) == "0012_a-map-of-mine_crasher_idler"
    assert folder_name(spec_with(spec, map=MapSource("..", b""), teams=())) == "0001_x"


def test_odd_words_are_kept(spec: MatchSpec, tmp_path: Path) -> None:
    write_fault_folder(tmp_path / "x", spec, failed(replace(CRASH, message="\udc80", traceback="\ud800")))
    assert read_fault_folder(tmp_path / "x").faults[0].message == "\\udc80"


def test_whose_faults() -> None:
    faults = [Fault(0, Termination.CRASH, ""), CRASH, CRASH, Fault(2, Termination.VOID, "")]
    assert culprits(failed(*faults).outcome) == ["GameManager reference", "crasher"]


def places(folder: Path) -> list[int]:
    return sorted(int(path.name[:4]) - 1 for path in folder.iterdir())


@pytest.mark.parametrize("order", [range(9), range(8, -1, -1), (4, 0, 8, 2, 6, 1, 3, 5, 7)])
def test_of_each_teams_faults_the_first_are_kept_whoever_finishes_first(
    spec: MatchSpec, teams: Mapping[str, Reference], tmp_path: Path, order: tuple[int, ...]
) -> None:
    folders = FaultFolders(folder=tmp_path / "faults", most=3)
    assert folders.summary() == ""
    for place in order:
        match = spec_with(spec, teams=(teams["crasher"], teams["liar"]), number=place)
        # crasher fails always, liar in the last two matches too
        faults = (CRASH, replace(CRASH, seat=2)) if place > 6 else (CRASH,)
        folders.finished(match, labelled(failed(*faults), match))
    folders.finished(spec.at(9), failed(Fault(1, Termination.VOID, "the machine")))
    assert places(tmp_path / "faults") == [0, 1, 2, 7, 8]
    assert folders.summary() == (
        f"faults: {tmp_path / 'faults'}: 5 matches (the first 3 of 9 faults of crasher);"
        " 'tiltyard debug --whole-match' plays one again"
    )
    forfeit = failed(replace(CRASH, termination=Termination.FORFEIT))
    folders.settle([*(changed(failed(), place=place).outcome for place in range(7)), changed(forfeit, place=7).outcome])
    assert places(tmp_path / "faults") == [0, 1, 2, 8]
    folders.settle([changed(forfeit, place=place).outcome for place in range(9)])
    assert folders.summary() == ""


def test_a_folder_that_cannot_be_written_is_said_and_stops_nothing(spec: MatchSpec, tmp_path: Path) -> None:
    (tmp_path / "faults").write_text("in the way")
    folders = FaultFolders(folder=tmp_path / "faults")
    for place in range(3):
        folders.finished(spec.at(place), failed())
    first = tmp_path / "faults" / "0001_a-map-of-mine_crasher_idler"
    assert folders.summary() == f"not all faults were saved: {first}: cannot be written: Not a directory"


def test_code_that_was_changed_since(spec: MatchSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_fault_folder(tmp_path / "x", spec, failed())
    source = spec.input.teams[0].source
    now = code_digest
    monkeypatch.setattr(fault_folders, "code_digest", lambda other: "new" if other == source else now(other))
    assert read_fault_folder(tmp_path / "x").changed() == ["crasher"]


def test_what_is_no_fault_folder(spec: MatchSpec, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    with pytest.raises(UserError, match=r"isn't a fault folder: match\.json cannot be read"):
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
    with pytest.raises(UserError, match="isn't the recording of a seat"):
        read_conversation(folder, 1)


def test_a_team_that_is_gone(spec: MatchSpec, tmp_path: Path) -> None:
    gone = replace(spec.input.teams[0], source=replace(spec.input.teams[0].source, value=str(tmp_path / "gone.py")))
    away = replace(spec.input.manager, source=replace(spec.input.manager.source, name="away"))
    for number, (spec_there, message) in enumerate(
        [
            (spec_with(spec, teams=(gone, spec.input.teams[1])), r"'crasher' came from .*gone\.py, which no longer exists"),
            (spec_with(spec, manager=away), r"the game manager 'reference' came from away .*, which is no longer installed"),
        ]
    ):
        write_fault_folder(tmp_path / str(number), spec_there, failed())
        with pytest.raises(UserError, match=message):
            read_fault_folder(tmp_path / str(number))


@pytest.mark.parametrize("value", ["'", "/a 'b", "/" + "a" * 300, "/a\0b"])
@pytest.mark.parametrize("origin", [Origin.PROGRAM, Origin.FILE, Origin.LIBRARY])
def test_a_place_that_cannot_be(spec: MatchSpec, tmp_path: Path, origin: Origin, value: str) -> None:
    folder = tmp_path / "x"
    write_fault_folder(folder, spec, failed())
    record = json.loads((folder / "match.json").read_text())
    record["spec"]["algorithms"][0]["source"].update(origin=origin, value=value)
    (folder / "match.json").write_text(json.dumps(record))
    if (origin, value) == (Origin.PROGRAM, "'"):
        # What does not begin with a slash may be a command that is installed.
        assert read_fault_folder(folder).changed() == ["crasher"]
        return
    with pytest.raises(UserError, match="which no longer exists"):
        read_fault_folder(folder)


def test_the_folder_of_an_earlier_attempt_is_replaced(spec: MatchSpec, tmp_path: Path) -> None:
    """A run that was interrupted between the folder and the store plays the match again."""
    folder = tmp_path / "faults" / folder_name(spec)
    FaultFolders(folder=tmp_path / "faults").finished(spec, failed())
    assert (folder / "seat1.txt").is_file()
    again = FaultFolders(folder=tmp_path / "faults")
    again.finished(spec, failed(Fault(2, Termination.TIMEOUT, "too late", 4)))
    assert [fault.message for fault in read_fault_folder(folder).faults] == ["too late"]
    assert not (folder / "seat1.txt").exists()
    assert again.summary() == f"faults: {tmp_path / 'faults'}: 1 match; 'tiltyard debug --whole-match' plays one again"


def test_a_folder_of_something_else_is_left_alone(spec: MatchSpec, tmp_path: Path) -> None:
    folder = tmp_path / "faults" / folder_name(spec)
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    folders = FaultFolders(folder=tmp_path / "faults")
    folders.finished(spec, failed())
    assert folders.summary() == f"not all faults were saved: {folder}: cannot be written: File exists"
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_an_earlier_folder_that_cannot_be_replaced_stops_nothing(
    spec: MatchSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    FaultFolders(folder=tmp_path / "faults").finished(spec, failed())
    monkeypatch.setattr(shutil, "rmtree", refuse)
    folders = FaultFolders(folder=tmp_path / "faults")
    folders.finished(spec, failed())
    earlier = tmp_path / "faults" / folder_name(spec)
    assert folders.summary() == f"not all faults were saved: {earlier}: cannot be replaced: Permission denied"
