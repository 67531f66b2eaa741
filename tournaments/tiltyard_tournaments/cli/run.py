"""``tiltyard run``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.lifecycle import Event, Notice
from tiltyard_simulator.modes import say_report
from tiltyard_simulator.reports import run_report
from tiltyard_simulator.tables import render_all
from tiltyard_tournaments.cli.cluster_options import Cluster, TlsCa, TlsCert, TlsKey, Where, executor_for
from tiltyard_tournaments.cli.options import Block, Only, TableFormat, application, table_format
from tiltyard_tournaments.cli.tournament_options import TournamentFile, resolved_of, say, voids_line
from tiltyard_tournaments.running.display import display_for
from tiltyard_tournaments.running.entering import NOT_ADMITTED, hold_entry
from tiltyard_tournaments.running.event_log import EventLog, event_line
from tiltyard_tournaments.running.observing import Observers
from tiltyard_tournaments.running.publishing import publish_by
from tiltyard_tournaments.running.reporting import tables_of
from tiltyard_tournaments.running.run import Tell, run_tournament
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.session import store_for_run
from tiltyard_tournaments.running.tournament import Tournament

app = application()


@app.command()
def run(
    file: TournamentFile,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=0, help="In place of the file's; 0: one a core.", show_default=False)
    ] = None,
    cluster: Cluster = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    log: Annotated[
        Path | None, typer.Option("--log", help="Append all events to this file, as JSON lines.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all events as JSON lines, and nothing else.")] = False,
    style: TableFormat = "simple",
    block: Block = None,
    only: Only = None,
) -> None:
    """Play a tournament, or go on where it stopped; then print its standings.

    Everything is kept in the output folder as it is played: stop the run or kill it, and run it again. A team whose code
    changed plays only its own matches again.

    \b
    Examples:
      tiltyard run cup.yaml
      tiltyard run cup.yaml --workers 4 --log cup.jsonl
      tiltyard run cup.yaml --json | jq .message
      tiltyard run cup.yaml --cluster tcp://HOST:8786
    """
    check = table_format(style)
    where = Where(workers, cluster, tls_ca, tls_cert, tls_key)
    asked = resolved_of(file, block, only).tournament
    with store_for_run(asked) as store:
        try:
            tournament = hold_entry(asked, store, lambda: executor_for(asked, where, say), say)
        except KeyboardInterrupt:
            say(f"stopped; what teams have shown so far is kept in {asked.folder}: run it again to go on")
            raise
        try:
            with (
                _telling(tournament, log, as_json) as tell,
                executor_for(tournament, where, lambda line: tell(Notice(line))) as executor,
            ):
                schedule = run_tournament(tournament, store, executor, tell)
        except KeyboardInterrupt:
            progress = follow(tournament, store.ended)
            if not as_json:
                _show(tournament, progress.schedule, check)
            say(f"stopped; {len(progress.schedule.outcomes)} games are kept in {tournament.folder}: run it again to go on")
            raise
        if tournament.publishers:
            for path in publish_by(tournament, store, tournament.publishers, say).files:
                say(f"published: {path}")
    if not as_json:
        _show(tournament, schedule, check)
        if voids := schedule.voids:
            say(voids_line(voids, file))
        say(f"results: {tournament.folder}")


@contextmanager
def _telling(tournament: Tournament, log: Path | None, as_json: bool) -> Iterator[Tell]:
    """Those who watch the run, each of whom is told of every event."""
    with ExitStack() as stack:
        tells: list[Tell] = []
        if log is not None:
            events = EventLog(log)
            stack.callback(events.close)
            tells.append(events)
        tells.append(_printer() if as_json else stack.enter_context(display_for(tournament)))
        if tournament.observers:
            # Standard output is for what the command itself prints.
            stack.enter_context(redirect_stdout(sys.stderr))
            tells.append(stack.enter_context(Observers(tournament.observers, say)))

        def tell(event: Event) -> None:
            for each in tells:
                each(event)

        yield tell


def _printer() -> Tell:
    """Prints events to what is standard output now."""
    stream = sys.stdout

    def print_event(event: Event) -> None:
        stream.buffer.write(event_line(event))
        stream.flush()

    return print_event


def _show(tournament: Tournament, schedule: Schedule, style: str) -> None:
    shown = ["standings", *([NOT_ADMITTED] if tournament.not_admitted else []), "ratings"]
    print(render_all(tables_of(tournament, schedule, shown), style))
    for note in tournament.format.notes(schedule.results):
        print(f"\n{note}")
    games = [(planned.spec, outcome) for planned, outcome in zip(schedule.planned, schedule.outcomes)]
    say_report(run_report(games), style)
