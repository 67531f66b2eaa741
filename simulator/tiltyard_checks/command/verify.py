"""``tiltyard verify``: the stored matches of a tournament are played again and compared.

It also takes algorithms and fault folders, as it did before ``tiltyard check --times`` and ``tiltyard debug --whole-match``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_checks.command.drawn_difference import draw_difference
from tiltyard_checks.command.games import MatchupOptions, round_robin_of
from tiltyard_checks.command.progress import ProgressBar
from tiltyard_checks.faults.fault_folders import is_fault_folder
from tiltyard_checks.faults.fault_reading import read_fault_folder
from tiltyard_checks.faults.rerun import check_trust
from tiltyard_checks.runs.stored_matches import StoredMatches, matches_of_folder, matches_of_tournament, play_stored
from tiltyard_checks.runs.verification import Divergence, Verified
from tiltyard_checks.runs.verification import verify as play_again
from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_simulator.output.reports import say, without_any_result
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render
from tiltyard_simulator.play.executor import UNPLAYABLE
from tiltyard_simulator.play.local_matches import local_executor
from tiltyard_simulator.registry.isolation_policy import ISOLATION_VARIABLE, IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions, TableFormat, Unconfined, Workers
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.publishers.results import SHOWN_KEY
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import open_store
from tiltyard_tournaments.store import STORE_NAME, Store
from tiltyard_viewer.command.replay_source import TOURNAMENT_SUFFIXES

app = application()

MOST_SHOWN: Final = 3
"""Differences that are drawn; the table has all."""


INSTEAD_OF_ALGORITHMS: Final = (
    "note: verify is for tournaments; to play a team's matches several times, use 'tiltyard check TEAM --against OTHER --times N'"
)
INSTEAD_OF_FOLDERS: Final = (
    "note: verify is for tournaments; to play the match of a fault folder again, use 'tiltyard debug FOLDER --whole-match'"
)


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """How matches of algorithms are played. The help no longer has these options, because those of a tournament have their own."""

    maps: Annotated[list[str] | None, typer.Option("--maps", "--map", hidden=True)] = None
    manager: Annotated[str | None, typer.Option("--manager", "-m", hidden=True)] = None
    game: Annotated[str | None, typer.Option("--game", "-g", hidden=True)] = None
    players: Annotated[int | None, typer.Option("--players", min=2, hidden=True)] = None
    times: Annotated[int | None, typer.Option("--times", "-n", min=2, hidden=True)] = None
    isolation: Annotated[Isolation | None, typer.Option("--isolation", envvar=ISOLATION_VARIABLE, hidden=True)] = None
    limit: Annotated[list[str] | None, typer.Option("--limit", hidden=True)] = None

    @property
    def pairs(self) -> MatchupOptions:
        """Who meets whom, where."""
        return MatchupOptions(self.maps, self.manager, self.game, self.players)


@dataclass(frozen=True, slots=True)
class StoredMatchOptions:
    """Which stored matches are compared, and how it is shown."""

    stage: Annotated[str | None, typer.Option("--stage", help="Only this stage of a file with stages.", show_default=False)] = None
    sample: Annotated[int | None, typer.Option("--sample", min=1, help="Compare only this many matches.", show_default="all")] = (
        None
    )
    seed: Annotated[int, typer.Option("--seed", help="The seed that chooses the matches of the sample.")] = 0
    workers: Workers = 0
    style: TableFormat = "simple"


@app.command()
def verify(
    *,
    file: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TOURNAMENT",
            help="A tournament file, or the output folder of a run.",
            show_default=False,
        ),
    ] = None,
    stored: StoredMatchOptions,
    matches: MatchOptions,
    unconfined: Unconfined = False,
    plugins: PluginOptions,
) -> None:
    """Play the stored matches of a tournament again, and compare each result and replay with the stored one, byte for byte.

    The matches are isolated as in the tournament. Nothing is written. Matches that were played with different code, such as those
    of a team that has changed since, can't be compared; the command says how many, and why. The exit status is 1 if any match
    differs.

    An output folder, which somebody may have sent you, can't say what is trusted: name that with --trust.

    \b
    Examples:
      tiltyard verify cup.yaml
      tiltyard verify cup.yaml --sample 20
      tiltyard verify results/cup/
    """
    policy = IsolationOptions(matches.isolation, unconfined, matches.limit).policy(plugins.trust)
    words = file or []
    tournaments = [Path(text) for text in words if _is_tournament(Path(text))]
    if tournaments:
        if len(words) > 1:
            raise UserError("give one tournament file or output folder, and nothing else")
        asks = matches.times is not None or matches.pairs != MatchupOptions() or matches.limit
        if asks or _asks_for(matches.isolation):
            raise UserError(
                "a tournament already sets the maps, the GameManager and the options of its matches: leave --times, --maps,"
                " --manager, --game, --players, --isolation and --limit out"
            )
        if tournaments[0].is_dir():
            are_same = _verify_folder(tournaments[0], stored, policy)
        else:
            are_same = _verify_file(tournaments[0], stored, policy, plugins)
        if not are_same:
            raise typer.Exit(1)
        return
    for option, value in (("--sample", stored.sample), ("--stage", stored.stage)):
        if value is not None:
            raise UserError(f"{option} is for the stored matches of a tournament file or an output folder")
    runs = [str(path.parent) for path in sorted(Path(words[0]).glob(f"*/{STORE_NAME}"))] if len(words) == 1 else []
    if runs:
        raise UserError(f"{words[0]}: holds the folders of several runs; name the tournament file, or one of {some_of(runs)}")
    _verify_matches(words, matches, stored.workers, stored.style, policy, plugins)


def _verify_matches(
    words: Sequence[str], matches: MatchOptions, workers: int, style: str, policy: IsolationPolicy, plugins: PluginOptions
) -> None:
    """Play each match of algorithms, or of fault folders, several times."""
    times = matches.times or 2
    folders = [Path(text) for text in words if is_fault_folder(Path(text))]
    if folders:
        if len(folders) < len(words):
            raise UserError("fault folders and algorithms can't be mixed: give one or the other")
        if matches.maps or matches.isolation or matches.limit:
            raise UserError(
                "a fault folder already sets the map and the options of its match: leave --maps, --isolation and --limit out"
            )
        specs = [read_fault_folder(folder).spec for folder in folders]
        for spec in specs:
            check_trust(spec, policy)
    else:
        specs = Schedule(tournament=round_robin_of(words or None, matches.pairs, plugins.registry(policy), policy)).next_batch()
    say(INSTEAD_OF_FOLDERS if folders else INSTEAD_OF_ALGORITHMS)
    outcomes: list[Outcome] = []
    with ProgressBar(len(specs) * times) as progress:

        def finished(spec: MatchSpec, record: MatchRecord) -> None:
            outcomes.append(record.outcome)
            progress.finished(record.outcome)

        results = play_again(specs, times, workers, finished)
    print(render(HEADERS, [_row(each) for each in results], style))
    if style not in PROGRAM_FORMATS:
        _show(results, times)
    # The match of a fault folder may be one that its GameManager has to fail in again.
    failed = "" if folders else without_any_result(outcomes)
    if failed:
        say(f"error: {failed}")
    if failed or not all(each.is_same for each in results):
        raise typer.Exit(1)


def _is_tournament(path: Path) -> bool:
    return (path.suffix in TOURNAMENT_SUFFIXES and path.is_file()) or (path / STORE_NAME).is_file()


def _asks_for(isolation: Isolation | None) -> bool:
    """Whether an option asks for an isolation; the environment's is for code whose isolation nobody set."""
    return isolation is not None and isolation != os.environ.get(ISOLATION_VARIABLE)


