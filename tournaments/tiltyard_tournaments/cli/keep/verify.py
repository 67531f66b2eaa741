"""``tiltyard verify``."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.records import Game
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.check.rerun import check_trust
from tiltyard_simulator.check.verification import Divergence, Verified
from tiltyard_simulator.check.verification import verify as play_again
from tiltyard_simulator.faults.fault_folders import is_fault_folder, read_fault_folder
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_simulator.matchups.reports import show_difference
from tiltyard_simulator.output.progress import Progress
from tiltyard_simulator.output.reports import without_any_result
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render
from tiltyard_simulator.play.executor import UNPLAYABLE
from tiltyard_simulator.play.local_matches import local_executor
from tiltyard_simulator.registry.isolation_policy import ISOLATION_VARIABLE, IsolationPolicy
from tiltyard_simulator.replays.viewer.options import detect_options
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.look.replay_source import TOURNAMENT_SUFFIXES
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions, TableFormat, Workers
from tiltyard_tournaments.cli.play.games import RoundRobinOptions, round_robin_of
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say
from tiltyard_tournaments.running.results import SHOWN_KEY
from tiltyard_tournaments.running.reverification import matches_of_folder, matches_of_tournament, play_stored
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import open_store
from tiltyard_tournaments.store import STORE_NAME, Store

app = application()

MOST_SHOWN: Final = 3
"""Differences that are drawn; the table has all."""


@app.command()
def verify(
    *,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ALGORITHMS | FOLDERS | TOURNAMENT]",
            help="Algorithms as for round-robin; fault folders, to play their matches; a tournament file, or the output folder of a"
            " run, to compare its stored matches.",
            show_default="installed",
        ),
    ] = None,
    matchups: RoundRobinOptions,
    times: Annotated[
        int | None,
        typer.Option(
            "--times", "-n", min=2, help="How often to play each match. Those of a tournament are played once.", show_default="2"
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=1, help="Of a tournament: compare only so many matches.", show_default="all"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Which matches are in the sample. The same seed chooses the same ones.")] = 0,
    workers: Workers = 0,
    style: TableFormat = "simple",
    isolation: IsolationOptions,
    plugins: PluginOptions,
) -> None:
    """Play each match several times and compare the runs: replays byte for byte, requests, views and results.

    For each match the command reports the first round in which two runs differ, and who asked for something else after being
    shown the same. That team's code depends on chance, time or memory addresses. The exit status is 1 if any match differs, or
    if the GameManager failed in all of them, so that nothing was shown.

    With a tournament file, or the output folder of a run, the stored matches are played again, isolated as in the tournament, and
    each result and replay is compared with the stored one. Nothing is written. Matches that were played with other code, such as
    those of a team that changed since, can't be compared; the command says how many, and why.

    \b
    Examples:
      tiltyard verify thunder acorn --maps narrow-pass
      tiltyard verify submissions/ --maps maps/ --times 5
      tiltyard verify results/cup/faults/*
      tiltyard verify cup.yaml --sample 20
    """
    policy = isolation.policy(plugins.trust)
    tournaments = [Path(text) for text in what or () if _is_tournament(Path(text))]
    if tournaments:
        if len(what or ()) > 1:
            raise UserError("give one tournament file or output folder, and nothing else beside it")
        if times is not None or matchups != RoundRobinOptions() or isolation.limit or _asks_for(isolation.isolation):
            raise UserError(
                "a tournament already sets the maps, the GameManager and the options of its matches: leave --times, --maps,"
                " --manager, --game, --players, --isolation and --limit out"
            )
        _verify_store(tournaments[0], sample, seed, workers, style, policy, plugins)
        return
    if sample is not None:
        raise UserError("--sample is for the stored matches of a tournament file or an output folder")
    times = times or 2
    folders = [Path(text) for text in what or () if is_fault_folder(Path(text))]
    if folders:
        if len(folders) < len(what or ()):
            raise UserError("fault folders and algorithms can't be mixed: give one or the other")
        if matchups.maps or isolation.isolation or isolation.limit:
            raise UserError(
                "a fault folder already sets the map and the options of its match: leave --maps, --isolation and --limit out"
            )
        specs = [read_fault_folder(folder).spec for folder in folders]
        for spec in specs:
            check_trust(spec, policy)
    else:
        specs = Schedule(tournament=round_robin_of(what, matchups, plugins.registry(policy), policy)).next_batch()
    played: list[Outcome] = []
    with Progress(len(specs) * times) as progress:

        def finished(spec: MatchSpec, record: MatchRecord) -> None:
            played.append(record.outcome)
            progress.finished(record.outcome)

        found = play_again(specs, times, workers, finished)
    print(render(HEADERS, [_row(each) for each in found], style))
    if style not in PROGRAM_FORMATS:
        _show(found, times)
    # The match of a fault folder may be one that its GameManager has to fail in again.
    failed = "" if folders else without_any_result(played)
    if failed:
        say(f"error: {failed}")
    if failed or not all(each.is_same for each in found):
        raise typer.Exit(1)


def _is_tournament(path: Path) -> bool:
    return (path.suffix in TOURNAMENT_SUFFIXES and path.is_file()) or (path / STORE_NAME).is_file()


def _asks_for(isolation: Isolation | None) -> bool:
    """Whether an option asks for an isolation; the environment's is for code whose isolation nobody set."""
    return isolation is not None and isolation != os.environ.get(ISOLATION_VARIABLE)


def _verify_store(
    path: Path, sample: int | None, seed: int, workers: int, style: str, policy: IsolationPolicy, plugins: PluginOptions
) -> None:
    with ExitStack() as stack:
        if path.is_dir():
            store = stack.enter_context(Store(path, writable=False))
            stored = matches_of_folder(store, policy)
        else:
            if plugins.trust or policy.unconfined:
                raise UserError(f"{path} says what is trusted and what may run unconfined: leave --trust and --unconfined out")
            tournament = TournamentOptions(path, plugins.block, plugins.only).tournament()
            store = stack.enter_context(open_store(tournament))
            stored = matches_of_tournament(tournament, store)
        specs = stored.sample(sample, seed)
        executor = stack.enter_context(local_executor(min(workers, max(1, len(specs)))))
        progress = stack.enter_context(Progress(len(specs)))
        found: list[Verified] = []
        for verified in play_stored(specs, store, executor):
            found.append(verified)
            progress.count(verified.spec.input.title)
    unequal = sorted((each for each in found if not each.is_same), key=lambda each: each.spec.place.number)
    if unequal or style in PROGRAM_FORMATS:
        print(render(STORED_HEADERS, [(each.spec.place.key[:SHOWN_KEY], *_row(each)[:-1]) for each in unequal], style))
    if style not in PROGRAM_FORMATS:
        _draw(unequal)
        before = "\n" if unequal else ""
        print(f"{before}{len(found) - len(unequal)} of {len(found)} matches came out as they were stored")
    for reason, number in stored.others.items():
        say(f"not compared: {number} {'match' if number == 1 else 'matches'}: {one_line(reason)}")
    if unequal:
        raise typer.Exit(1)


STORED_HEADERS: Final = ("match", "map", "players", "verdict", "round", "what differs")
HEADERS: Final = ("map", "players", "verdict", "round", "what differs", "likely")


def _row(verified: Verified) -> tuple[str | int, ...]:
    match = (verified.spec.input.map.name, " - ".join(verified.spec.input.names))
    if verified.void:
        return (
            *match,
            "not played",
            "",
            " ".join(verified.void.split()),
            "" if verified.void.startswith(UNPLAYABLE) else "the machine",
        )
    divergence = verified.divergence
    if divergence is None:
        return (*match, "ok", "", "", "")
    round_number = divergence.round if divergence.round >= 0 else ""
    return (*match, "differs", round_number, ", ".join(divergence.shown.kinds), _likely(verified.spec.input, divergence))


def _likely(match: MatchInput, divergence: Divergence) -> str:
    names = [
        f"GameManager {match.manager.label}" if seat == MANAGER_SEAT else f"{match.names[seat - 1]} (player {seat})"
        for seat in divergence.suspects
    ]
    return ", ".join(names)


def _show(found: Sequence[Verified], times: int) -> None:
    _draw(found)
    same = sum(each.is_same for each in found)
    print(f"\n{same} of {len(found)} matches were the same in {times} runs")


def _draw(found: Sequence[Verified]) -> None:
    """Draw the first differences, both sides beside each other."""
    different = [each for each in found if each.divergence is not None]
    terminal = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for each in different[:MOST_SHOWN]:
        assert each.divergence is not None
        theme = each.spec.input.game.load_as(Game).display.theme
        print(f"\n{each.spec.input.title}:")
        print("\n".join(show_difference(each.divergence.shown, theme, detect_options(sys.stdout, columns=terminal))))
    if len(different) > MOST_SHOWN:
        print(f"\n{len(different) - MOST_SHOWN} more are only in the table")
