"""``tiltyard run``: play a tournament, or what is left of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.exit_status import FAILED, said_if_interrupted
from tiltyard_engine.lifecycle import Event, Notice
from tiltyard_engine.match_record import WITHDRAWAL
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.reports import run_report, say, say_report, without_any_result
from tiltyard_simulator.output.tables import render_all
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.executor_options import Elsewhere, RemoteOptions, RunWorkers, executor_for
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_incomplete, say_rounds, say_still_drawn
from tiltyard_tournaments.publishers.publication import publish_by
from tiltyard_tournaments.running.events.display import display_for
from tiltyard_tournaments.running.events.event_log import EventLog, event_line
from tiltyard_tournaments.running.events.observers import Observers
from tiltyard_tournaments.running.events.reporting import Reporter
from tiltyard_tournaments.running.qualification import qualify_teams
from tiltyard_tournaments.running.run import Tell, run_tournament
from tiltyard_tournaments.running.schedule import Schedule, follow, games_to_play_again
from tiltyard_tournaments.running.tables import below_standings, tables_of
from tiltyard_tournaments.running.tournament import Tournament, store_for_run
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.tournament_file.contest import contest, stages_of

app = application()


@app.command()
def run(
    *,
    workers: RunWorkers = None,
    elsewhere: Elsewhere,
    options: TournamentOptions,
    log: Annotated[
        Path | None, typer.Option("--log", help="Append all events to this file as JSON lines.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all events as JSON lines, and nothing else.")] = False,
    redraw: Annotated[
        bool, typer.Option("--redraw", help="Draw all rounds again. Finished games that are drawn again still count.")
    ] = False,
    style: TableFormat = "simple",
) -> None:
    """Play a tournament, or resume it, and print its standings.

    Each match is saved in the output folder as soon as it ends. If you stop or kill the run, run the same command to resume.
    Once the rounds of a swiss or a knockout are drawn, they don't change: new teams, maps or settings affect only later rounds. If
    a team's code has changed, only that team's matches are played again. If the game's code has changed, for example after an
    upgrade, all matches are played again. Stages are played one after the other. --stage plays one. The command first says how many
    finished games it plays again, and why. The exit status is 1 if matches failed because of the machine, so that the tournament is
    not complete, or if the GameManager failed in all of them.

    \b
    Examples:
      tiltyard run cup.yaml
      tiltyard run cup.yaml --workers 4 --log cup.jsonl
      tiltyard run cup.yaml --json | jq .message
      tiltyard run cup.yaml --cluster tcp://HOST:8786
    """
    remote = next((each for each in elsewhere if each.is_chosen(workers)), None)

    def play(each: TournamentOptions) -> None:
        play_file(each, workers, remote, log=log, as_json=as_json, redraw=redraw, style=style)

    with said_if_interrupted("stopped; all games that were played are saved; run the same command to resume"):
        if options.stages():
            contest().check_stages(options)
        options.each_stage(play, heading=say if as_json else print)
        if options.stages():
            print(end="" if as_json else "\n")
            contest().show_final_ranking(options, "event" if as_json else style)
        elif options.stage:
            names = [stage.name for stage in stages_of(options.file)]
            for name in names[names.index(options.stage) + 1 :][:1]:
                say(f"next: {shlex.join(['tiltyard', 'run', str(options.file), '--stage', name])}")


def play_file(
    options: TournamentOptions,
    workers: int | None = None,
    remote: RemoteOptions | None = None,
    *,
    log: Path | None = None,
    as_json: bool = False,
    redraw: bool = False,
    style: str = "simple",
) -> None:
    """What the command does.

    Raises:
        UserError: the file has problems, or its results can't be written.
        Exit: matches failed because of the machine, no game has a result because the GameManager failed, or the disk is full.
    """
    unqualified = options.resolve(quiet=False, is_redraw=redraw).tournament
    with store_for_run(unqualified, say) as store:
        if redraw:
            store.remove_rounds()
            say_still_drawn(unqualified)
        saved = f"the results of the qualifying tests are saved in {unqualified.folder}"
        with said_if_interrupted(f"stopped; {saved}; run the same command to resume"):
            tournament = qualify_teams(unqualified, store, lambda: executor_for(unqualified, workers, remote, say), say)
        say_rounds(tournament)
        if again := games_to_play_again(tournament, store):
            say(again.warning)
        try:
            with _telling(tournament, store, log, as_json) as tell, ExitStack() as stack:
                place = executor_for(tournament, workers, remote, lambda line: tell(Notice(line)))
                executor = cache(partial(stack.enter_context, place))
                # Other machines are looked for even if there is nothing to play.
                schedule = run_tournament(tournament, store, executor() if remote is not None else executor, tell)
        except KeyboardInterrupt as stop:
            store.check_place()
            progress = follow(tournament, store.ended_as)
            if not as_json:
                _show(tournament, progress.schedule, style)
            saved = counted(len(progress.schedule.records), "game is", "games are")
            stop.add_note(f"stopped; {saved} saved in {tournament.folder}; run the same command to resume")
            raise
        disk_full = False
        if options.stage or tournament.publishers:
            is_stage, own = options.stage, tournament.publishers
            with said_if_interrupted(f"stopped; all games are saved; publish them with 'tiltyard publish {options.file}'"):
                published = contest().publish_played(options, say) if is_stage else publish_by(tournament, store, own, say)
            disk_full = published.disk_full
            for path in published.files:
                say(f"published: {path}")
    if not as_json:
        _show(tournament, schedule, style)
        say_incomplete(options.file, schedule.voids)
        say(f"results: {tournament.folder}")
    if failed := without_any_result(schedule.records):
        say(f"error: {failed}")
    if disk_full or failed or schedule.voids:
        raise typer.Exit(FAILED if disk_full else 1)


@contextmanager
def _telling(tournament: Tournament, store: Store, log: Path | None, as_json: bool) -> Iterator[Tell]:
    """Those who watch the run, each of whom is told of every event when it is on the disk."""
    with ExitStack() as stack:
        tells: list[Tell] = []
        events = None if log is None else stack.enter_context(closing(EventLog(log)))
        tells.append(_printer() if as_json else stack.enter_context(display_for(tournament)))
        if tournament.observers:
            # Standard output is for what the command itself prints.
            stack.enter_context(redirect_stdout(sys.stderr))
            tells.append(stack.enter_context(Observers(tournament.observers, say)))

        def tell(event: Event) -> None:
            for each in tells:
                each(event)

        with Reporter(store, tell, events, in_background=True) as report:
            yield report


def _printer() -> Tell:
    """Prints events to what is standard output now."""
    stream = sys.stdout

    def print_event(event: Event) -> None:
        stream.buffer.write(event_line(event))
        stream.flush()

    return print_event


def _without_effect(tournament: Tournament, schedule: Schedule) -> Iterator[str]:
    """What to say about teams that leave after all that they had to play."""
    out = {each.teams[seat - 1] for each in schedule.records if each.reason == WITHDRAWAL for seat in each.forfeits}
    for each in tournament.absences if not tournament.format.draws else ():
        if each.last is None and each.team.label not in out:
            yield f"{each.team.label} is withdrawn, but all its matches are played, so nothing changes."


def _show(tournament: Tournament, schedule: Schedule, style: str) -> None:
    kinds = ["standings", *below_standings(tournament), "ratings"]
    print(render_all(tables_of(tournament, schedule, kinds), style))
    for note in [*tournament.format.notes(schedule.results), *_without_effect(tournament, schedule)]:
        print(f"\n{note}")
    say_report(run_report(schedule.records), style)