def _verify_folder(path: Path, options: StoredMatchOptions, policy: IsolationPolicy) -> bool:
    """Whether the matches of an output folder are the same."""
    if options.stage:
        raise UserError(f"--stage {options.stage}: is for a tournament file; {path} is an output folder: leave --stage out")
    with Store(path, writable=False) as store:
        return _compare(store, matches_of_folder(store, policy), options)


def _verify_file(path: Path, options: StoredMatchOptions, policy: IsolationPolicy, plugins: PluginOptions) -> bool:
    """Whether the matches of a tournament file are the same, or those of all its stages that were begun."""
    if plugins.trust or policy.unconfined:
        raise UserError(f"{path} says what is trusted and what may run unconfined: leave --trust and --unconfined out")
    are_same: list[bool] = []

    def compare(each: TournamentOptions) -> None:
        tournament = each.tournament()
        with open_store(tournament) as store:
            are_same.append(_compare(store, matches_of_tournament(tournament, store), options))

    tournament = TournamentOptions(path, plugins.block, plugins.only, options.stage)
    if options.style in PROGRAM_FORMATS:
        # A program gets one table, so that one stage has to be named.
        compare(tournament)
    else:
        tournament.each_stage(compare, only_started=True)
    return all(are_same)


def _compare(store: Store, stored: StoredMatches, options: StoredMatchOptions) -> bool:
    """Whether matches are the same when they are played again; prints what differs."""
    style = options.style
    with ExitStack() as stack:
        specs = stored.sample(options.sample, options.seed)
        executor = stack.enter_context(local_executor(min(options.workers, max(1, len(specs)))))
        progress = stack.enter_context(ProgressBar(len(specs)))
        results: list[Verified] = []
        for verified in play_stored(specs, store, executor):
            results.append(verified)
            progress.count(verified.spec.input.title)
    unequal = sorted((each for each in results if not each.is_same), key=lambda each: each.spec.place.number)
    if unequal or style in PROGRAM_FORMATS:
        print(render(STORED_HEADERS, [(each.spec.place.key[:SHOWN_KEY], *_row(each)[:-1]) for each in unequal], style))
    if style not in PROGRAM_FORMATS:
        _draw(unequal)
        before = "\n" if unequal else ""
        print(f"{before}{len(results) - len(unequal)} of {len(results)} matches gave the stored result")
    for reason, number in stored.others.items():
        say(f"not compared: {number} {'match' if number == 1 else 'matches'}: {one_line(reason)}")
    return not unequal


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
    return (*match, "differs", round_number, ", ".join(divergence.difference.kinds), _likely(verified.spec.input, divergence))


def _likely(match: MatchInput, divergence: Divergence) -> str:
    names = [
        f"GameManager {match.manager.label}" if seat == MANAGER_SEAT else f"{match.names[seat - 1]} (player {seat})"
        for seat in divergence.suspects
    ]
    return ", ".join(names)


def _show(results: Sequence[Verified], times: int) -> None:
    _draw(results)
    same = sum(each.is_same for each in results)
    print(f"\n{same} of {len(results)} matches were the same in {times} runs")


def _draw(results: Sequence[Verified]) -> None:
    """Draw the first differences, both sides beside each other."""
    different = [each for each in results if each.divergence is not None]
    for each in different[:MOST_SHOWN]:
        assert each.divergence is not None
        draw_difference(each.spec.input.title, each.divergence.difference, each.spec.input.game)
    if len(different) > MOST_SHOWN:
        print(f"\n{len(different) - MOST_SHOWN} more are only in the table")
