from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from tests.tournaments.running.made_runs import ended, tell_all, tournament_of, void
from tests.viewer.pseudo_terminal import PseudoTerminal

from tiltyard_engine.lifecycle import BatchStarted, Notice, TournamentFinished, TournamentStarted
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.match.eligibility import QUARANTINE, Exclusion, forfeit
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.running.events.display import LineDisplay, LiveDisplay, Pace, display_for, fault_line, live_display
from tiltyard_tournaments.running.run import match_faults
from tiltyard_tournaments.running.schedule import Schedule

NASTY = "\x1b[2J\x1b]0;owned\x07\r\n\u202eboom [red]markup[/red]"
SHOWN = """
import sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, "")
from tests.tournaments.running.made_runs import ended, tell_all, tournament_of
from tiltyard_engine.lifecycle import BatchStarted, TournamentFinished, TournamentStarted
from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.running.events.display import display_for
from tiltyard_tournaments.running.schedule import Schedule
NASTY = {nasty!r}
tournament = replace(tournament_of(Registry.installed(Selection()), teams={teams}, quarantine=0), title=NASTY)
batch = Schedule(tournament=tournament).next_batch()
with display_for(tournament) as display:
    display(TournamentStarted(title=NASTY, teams=tournament.names, stored=0, expected=(len(batch), len(batch))))
    display(BatchStarted(1, len(batch), 0))
    for spec in batch[:-1]:
        fault = Fault(1, Termination.CRASH, NASTY, 1)
        tell_all(display, spec.label(ended(2, fault).outcome))
    sys.stdin.readline()
    display(TournamentFinished(len(batch), True, 1.0))
print("the end")
"""


def first_match(registry: Registry) -> MatchSpec:
    return Schedule(tournament=tournament_of(registry)).next_batch()[0]


def crash(seat: int = 1, message: str = "it broke") -> Fault:
    return Fault(seat, Termination.CRASH, message, 2)


def test_the_live_table_counts_all_matches_of_a_team_in_quarantine_as_forfeits(registry: Registry) -> None:
    tournament = tournament_of(registry, teams=2, quarantine=1)
    first, second = Schedule(tournament=tournament).next_batch()
    display = LiveDisplay(tournament)
    display(replace(first.label(ended(1).outcome), winner=0, ranks=(1, 1), faults=(crash(),), no_contest=True))
    out = Exclusion(QUARANTINE, "quarantined after 1 match with faults", counts=False)
    display(forfeit(second, {second.input.names.index(first.input.names[0]) + 1: out}))
    shown = io.StringIO()
    Console(file=shown, width=100).print(display.render())
    table = [line.split()[:4] for line in shown.getvalue().splitlines()]
    assert ["1", first.input.names[1], "6", "2"] in table


