from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.conftest import DUEL, map_text
from tests.made_records import made_record
from tests.made_specs import made_spec

from tiltyard_checks.command.whole_match import output_of
from tiltyard_engine.match_record import SeatAccount
from tiltyard_engine.registry import Reference
from tiltyard_matchups.output_files import KeptOutput
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import labelled, play_match


def test_a_file_for_each_team_that_printed(
    tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference], tmp_path: Path
) -> None:
    source = MapSource("duel", map_text(DUEL, 20, 5).encode())
    held = (Isolation.PROCESS,) * 2
    limits = (Limits(output_bytes=6), Limits())
    spec = made_spec(
        game=tanks,
        manager=reference_manager,
        map=source,
        teams=(teams["printer"], teams["idler"]),
        isolations=held,
        limits=limits,
    )
    record = play_match(spec)
    kept = KeptOutput(tmp_path / "output")
    kept.finished(spec.at(4), record)
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "output").iterdir()] == [
        ("0005_duel_printer_idler_player1.txt", b"a team")
    ]
    assert output_of(record) == "player 1, printer, printed:\n  | a team\nplayer 2, idler, printed nothing"


def test_nothing_is_made_for_silence_and_a_full_disk_stops_nothing(
    tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference], tmp_path: Path
) -> None:
    spec = made_spec(game=tanks, manager=reference_manager, map=MapSource("duel", b""), teams=(teams["printer"], teams["idler"]))
    kept = KeptOutput(tmp_path / "output")
    kept.finished(spec, labelled(made_record(ranks=(1, 1), accounts=(SeatAccount(held="inline"),)), spec))
    assert not (tmp_path / "output").exists()
    (tmp_path / "output").write_text("in the way")
    accounts = (SeatAccount(held="inline"), SeatAccount(held="process", output=b"\x1b[2Jx"))
    noisy = labelled(made_record(ranks=(1, 1), accounts=accounts), spec)
    kept.finished(spec, noisy)
    assert kept.problem == f"{tmp_path / 'output'}: cannot be written: File exists"
    assert output_of(noisy) == (
        "player 1, printer, ran in-process, so its output was not saved\nplayer 2, idler, printed:\n  | \\x1b[2Jx"
    )


def test_what_a_manager_printed(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> None:
    spec = made_spec(game=tanks, manager=reference_manager, map=MapSource("duel", b""), teams=(teams["printer"],))
    account = SeatAccount(held="process", output=b"hm\x1b\n")
    assert (
        output_of(labelled(made_record(ranks=(1,), manager_account=account), spec)) == "GameManager reference printed:\n  | hm\\x1b"
    )
