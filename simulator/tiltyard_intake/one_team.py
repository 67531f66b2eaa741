"""One team's work as people name it on a command line: whether it has to be built, which game it is for, and building it."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tiltyard_checks.team.subjects import package_around
from tiltyard_engine.errors import UserError, file_errors, some_of
from tiltyard_engine.recipes import Recipe
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import GAME
from tiltyard_intake.archives.archive_kinds import is_archive
from tiltyard_intake.archives.bounds import EXPORT_BOUNDS
from tiltyard_intake.archives.unpack_errors import UnpackError
from tiltyard_intake.exports.peek import has_export, is_class, peek
from tiltyard_intake.intake import BUILDS, take_in
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.recipes.recognition import LANGUAGES, PREBUILT, makes_program, recipes_of
from tiltyard_intake.report.team_report import TeamReport, Verdict
from tiltyard_intake.trees.file_names import file_stem
from tiltyard_intake.trees.junk import PROJECT_ENDINGS, PROJECTS
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

CACHE_VARIABLE: Final = "TILTYARD_CACHE"
KEPT_SECONDS: Final = 30 * 24 * 3600
"""What was built of somebody's work and not asked for since is removed."""
PLAYS_AS_IT_IS: Final = frozenset({".py", ".so"})
TEAMS: Final = "teams"
SOURCE_FOLDERS: Final = frozenset({"src", "source", "sources", "include", "includes", "inc", "common"})
"""No team is called so."""
COMPILED: Final = frozenset(LANGUAGES) - {".py", ".js", ".ipynb"}
_MAIN: Final = re.compile(rb"\b[Mm]ain\s*\(")


@dataclass(frozen=True, slots=True)
class RecognisedTeam:
    """What one team's work was recognised as."""

    report: TeamReport
    game: str
    """Empty if what comes out of it says that itself."""
    recipe: Recipe | None

    @property
    def is_python(self) -> bool:
        """Whether it is Python for tiltyard, which plays as it is if nothing is wrong with it."""
        return self.recipe is not None and not self.recipe.game and not makes_program(self.recipe)


@dataclass(frozen=True, slots=True)
class BuiltTeam:
    """The result of one team's work."""

    report: TeamReport
    path: Path | None
    """What plays; None if nothing does."""
    log: str
    """What the build printed."""

    @property
    def is_team(self) -> bool:
        """Whether what was built plays, and is not something else, such as a GameManager."""
        return self.path is not None and self.path.parent.name == TEAMS


def has_to_be_built(path: Path) -> bool:
    """Whether a file cannot play as it is: an archive, sources of a language that is compiled, or a program for a runtime."""
    if not path.is_file():
        return False
    suffix = path.suffix.lower()
    if is_archive(path):
        return True
    return suffix in {*LANGUAGES, *PREBUILT} - PLAYS_AS_IT_IS and not os.access(path, os.X_OK)


def is_source_file(path: Path) -> bool:
    """Whether it is one file of a language that is built, or of Python."""
    return path.is_file() and path.suffix.lower() in LANGUAGES and not is_archive(path)


def how_to_build(path: Path, registry: Registry, game: str) -> str:
    """For what plays nothing as it lies there: the command that builds its sources, or its package; empty for neither."""
    if (package := package_around(path)) is not None:
        return f"it is a part of a package: name its folder, {package}"
    what = "holds the work of several teams"
    if not holds_a_class(path):
        try:
            work = recognise_team(path, registry, game)
        except UserError:
            # It can't be read.
            return ""
        if work.recipe is None or work.is_python:
            return ""
        what = work.report.found
    into = f"{path.resolve().stem}-built"
    command = shlex.join(["tiltyard", "intake", str(path), "--game", game, "--into", into])
    return f"it {what}; build it with '{command}', then name the folder {into}"


def is_an_export(folder: Path) -> bool:
    """Whether a platform's names are in a folder."""
    return has_export(peek(folder, EXPORT_BOUNDS))


def holds_a_class(path: Path) -> bool:
    """Whether a folder or an archive looks as the work of several teams. One that cannot be read is one team's, who is told."""
    try:
        return (path.is_dir() or is_archive(path)) and is_class(peek(path, EXPORT_BOUNDS))
    except UnpackError:
        return False


def is_one_teams_work(path: Path) -> bool:
    """Whether a file or folder is to be read as one team's work, and not as a folder with an entry for each team.

    A folder is one team's if it has a project's file or folders at its top, or sources with one main function at most.
    """
    if holds_a_class(path):
        return False
    if not path.is_dir():
        return True
    children = list(path.iterdir())
    if any(child.is_dir() and child.name.lower() in SOURCE_FOLDERS for child in children):
        return True
    files = [child for child in children if child.is_file()]
    if any(file.name in PROJECTS or file.suffix.lower() in PROJECT_ENDINGS for file in files):
        return True
    sources = [file for file in files if file.suffix.lower() in COMPILED]
    return len(sources) > 1 and sum(bool(_MAIN.search(file.read_bytes())) for file in sources) <= 1


