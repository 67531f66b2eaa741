"""The two modes of assignment 3 from choice to files and screen, for both command lines that offer them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.choosing import INSTALLED, Chosen, choose, choose_all, choose_map, choose_maps, game_reference
from tiltyard_simulator.comparative import Comparison, Group, comparative_text, compare
from tiltyard_simulator.competition import competition_text, schedule, score
from tiltyard_simulator.explaining import explain
from tiltyard_simulator.fault_folders import FaultFolders
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.loading import load
from tiltyard_simulator.progress import Progress
from tiltyard_simulator.reports import comparative_table, run_report, show_difference
from tiltyard_simulator.result_files import time_stamp, write_new
from tiltyard_simulator.running import run_matches
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec
from tiltyard_simulator.tables import PROGRAM_FORMATS, render
from tiltyard_simulator.viewer.options import detect_options


class Explain(StrEnum):
    """Which groups to show the first difference of."""

    LARGEST = "largest"
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ComparativeOptions:
    """What comparative mode is asked for, as it was written."""

    game_map: str
    game_managers_folder: str
    algorithm1: str
    algorithm2: str
    workers: int = 1
    verbose: bool = False
    explain: Explain = Explain.LARGEST
    table_format: str = "simple"
    holding: Holding = field(default_factory=Holding)
    keep_faults: bool = False
    """Whether matches that ended in a fault leave folders beside the results file."""


@dataclass(frozen=True, slots=True)
class CompetitionOptions:
    """What competition mode is asked for, as it was written."""

    game_maps_folder: str
    game_manager: str
    algorithms_folder: str
    workers: int = 1
    verbose: bool = False
    table_format: str = "simple"
    holding: Holding = field(default_factory=Holding)
    most_faults: int = 0
    """Matches with faults after which a team is quarantined; 0: never, as in the assignment."""
    keep_faults: bool = False
    """Whether matches that ended in a fault leave folders beside the results file."""


@dataclass(frozen=True, slots=True)
class Competition:
    """A competition that can be played."""

    game: Reference
    manager: Reference
    maps: list[MapSource]
    algorithms: list[Reference]


def prepare_comparative(options: ComparativeOptions, registry: Registry) -> Comparison:
    """Find everything that is named; what is left out of the folder is said on standard error.

    Raises:
        UserError: something named is missing or unusable, or no manager is left.
    """
    algorithms = tuple(choose(text, ALGORITHM, registry) for text in (options.algorithm1, options.algorithm2))
    if algorithms[0].game != algorithms[1].game:
        raise UserError(f"'{algorithms[0].name}' plays {algorithms[0].game}, '{algorithms[1].name}' plays {algorithms[1].game}")
    game = game_reference(registry, algorithms[0].game)
    source = choose_map(options.game_map, registry, game.name)
    load(game, Game).read_map(options.game_map, source.data, len(algorithms))
    managers = choose_all(options.game_managers_folder, MANAGER, registry, game.name)
    say_left_out(managers.left_out)
    _need(managers, 1, f"GameManager for {game.name}", options.game_managers_folder)
    return Comparison(game, source, algorithms, tuple(managers.references), options.verbose, options.holding)


Compared: TypeAlias = Callable[[Sequence[Group], Sequence[MatchOutcome]], None]


def run_comparative(comparison: Comparison, options: ComparativeOptions, compared: Compared | None = None) -> int:
    """Play, write the results file, and say what came out; 0, or 1 if the file could not be written.

    ``compared`` gets the groups, and the outcomes in the order of the managers.
    """
    logs = LogWriter() if options.verbose else None
    stem = f"comparative_results_{time_stamp()}"
    faults = _fault_folders(results_folder(options.game_managers_folder), stem, options.keep_faults)
    with Progress(len(comparison.managers)) as progress:

        def finished(place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
            if faults is not None:
                faults.finished(place, spec, outcome)
            progress.finished(place, spec, outcome)
            if logs is not None:
                logs.finished(place, spec, outcome)

        groups, outcomes = compare(comparison, options.workers, finished)
    header = [(key, str(getattr(options, key))) for key in ("game_map", "algorithm1", "algorithm2")]
    text = comparative_text(header, groups)
    status = write_results(results_folder(options.game_managers_folder), stem, text)
    status = max(status, logs.status if logs is not None else 0)
    print(comparative_table(groups, options.table_format))
    specs = [comparison.spec(manager) for manager in comparison.managers]
    say_report(run_report(list(zip(specs, outcomes, strict=True))), options.table_format)
    _say_kept(faults)
    if compared is not None:
        compared(groups, outcomes)
    sound = [group for group in groups if not group.failed]
    theme = load(comparison.game, Game).theme
    options_of_screen = detect_options(sys.stdout, columns=shutil.get_terminal_size().columns if sys.stdout.isatty() else None)
    for left, right in _pairs(sound, options.explain):
        difference = explain(comparison, left.managers[0], right.managers[0])
        print()
        print("\n".join(show_difference(difference, theme, options_of_screen)))
    return status


def _pairs(groups: Sequence[Group], which: Explain) -> list[tuple[Group, Group]]:
    pairs = list(combinations(groups, 2)) if which is not Explain.NONE else []
    return pairs if which is Explain.ALL else [pair for pair in pairs if pair[0] is groups[0]]


def prepare_competition(options: CompetitionOptions, registry: Registry) -> Competition:
    """Find everything that is named; what is left out of the folders is said on standard error.

    Raises:
        UserError: something named is missing or unusable, or too few algorithms or maps are left.
    """
    manager = choose(options.game_manager, MANAGER, registry)
    game = game_reference(registry, manager.game)
    maps = choose_maps([_folder(options.game_maps_folder)], registry, load(game, Game), 2)
    algorithms = choose_all(options.algorithms_folder, ALGORITHM, registry, game.name)
    say_left_out([*maps.left_out, *algorithms.left_out])
    if not maps.maps:
        raise UserError(f"{options.game_maps_folder}: holds no usable map for {game.name}")
    _need(algorithms, 2, f"algorithm for {game.name}", options.algorithms_folder)
    return Competition(game, manager, maps.maps, algorithms.references)


def run_competition(competition: Competition, options: CompetitionOptions) -> int:
    """Play, write the results file, and print the table; 0, or 1 if the file could not be written."""
    planned = schedule(competition.game, competition.manager, competition.maps, competition.algorithms, options.verbose)
    specs = options.holding.apply_all(planned)
    logs = LogWriter() if options.verbose else None
    games: dict[int, tuple[MatchSpec, MatchOutcome]] = {}
    stem = f"competition_{time_stamp()}"
    faults = _fault_folders(results_folder(options.algorithms_folder), stem, options.keep_faults)
    with Progress(len(specs)) as progress:

        def finished(place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
            games[place] = (spec, outcome.without_conversations())
            if faults is not None:
                faults.finished(place, spec, outcome)
            progress.finished(place, spec, outcome)
            if logs is not None:
                logs.finished(place, spec, outcome)

        try:
            outcomes = run_matches(specs, options.workers, finished, options.most_faults)
        except KeyboardInterrupt:
            print(f"stopped after {len(games)} of {len(specs)} games; no results file is written. So far:", file=sys.stderr)
            print(_totals_table(score(competition.algorithms, list(games.values())), options.table_format))
            _say_kept(faults)
            raise
    settled = list(zip(specs, outcomes, strict=True))
    totals = score(competition.algorithms, settled)
    header = [(key, str(getattr(options, key))) for key in ("game_maps_folder", "game_manager")]
    status = write_results(results_folder(options.algorithms_folder), stem, competition_text(header, totals))
    status = max(status, logs.status if logs is not None else 0)
    print(_totals_table(totals, options.table_format))
    say_report(run_report(settled), options.table_format)
    _say_kept(faults, outcomes)
    return status


def _fault_folders(folder: Path, stem: str, wanted: bool) -> FaultFolders | None:
    return FaultFolders(folder / f"{stem}_faults") if wanted else None


def _say_kept(faults: FaultFolders | None, outcomes: Sequence[MatchOutcome] = ()) -> None:
    if faults is not None:
        faults.settle(outcomes)
    if faults is not None and faults.summary():
        print(faults.summary(), file=sys.stderr)


def _totals_table(totals: Sequence[tuple[str, int]], table_format: str) -> str:
    return render(("algorithm", "points"), totals, table_format)


def say_report(report: str, table_format: str) -> None:
    """Print what stands below the tables; where a program reads these, it goes to standard error."""
    if report:
        print(f"\n{report}", file=sys.stderr if table_format in PROGRAM_FORMATS else sys.stdout)


def results_folder(text: str) -> Path:
    """Where results go: into the folder that was named, or the current one for ``installed``."""
    return Path() if text == INSTALLED else Path(text)


def write_results(folder: Path, stem: str, text: str) -> int:
    """Write a results file and say where; if that fails, say why, print the same text, and return 1."""
    try:
        path = write_new(folder, stem, ".txt", text)
    except UserError as error:
        print(f"error: {error}; the results follow:", file=sys.stderr)
        print(text)
        return 1
    print(f"results: {path}", file=sys.stderr)
    return 0


class LogWriter:
    """Writes each game's output file into the current folder, in the order of the schedule, whoever finishes first.

    So the same game gets the same file name with any number of workers. A file that cannot be written is reported
    and stops nothing: the results are worth more.
    """

    def __init__(self) -> None:
        self.status = 0
        """1 if a file could not be written."""
        self._next = 0
        self._early: dict[int, tuple[MatchSpec, MatchOutcome]] = {}

    def finished(self, place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
        """Take a game; it is written once all games before it in the schedule are."""
        self._early[place] = (spec, outcome)
        while self._next in self._early:
            self._write(*self._early.pop(self._next))
            self._next += 1

    def _write(self, spec: MatchSpec, outcome: MatchOutcome) -> None:
        """``output_<map>_<manager>_<names>``, with a number if that name is taken."""
        if outcome.manager_fault is not None:
            return
        if not outcome.claim.log:
            print(f"{spec.manager.name} keeps no output file ({' - '.join(spec.names)} on {spec.map.name})", file=sys.stderr)
            return
        stem = "_".join(["output", spec.map.name, spec.manager.name, *spec.names])
        try:
            write_new(Path(), stem, spec.manager.log_suffix, outcome.claim.log)
        except UserError as error:
            print(f"error: {error}", file=sys.stderr)
            self.status = 1


def say_left_out(reasons: Sequence[str]) -> None:
    """Tell what a folder held that cannot be used."""
    for reason in reasons:
        print(f"left out: {reason}", file=sys.stderr)


def _need(chosen: Chosen, least: int, what: str, folder: str) -> None:
    if len(chosen.references) < least:
        found = len(chosen.references)
        raise UserError(f"{folder}: holds {found or 'no'} usable {what}{'' if least == 1 else f', at least {least} are needed'}")


def _folder(text: str) -> str:
    if text != INSTALLED and not Path(text).is_dir():
        raise UserError(f"{text}: {'not a folder' if Path(text).exists() else 'no such folder'}")
    return text
