"""The comparative mode of assignment 3, from choice to files and screen."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import TypeAlias

from tiltyard_checks.command.drawn_difference import show_difference
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.records import Game, check_players
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.texts.names import is_same
from tiltyard_matchups.comparison import Group, ManagerComparison, comparative_text, compare, remarks
from tiltyard_matchups.first_difference import Explainer
from tiltyard_matchups.reports import RunOptions, RunReporter, comparative_table, require
from tiltyard_matchups.unequal_logs import log_remarks
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.output.reports import say_left_out, say_notes
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.teams.team_labels import with_unique_labels
from tiltyard_viewer.drawing.options import detect_options


class Explain(StrEnum):
    """Which groups to show the first difference of."""

    LARGEST = "largest"
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparativeOptions(RunOptions):
    """The options of comparative mode, as the user wrote them."""

    game_map: str
    game_managers_folder: str
    algorithm1: str
    algorithm2: str
    explain: Explain = Explain.LARGEST
    against: str = ""
    """The GameManager that the others are compared with; empty: the game's default one, if it takes part."""


def prepare_comparative(options: ComparativeOptions, registry: Registry) -> ManagerComparison:
    """Find everything that the options name. Files of the folder that are left out are reported on standard error.

    Raises:
        UserError: something named is missing or unusable, or no manager is left.
    """
    algorithms = tuple(Finder(registry).plugin(text, ALGORITHM) for text in (options.algorithm1, options.algorithm2))
    if algorithms[0].game != algorithms[1].game:
        raise UserError(f"'{algorithms[0].name}' plays {algorithms[0].game}, '{algorithms[1].name}' plays {algorithms[1].game}")
    game = Finder(registry).game(algorithms[0].game)
    check_players(game.load_as(Game), len(algorithms), "a comparison is of matches of two")
    source = Finder(registry).map(options.game_map, game.name)
    read_map(game.load_as(Game), options.game_map, source.data, len(algorithms))
    managers = Finder(registry).plugins(options.game_managers_folder, MANAGER, game.name)
    say_left_out(managers.left_out)
    require(managers, 1, f"GameManager for {game.name}", options.game_managers_folder)
    labelled, notes = with_unique_labels(managers.references)
    say_notes(notes)
    return ManagerComparison(
        game=game,
        map=source,
        algorithms=algorithms,
        managers=tuple(labelled),
        model=_model(labelled, options.against, registry, game.name),
        verbose=options.verbose,
        isolation_policy=options.isolation_policy,
    )


def _model(managers: Sequence[Reference], name: str, registry: Registry, game: str) -> Reference | None:
    """The GameManager that the others are compared with."""
    if name:
        model = next((each for each in managers if is_same(name, each.label) or is_same(name, each.name)), None)
        if model is None:
            names = ", ".join(sorted(each.label for each in managers))
            raise UserError(f"--against {name}: it does not take part; these do: {names}")
        return model
    try:
        default = Finder(registry).manager(game)
    except UserError:
        return None
    return next((each for each in managers if (each.name, each.source) == (default.name, default.source)), None)


Compared: TypeAlias = Callable[[Sequence[Group], Sequence[MatchRecord]], None]


def run_comparative(comparison: ManagerComparison, options: ComparativeOptions, compared: Compared | None = None) -> int:
    """Play, write the results file and print the groups. Returns 0, or 1 if a file could not be written or no match has a result.

    ``compared`` gets the groups, and the records in the order of the managers.
    """
    reporter = RunReporter("comparative_results", options.game_managers_folder, len(comparison.managers), options)
    with reporter.progress:
        groups, records = compare(comparison, options.workers, reporter.finished)
    header = [(key, str(getattr(options, key))) for key in ("game_map", "algorithm1", "algorithm2")]
    table = comparative_table(groups, options.table_format)
    theme = comparison.game.load_as(Game).display.theme
    draw_options = detect_options(sys.stdout, columns=shutil.get_terminal_size().columns if sys.stdout.isatty() else None)
    with Explainer(comparison) as explainer:
        unequal_logs = log_remarks(groups, explainer) if options.explain is not Explain.NONE else []
        status = reporter.finish(
            comparative_text(header, groups), table, [record.outcome for record in records], [*remarks(groups), *unequal_logs]
        )
        if compared is not None:
            compared(groups, records)
        for left, right in _pairs(groups, options.explain, comparison.model):
            difference = explainer.explain(left.speaker, right.speaker)
            print()
            print("\n".join(show_difference(difference, theme, draw_options)))
    return status


def _pairs(groups: Sequence[Group], which: Explain, model: Reference | None) -> list[tuple[Group, Group]]:
    """Those groups first whose rows come first, but for the model's."""
    sound = sorted((group for group in groups if not group.failed), key=lambda group: model not in group.managers)
    pairs = list(combinations(sound, 2)) if which is not Explain.NONE else []
    return pairs if which is Explain.ALL else [pair for pair in pairs if pair[0] is sound[0]]
