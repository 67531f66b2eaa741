"""The competition mode of assignment 3: on each map every algorithm meets one other, points decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import refuse_address
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.records import Game, check_players
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.texts.quantities import counted
from tiltyard_matchups.reports import RunOptions, RunReporter, require
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec, Recording
from tiltyard_simulator.match.verdict import OnCrash, check_on_crash
from tiltyard_simulator.output.reports import say_left_out, say_notes
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.failure_watch import FailureWatch
from tiltyard_simulator.play.local_matches import run_matches
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.plugin_list import INSTALLED
from tiltyard_simulator.teams.team_labels import with_unique_labels
from tiltyard_tournaments.formats.competition import pairings

SEATS = 2
WIN_POINTS = 3
TIE_POINTS = 1


def schedule(competition: CompetitionPlan, on_crash: OnCrash = OnCrash.FORFEIT, *, log: bool = False) -> list[MatchSpec]:
    """All games, map by map."""
    game, manager, teams = competition.game, competition.manager, competition.algorithms
    matches = [
        MatchInput(game=game, manager=manager, map=source, teams=(teams[first], teams[second]), on_crash=on_crash)
        for number, source in enumerate(competition.maps)
        for first, second in pairings(len(teams), number)
    ]
    return [MatchSpec(match, recording=Recording(log=log)) for match in matches]


def score(algorithms: Sequence[Reference], outcomes: Sequence[Outcome]) -> list[tuple[str, int]]:
    """Total points by algorithm, highest first, then by name. A game without a result gives no points."""
    points = {reference.label: 0 for reference in algorithms}
    for outcome in outcomes:
        if not outcome.counts:
            continue
        for seat, name in enumerate(outcome.teams, start=1):
            if outcome.winner == seat:
                points[name] += WIN_POINTS
            elif outcome.winner == 0:
                points[name] += TIE_POINTS
    return sorted(points.items(), key=lambda line: (-line[1], line[0]))


def competition_text(header: Sequence[tuple[str, str]], totals: Sequence[tuple[str, int]]) -> str:
    """The results file of assignment 3; ``header`` holds game_maps_folder and game_manager as they were given."""
    head = "\n".join(f"{key}={value}" for key, value in header)
    return "\n".join([head, "", *[f"{name} {total}" for name, total in totals]]) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionOptions(RunOptions):
    """The options of competition mode, as the user wrote them."""

    game_maps_folder: str
    game_manager: str
    """Empty: the game's own."""
    algorithms_folder: str
    most_faults: int = 0
    """Matches with faults after which a team is quarantined; 0: never, as in the assignment."""
    game: str | None = None
    on_crash: OnCrash = OnCrash.FORFEIT


@dataclass(frozen=True, slots=True)
class CompetitionPlan:
    """A competition that can be played."""

    game: Reference
    manager: Reference
    maps: list[MapSource]
    algorithms: list[Reference]


def prepare_competition(options: CompetitionOptions, finder: Finder, *, by_people: bool = False) -> CompetitionPlan:
    """Find everything that the options name. Files of the folders that are left out are reported on standard error.

    Args:
        options: as on the command line.
        finder: finds it.
        by_people: whether teams are shown under the labels of those whose they are, where an intake knows that; else under the
            names that they declare.

    Raises:
        UserError: something named is missing or unusable, or too few algorithms or maps are left.
    """
    for folder in (options.game_maps_folder, options.algorithms_folder):
        if folder != INSTALLED and not Path(folder).is_dir():
            refuse_address(str(folder))
            raise UserError(f"{folder}: {'not a folder' if Path(folder).exists() else 'no such folder'}")
    folders = {"algorithms": [options.algorithms_folder], "maps": [options.game_maps_folder]}
    referee = finder.referee(game=options.game, manager=options.game_manager or None, **folders)
    game, manager = referee.game, referee.manager
    check_players(game.load_as(Game), SEATS, "a competition is of matches of two; 'tiltyard round-robin' takes any number")
    check_on_crash(options.on_crash, game.load_as(Game))
    maps = finder.maps([options.game_maps_folder], game.load_as(Game), SEATS)
    folder = options.algorithms_folder
    algorithms = finder.teams(folder, game.name) if by_people else finder.plugins(folder, ALGORITHM, game.name)
    say_left_out([*maps.left_out, *algorithms.left_out])
    if not maps.maps:
        raise UserError(f"{options.game_maps_folder}: contains no usable map for {game.name}")
    require(algorithms, 2, f"algorithm for {game.name}", options.algorithms_folder)
    labelled, notes = with_unique_labels(algorithms.references, algorithms.labels)
    say_notes(notes)
    return CompetitionPlan(game, manager, maps.maps, labelled)


def run_competition(competition: CompetitionPlan, options: CompetitionOptions) -> int:
    """Play, write the results file and print the table. Returns 0, or 1 if a file could not be written or no match has a result."""
    specs = options.isolation_policy.apply_all(schedule(competition, options.on_crash, log=options.verbose))
    so_far: list[Outcome] = []
    reporter = RunReporter("competition", options.algorithms_folder, len(specs), options)

    def finished(spec: MatchSpec, record: MatchRecord) -> None:
        so_far.append(record.outcome)
        reporter.finished(spec, record)

    with reporter.progress:
        try:
            outcomes = run_matches(specs, options.workers, finished, options.most_faults, watch=FailureWatch())
        except KeyboardInterrupt as stop:
            stop.add_note(
                f"stopped after {len(so_far)} of {counted(len(specs), 'game')}; the table shows these. No results file was written,"
                " and no game is saved: the same command starts from the beginning. 'tiltyard run' and 'round-robin' save each game"
            )
            print(_totals_table(score(competition.algorithms, so_far), options.table_format))
            reporter.say_kept()
            raise
    totals = score(competition.algorithms, outcomes)
    header = [("game_maps_folder", options.game_maps_folder), ("game_manager", options.game_manager or competition.manager.label)]
    return reporter.finish(competition_text(header, totals), _totals_table(totals, options.table_format), outcomes)


def _totals_table(totals: Sequence[tuple[str, int]], table_format: str) -> str:
    return render(("algorithm", "points"), totals, table_format)
