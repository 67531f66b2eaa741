"""All who play in what people handed in: what plays as it is, and what was built of the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.host import Host
from tiltyard_engine.host.interface import Submissions
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, Reference
from tiltyard_engine.registry.sources import MANIFEST
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_intake.archives.folders import each_file
from tiltyard_intake.exports.lms_exports import EMPTY_FOLDER
from tiltyard_intake.intake import take_in
from tiltyard_intake.one_team import has_to_be_built, is_an_export, is_one_teams_work
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.recipes.recognition import NOTHING
from tiltyard_intake.report.team_report import BUILT, TeamReport, Verdict
from tiltyard_intake.trees.junk import is_source
from tiltyard_simulator.registry.finder import Finder

_Ready = dict[Path, list[tuple[str, Reference]]]
"""Who plays as it is, with their labels, by where they lie."""


def take_players_in(
    host: Host, registry: Registry, handed_in: str, options: IntakeOptions, emit: Callable[[str], None]
) -> Submissions:
    """All who play in what was handed in.

    Args:
        host: finds what plays as it is.
        registry: the plugins.
        handed_in: the words of the caller for it, such as a path.
        options: how the rest is taken in.
        emit: called with a line for each whose work was built or left out.

    Raises:
        UserError: this machine cannot confine builds, or a folder cannot be written.
    """
    path, game, recipe = options.handed_in, options.game, options.recipe
    ready: _Ready = {}
    is_export = False
    if path.is_dir() and not (path / MANIFEST).is_file():
        submissions = host.find_submissions(handed_in, game)
        is_export = is_an_export(path)
        ready = _by_path(path, submissions)
        if recipe:
            # Programs that are built already are not to be read by a recipe; all else is.
            ready = {place: players for place, players in ready.items() if _is_built(place if place.exists() else path, players)}
            submissions = dataclasses.replace(submissions, players=[player for players in ready.values() for player in players])
            if ready and not all(place.exists() for place in ready):
                # The folder is one program's own.
                return Submissions(submissions.players)
        if not submissions.left_out and not is_export and (not recipe or len(ready) == len(_entries(path))):
            return submissions
    elif not has_to_be_built(path):
        player = host.find_player(handed_in, game)
        return Submissions([(player.label, player.reference)])
    options = dataclasses.replace(options, is_one_team=not ready and is_one_teams_work(path), as_they_are=frozenset(ready))

    def tell(team: TeamReport, number: int, count: int) -> None:
        # Whom no recipe fits is told of with those who are left out.
        if team.recipe:
            emit(f"[{number}/{count}] {team.label}: {_in_words(team)}")

    report = take_in(options, registry, tell)
    submissions = Submissions()
    for where, reason in report.skipped:
        if reason == EMPTY_FOLDER:
            submissions.left_out.append(f"{Path(where).name}: {reason}")
        else:
            emit(f"left out: {where}: {reason}")
    for team in sorted(report.teams, key=lambda each: each.label):
        if team.as_it_is:
            # A platform's names of folders are no names of teams.
            told_as = (Path(team.as_it_is).name, team.label) if is_export else ("", "")
            submissions.players += [(label.replace(*told_as, 1), player) for label, player in ready[Path(team.as_it_is)]]
        elif team.verdict in BUILT:
            _add_built(team, options, registry, submissions)
        else:
            submissions.left_out.append(f"{one_line(team.label)}: {_in_words(team)}")
    return submissions


def _add_built(team: TeamReport, options: IntakeOptions, registry: Registry, submissions: Submissions) -> None:
    products = [options.into / name for name in team.products]
    players = [product for product in products if product.parent == options.into] or products
    several = len(players) > 1
    for product in players:
        try:
            player = Finder(registry).plugin(str(product), ALGORITHM, options.game)
        except UserError as error:
            submissions.left_out.append(f"{team.label}: {error}")
            continue
        submissions.players.append((f"{team.label}:{player.name}" if several else team.label, player))


def _is_built(place: Path, players: list[tuple[str, Reference]]) -> bool:
    if any(player.program is None for _, player in players):
        return False
    return place.is_file() or (place / MANIFEST).is_file() or not any(map(is_source, each_file(place)))


def _entries(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith((".", "__"))]


def _by_path(folder: Path, submissions: Submissions) -> _Ready:
    ready: _Ready = {}
    for label, player in submissions.players:
        # One of several in a file or folder has its own name behind that.
        path = folder / label
        path = path if path.exists() else folder / label.partition(":")[0]
        ready.setdefault(path, []).append((label, player))
    return ready


def _in_words(team: TeamReport) -> str:
    """The result for a team, in one line."""
    if team.verdict in BUILT:
        return f"built by {team.recipe}, {'kept from before' if team.is_reused else f'{team.seconds:.1f} s'}"
    # Why no recipe fits is long, and of what holds no sources nobody wants to know it.
    is_nothing = team.verdict is Verdict.UNKNOWN and team.found.startswith(NOTHING)
    return one_line(f"{team.verdict.value}: {team.found if is_nothing else team.error}")
