from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.conftest import DUEL, map_text
from tests.made_records import made_record
from tests.made_specs import made_spec, spec_with

from tiltyard_checks.faults.conversation_replay import exchanges_with
from tiltyard_checks.faults.fault_kits import with_team, write_fault_kit
from tiltyard_checks.faults.fault_reading import read_conversation, read_fault_folder, read_match_file
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Exchange, SeatAccount
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import play_match

NAMES = ("ours v2", "amber-falcon v3")


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    return made_spec(
        game=tanks,
        manager=reference_manager,
        map=MapSource("duel", map_text(DUEL, 20, 5).encode()),
        teams=(teams["crasher"], teams["idler"]),
        isolations=(Isolation.PROCESS, Isolation.PROCESS),
        key="k",
        digests=("a", "b", "c", "d"),
    )


def contents(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


def test_the_team_is_asked_again_with_its_code_from_elsewhere(spec: MatchSpec, tmp_path: Path) -> None:
    record = play_match(spec)
    code = Path(spec.input.teams[0].source.value)
    kit = tmp_path / "kit"
    write_fault_kit(kit, spec, record, seats=[1], names=NAMES, hide=[code.parent])
    everything = contents(kit)
    assert str(code.parent).encode() not in everything
    assert b"idler" not in everything
    assert b"ours v2, player 1, round 3: crash" in everything
    written = read_match_file(kit)
    assert (written.kit_of, written.digests, written.spec.place.key, written.spec.place.digests) == ((1,), (), "", ())
    here = spec.input.teams[0]
    found = with_team(written, spec.input.game, 1, here)
    assert found.spec.input.names == NAMES
    # All is as it was in the match, but for where the code was: in the first question, and in the traceback of the last answer.
    exchanges = read_conversation(kit, 1)
    then, now = record.evidence.accounts[0].conversation, exchanges_with(here, exchanges, written.spec.input.teams[0])
    assert now[:-1] == then[:-1]
    assert now[-1].question == then[-1].question
    with pytest.raises(UserError, match="it belongs to a different team"):
        exchanges_with(here, exchanges, spec.input.teams[1])
    with pytest.raises(UserError, match=r"kit: is a kit without any code.*tiltyard debug .*kit --code FOLDER"):
        read_fault_folder(kit)


SERVER = Path("/srv/league")
LATE = Fault(1, Termination.CRASH, f"no {SERVER}/course/x.txt", 3, f'  File "{SERVER}/versions/7/teams/team.py", line 1\n')


def said(text: str) -> SeatAccount:
    told = msgspec.msgpack.encode([5, {"traceback": text, "view": text.encode(), "at": [text]}])
    return SeatAccount(
        held="process", output=text.encode(), conversation=(Exchange(b"", told), Exchange(b"\xc1" + text.encode(), b""))
    )


def test_no_path_of_the_machine_is_left_wherever_it_stands(spec: MatchSpec, tmp_path: Path) -> None:
    record = made_record(
        teams=("a", "b"),
        winner=2,
        ranks=(2, 1),
        faults=(LATE, replace(LATE, seat=2, message="their secret")),
        accounts=(said(f"in {SERVER}/versions/7/teams and {SERVER}"), said("their secret")),
        manager_account=said("their secret"),
    )
    source = Source(
        name="team",
        origin=Origin.LIBRARY,
        value=f"{SERVER}/versions/7/teams/team.so",
        loader=f"{SERVER}:x",
        needs=(f"{SERVER}/y",),
        environment=f"{SERVER}/env",
    )
    game = replace(
        spec.input.game, source=replace(source, origin=Origin.PROJECT, value="game.plugin", folder=f"{SERVER}/games/game")
    )
    folder = f"{SERVER}/versions/7/teams"
    program = ProgramTeam(name="p", game="tanks", command=(f"{folder}/run",), folder=folder, readable=(f"{SERVER}/jdk",))
    for number, own in enumerate(
        (replace(spec.input.teams[0], source=source), replace(spec.input.teams[0], source=source, program=program))
    ):
        kit = tmp_path / str(number)
        given = spec_with(spec, game=game, teams=(own, spec.input.teams[1]))
        write_fault_kit(kit, given, record, seats=[1], names=NAMES, hide=[SERVER, SERVER / "versions/7/teams"])
        everything = contents(kit)
        assert b"/srv" not in everything
        assert b"their secret" not in everything
        assert b'File "team.py", line 1' in everything
        assert b"no course/x.txt" in everything
        read_match_file(kit)
    assert (tmp_path / "0" / "seat1.txt").read_bytes() == b"in ... and ..."
    assert "external" not in (tmp_path / "1" / "README.txt").read_text()