def recognise_team(path: Path, registry: Registry, game: str = "") -> RecognisedTeam:
    """Recognise what one team handed in: an archive, a file of sources or a folder. Nothing is built.

    Args:
        path: where it lies.
        registry: the plugins.
        game: what it plays; empty: what its recipe tells.

    Raises:
        UserError: it is a class, or its game cannot be told.
    """
    if holds_a_class(path):
        raise UserError(
            f"{path}: contains the work of several teams; run 'tiltyard intake' first, then name one of its teams",
            see="several-teams",
        )
    works = _works_for(path, registry, [game] if game else registry.games_to_offer())
    fitting_works = [team for team in works if team.recipe is not None]
    if len(fitting_works) < 2:
        return (fitting_works or works)[0]
    sure = [team for team in fitting_works if team.recipe is not None and _names_its_game(team.recipe)]
    if not sure and fitting_works[0].is_python:
        return replace(fitting_works[0], game="")
    if len(sure) != 1:
        fitting = some_of([team.game for team in fitting_works])
        raise UserError(f"{path}: {fitting_works[0].report.found}; name the game that it plays with --game: {fitting}")
    return sure[0]


def build_team(path: Path, work: RecognisedTeam, registry: Registry, policy: IsolationPolicy) -> BuiltTeam:
    """Build what one team handed in.

    It is kept in the user's cache folder, at a place of its own, so that what was found out about it can name it later.

    Raises:
        UserError: this machine cannot confine builds, or the cache cannot be written.
    """
    place = _place_of(path)
    with file_errors(place, "written"):
        place.mkdir(parents=True, exist_ok=True)
        os.utime(place)
        _remove_old(place)
    # A game is needed for a manifest alone.
    game = work.game or next(entry.name for entry in registry.all(GAME))
    options = _options(path, game, policy=policy, into=place / TEAMS, reports=place)
    (report,) = take_in(options, registry, lambda *_: None).teams
    for old in (place / BUILDS).glob("*"):
        if old.name != report.digest:
            shutil.rmtree(old, ignore_errors=True)
    products = [place / TEAMS / name for name in report.products]
    # A GameManager may have been built beside the team.
    players = [product for product in products if product.parent == place / TEAMS]
    log = (place / report.log).read_text(encoding="utf-8") if report.log else ""
    return BuiltTeam(report, next(iter(players or products), None), log)


def _options(path: Path, game: str, **others: Any) -> IntakeOptions:
    return IntakeOptions(handed_in=path, game=game, is_one_team=True, plays_once=False, keeps_sources=False, **others)


def _works_for(path: Path, registry: Registry, games: Iterable[str]) -> list[RecognisedTeam]:
    """The work for each game. Most games, such as those of a plugin with a hundred, have the same recipes: these are tried once."""
    works: dict[tuple[str, ...], RecognisedTeam] = {}
    works_of_games: list[RecognisedTeam] = []
    for game in games:
        recipes = recipes_of(registry, game)
        names = tuple(recipe.name for recipe in recipes)
        works[names] = replace(works[names], game=game) if names in works else _work_for(path, registry, game, recipes)
        works_of_games.append(works[names])
        if works_of_games[-1].report.verdict is Verdict.UNREADABLE:
            # It is that for each game, and unpacking it as far as that may take long.
            break
    return works_of_games


def _work_for(path: Path, registry: Registry, game: str, recipes: Iterable[Recipe]) -> RecognisedTeam:
    place = _place_of(path)
    (report,) = take_in(_options(path, game, into=place, reports=place, is_dry=True), registry, lambda *_: None).teams
    return RecognisedTeam(report, game, next((recipe for recipe in recipes if recipe.name == report.recipe), None))


def _names_its_game(recipe: Recipe) -> bool:
    """Whether a recipe wants what only one game's courses have: words in the sources, or folders of a name."""
    return bool(recipe.game) and (bool(recipe.mentions) or "/" in recipe.wants[0].partition("|")[0])


def _place_of(path: Path) -> Path:
    """A folder of the user's cache for what is built of the work that lies at a path."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    usual = (Path(base) if base.startswith("/") else Path.home() / ".cache") / "tiltyard"
    cache = Path(os.environ[CACHE_VARIABLE]).absolute() if os.environ.get(CACHE_VARIABLE) else usual
    whole = path.resolve()
    digest = hashlib.sha256(os.fsencode(whole)).hexdigest()[:12]
    return cache / "intake" / f"{file_stem(whole.stem)[:40]}-{digest}"


def _remove_old(place: Path) -> None:
    """Remove what was built of other work, and was not used for long."""
    long_ago = time.time() - KEPT_SECONDS
    for other in place.parent.glob("*"):
        if other != place and other.stat().st_mtime < long_ago:
            shutil.rmtree(other, ignore_errors=True)
