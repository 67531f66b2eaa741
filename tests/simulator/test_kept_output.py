from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.conftest import DUEL, map_text

from tiltyard_engine.registry import Reference
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.kept_output import KeptOutput
from tiltyard_simulator.playing import play_match
from tiltyard_simulator.reports import output_of
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec, SeatAccount


def test_a_file_for_each_team_that_printed(
    tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference], tmp_path: Path
) -> None:
    source = MapSource("duel", map_text(DUEL, 20, 5).encode())
    held = (Isolation.PROCESS,) * 2
    limits = (Limits(output_bytes=6), Limits())
    spec = MatchSpec(tanks, reference_manager, source, (teams["printer"], teams["idler"]), isolations=held, limits=limits)
    outcome = play_match(spec)
    kept = KeptOutput(tmp_path / "output")
    kept.finished(4, spec, outcome)
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "output").iterdir()] == [
        ("0005_duel_printer_idler_player1.txt", b"a team")
    ]
    assert output_of(spec, outcome) == "player 1, printer, printed:\n  | a team\nplayer 2, idler, printed nothing"


def test_nothing_is_made_for_silence_and_a_full_disk_stops_nothing(
    tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference], tmp_path: Path
) -> None:
    spec = MatchSpec(tanks, reference_manager, MapSource("duel", b""), (teams["printer"], teams["idler"]))
    kept = KeptOutput(tmp_path / "output")
    kept.finished(0, spec, MatchOutcome(None, 0, (1, 1), accounts=(SeatAccount("inline"),)))  # type: ignore[arg-type]
    assert not (tmp_path / "output").exists()
    (tmp_path / "output").write_text("in the way")
    noisy = MatchOutcome(None, 0, (1, 1), accounts=(SeatAccount("inline"), SeatAccount("process", b"\x1b[2Jx")))  # type: ignore[arg-type]
    kept.finished(0, spec, noisy)
    assert kept.problem == f"{tmp_path / 'output'}: cannot be written: File exists"
    assert output_of(spec, noisy) == (
        "player 1, printer, is held inline: what it prints is not kept\nplayer 2, idler, printed:\n  | \\x1b[2Jx"
    )


def test_what_a_manager_printed(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> None:
    spec = MatchSpec(tanks, reference_manager, MapSource("duel", b""), (teams["printer"],))
    outcome = MatchOutcome(None, 0, (1,), manager_account=SeatAccount("process", b"hm\x1b\n"))  # type: ignore[arg-type]
    assert output_of(spec, outcome) == "GameManager reference printed:\n  | hm\\x1b"