def test_pace_tells_what_is_known(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    spec = first_match(registry)
    finished = spec.label(ended(1).outcome)
    stored = replace(spec.label(ended(1).outcome), played=False)
    pace = Pace()
    for event in (TournamentStarted(title="Cup", teams=(), stored=0, expected=(112, 112)), BatchStarted(1, 112, 1), stored):
        pace(event)
    assert pace.text() == "1 of 112 games"
    # The workers start for a minute: after the first match, its time says nothing about the next ones.
    now = 60.0
    pace(finished)
    assert pace.text() == "2 of 112 games"
    for _ in range(10):
        now += 0.5
        pace(finished)
    assert pace.text() == "12 of 112 games, 2.0 games/s, 0:50 left"

    most = Pace()
    for event in (TournamentStarted(title="Cup", teams=(), stored=0, expected=(6, 20)), BatchStarted(1, 6, 0)):
        most(event)
    assert most.text() == "0 of up to 20 games"


def test_pace_does_not_promise_what_nobody_knows(registry: Registry) -> None:
    spec = first_match(registry)
    pace = Pace()
    for event in (TournamentStarted(title="Cup", teams=(), stored=0, expected=None), BatchStarted(1, 6, 0)):
        pace(event)
    assert pace.text() == "0 of at least 6 games"
    pace(BatchStarted(2, 6, 0))
    for _ in range(11):
        pace(spec.label(ended(1).outcome))
    assert pace.text().startswith("11 of at least 12 games, ")
    assert "games/s" in pace.text()
    assert "left" not in pace.text()


def test_lines_in_a_pipe(registry: Registry) -> None:
    spec = first_match(registry)
    names = spec.input.names
    stream = io.StringIO()
    display = LineDisplay(stream, seconds=1000)
    display(TournamentStarted(title="Cup", teams=names, stored=5, expected=(12, 12)))
    display(BatchStarted(1, 12, 5))
    display(replace(spec.label(ended(1).outcome), played=False))
    for _ in range(3):
        tell_all(display, spec.label(ended(2, crash()).outcome))
    tell_all(display, spec.label(ended(1, crash(2, "too late")).outcome))
    display(TournamentFinished(5, True, 61.0))
    assert stream.getvalue().splitlines() == [
        "Cup: 2 teams, 5 games already played",
        f"{names[0]}: crash: it broke ({names[0]} - {names[1]} on m0)",
        f"{names[1]}: crash: too late ({names[0]} - {names[1]} on m0)",
        "finished: 5 games (4 played in this run) in 1:01",
    ]


def test_forfeits_are_told_apart_from_what_was_played(registry: Registry) -> None:
    pace = Pace()
    outcome = first_match(registry).label(ended(1).outcome)
    pace(outcome)
    pace(replace(outcome, played=False, forfeited=(2,)))
    last = pace.last_line(TournamentFinished(2, True, 1.0))
    assert last == "finished: 2 games (1 played in this run, 1 forfeited without a match) in 0:01"


def test_a_line_now_and_then(registry: Registry) -> None:
    spec = first_match(registry)
    stream = io.StringIO()
    display = LineDisplay(stream, seconds=0)
    display(TournamentStarted(title="Cup", teams=spec.input.names, stored=0, expected=(12, 12)))
    tell_all(display, spec.label(ended(1).outcome))
    display(TournamentFinished(1, False, 1.0))
    _, line, last = stream.getvalue().splitlines()
    assert line == "1 of 12 games"
    assert last == "stopped: 1 game (1 played in this run) in 0:01"


def test_the_managers_faults_are_its_own(registry: Registry) -> None:
    spec = first_match(registry)
    (event,) = match_faults(spec.label(ended(0, crash(0, "a\n  b")).outcome))
    assert fault_line(event).startswith("GameManager reference: crash: a b (")


def test_what_the_machine_did_is_charged_to_nobody(registry: Registry) -> None:
    (event,) = match_faults(first_match(registry).label(void().outcome))
    assert fault_line(event).startswith("the machine: void: given up: its match worker died (")


def test_a_stream_that_is_closed_and_one_that_is_no_terminal(registry: Registry) -> None:
    tournament = tournament_of(registry)
    with display_for(tournament, io.StringIO()) as display:
        assert isinstance(display, LineDisplay)
    LineDisplay(None)(TournamentStarted(title="Cup", teams=(), stored=0, expected=None))


def test_lines_hold_nothing_that_moves_the_cursor(registry: Registry) -> None:
    spec = first_match(registry)
    stream = io.StringIO()
    display = LineDisplay(stream)
    display(TournamentStarted(title=NASTY, teams=(), stored=0, expected=None))
    tell_all(display, spec.label(ended(2, crash(1, NASTY)).outcome))
    lines = stream.getvalue().split("\n")
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert "boom" in lines[1]


def test_a_terminal_shows_the_table_and_is_left_clean() -> None:
    with PseudoTerminal(SHOWN.format(nasty=NASTY, teams=4), columns=100, rows=30) as terminal:
        text = terminal.wait_for("games/s")
        assert "11 of 12 games" in text + terminal.output
        for name in ("algorithm", "ann", "bob", "cat", "dan", "points", "boom [red]markup[/red]", "crash"):
            assert name in terminal.output
        for code in ("\x1b[2J", "\x1b]0", "\x07", "\u202e"):
            assert code not in terminal.output
        terminal.press("\n")
        assert terminal.wait_for_end() == 0
        assert terminal.output.rstrip().endswith("the end")
        assert terminal.output.count("\x1b[?25l") == terminal.output.count("\x1b[?25h") == 1
        assert "Traceback" not in terminal.output


def test_the_table_grows_while_it_is_drawn(registry: Registry, tmp_path: Path) -> None:
    """The screen is drawn by a thread of its own while matches end."""
    tournament = tournament_of(registry)
    spec = first_match(registry)
    with (tmp_path / "screen").open("w") as stream, live_display(tournament, stream) as display:
        for _ in range(300):
            tell_all(display, spec.label(ended(2, crash()).outcome))
            display.render()
    assert len(display._matches) == 300


def test_notices_are_lines_of_their_own(registry: Registry) -> None:
    stream = io.StringIO()
    display = LineDisplay(stream)
    display(Notice("lab-3 is lost\nlab-4 \x1b[2Jjoins"))
    assert stream.getvalue() == "lab-3 is lost\nlab-4 \N{REPLACEMENT CHARACTER}[2Jjoins\n"


def test_the_clock_starts_with_the_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for machines is no time in which games could have been played."""
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    pace = Pace()
    now = 100.0
    pace(TournamentStarted(title="Cup", teams=(), stored=0, expected=None))
    assert pace.seconds == 0.0
