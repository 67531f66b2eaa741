"""What lies in a folder, as far as file names and the heads of files tell: tournaments, leagues, teams, games, archives.

Nothing is imported or played for this, so that it is quick and safe anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.registry.trust import states_game
from tiltyard_engine.texts.names import file_name
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

STORE: Final = "tournament.sqlite"
LEAGUE_FILE: Final = "league.yaml"
LEAGUE_STORE: Final = "league.sqlite"
"""By name, as all of the league: nothing here may depend on it."""
PYPROJECT: Final = "pyproject.toml"
PROGRAM: Final = "program.toml"
DEMO: Final = "tiltyard-demo"
"""Where 'tiltyard demo' writes, with a tournament in it."""
YAML: Final = (".yaml", ".yml")
ARCHIVES: Final = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2")
INTAKE: Final = ".intake"
"""What the folder of an intake's reports has behind the name of its teams' folder."""
MOODLE: Final = "_assignsubmission_"
"""In the names of a download's folders."""
MOST_ENTRIES: Final = 1000
"""Of a folder; in one with more nobody keeps a tournament."""
MOST_CHARACTERS: Final = 1 << 16
_KEY: Final = re.compile(r"^(teams|maps|format|game):", re.MULTILINE)
_OUTPUT: Final = re.compile(r"^output:[ \t]*(?P<folder>[^#\n]+)", re.MULTILINE)
_ENTRY_POINTS: Final = re.compile(r"^\[project\.entry-points\.[\"']?tiltyard[\"']?\]", re.MULTILINE)
_NAME: Final = re.compile(r"^name\s*=\s*[\"'](?P<name>[^\"'\n]+)[\"']", re.MULTILINE)
_TEAM_FILE: Final = re.compile(r"\b(TankTeam|TurnTeam)\(")


@dataclass(frozen=True, slots=True)
class TournamentHere:
    """A tournament file, and whether there are results."""

    file: Path
    has_results: bool


@dataclass(frozen=True, slots=True)
class LeagueHere:
    """A league's folder, and whether its store is there."""

    folder: Path
    has_begun: bool


@dataclass(frozen=True, slots=True)
class PluginHere:
    """The package of a team or a game, or a team that is one file or a program."""

    path: Path
    name: str
    is_game: bool = False


@dataclass(frozen=True, slots=True)
class WorkingFolder:
    """What is in a folder; leagues and packages also right below it."""

    tournaments: tuple[TournamentHere, ...]
    leagues: tuple[LeagueHere, ...]
    plugins: tuple[PluginHere, ...]
    taken_in: tuple[Path, ...]
    """Folders of teams that an intake has made."""
    handed_in: tuple[Path, ...]
    """Archives; or the folder itself, if it holds a download's folders."""


def look_around(folder: Path) -> WorkingFolder:
    """What is in ``folder``; what can't be read is left out."""
    entries = _entries(folder)
    folders = [path for path in entries if path.is_dir()]
    files = [path for path in entries if path.is_file()]
    tournaments = list(_tournaments(files))
    if (folder / STORE).is_file():
        around = list(_tournaments(_entries(folder / "..")))
        tournaments += [each for each in around if (store := store_of(each.file)) and store.samefile(folder / STORE)]
    tournaments = tournaments or list(_tournaments(_entries(folder / DEMO)))
    handed_in = [path for path in files if path.name.lower().endswith(ARCHIVES)]
    if any(MOODLE in path.name for path in folders):
        handed_in.append(folder)
    return WorkingFolder(
        tournaments=tuple(tournaments),
        leagues=tuple(_leagues([folder, *folders])),
        plugins=tuple(_plugins([folder, *folders], files)),
        taken_in=tuple(path for path in folders if path.with_name(file_name(path.name, INTAKE)).is_dir()),
        handed_in=tuple(handed_in),
    )


def tournament_files(folder: Path) -> list[Path]:
    """The tournament files in a folder, by name."""
    return [tournament.file for tournament in _tournaments(_entries(folder))]


def store_of(file: Path) -> Path | None:
    """The store of a tournament file, if it has been played; of one with stages, that of any stage."""
    output = _OUTPUT.search(_read(file))
    folder = file.parent / output["folder"].strip().strip("'\"") if output else file.with_suffix("")
    return next((store for store in (folder / STORE, *folder.glob(f"*/{STORE}")) if store.is_file()), None)


def _tournaments(files: list[Path]) -> Iterator[TournamentHere]:
    for file in files:
        if file.suffix in YAML and file.name != LEAGUE_FILE and len(set(_KEY.findall(_read(file)))) > 1:
            yield TournamentHere(file, has_results=store_of(file) is not None)


def _leagues(folders: list[Path]) -> Iterator[LeagueHere]:
    for folder in folders:
        if (folder / LEAGUE_FILE).is_file():
            yield LeagueHere(folder, has_begun=any(folder.glob(f"**/{LEAGUE_STORE}")))


def _plugins(folders: list[Path], files: list[Path]) -> Iterator[PluginHere]:
    for folder in folders:
        project = _read(folder / PYPROJECT)
        if (folder / PROGRAM).is_file():
            name = _NAME.search(_read(folder / PROGRAM))
            yield PluginHere(folder, name["name"] if name else folder.resolve().name)
        elif section := _ENTRY_POINTS.search(project):
            match = _NAME.search(project)
            entry = re.search(r"^[\"']?(?P<name>[^\s\"'=#\[]+)[\"']?\s*=", project[section.end() :], re.MULTILINE)
            if entry and (match is None or match["name"] not in OWN_DISTRIBUTIONS):
                is_game = any(map(states_game, [*folder.glob("*/*.py"), *folder.glob("src/*/*.py")]))
                yield PluginHere(folder, entry["name"], is_game)
    for file in files:
        if file.suffix == ".py" and _TEAM_FILE.search(_read(file)):
            yield PluginHere(file, file.stem)


def _entries(folder: Path) -> list[Path]:
    try:
        entries = [path for path, _ in zip(folder.iterdir(), range(MOST_ENTRIES))]
    except OSError:
        return []
    return sorted(path for path in entries if not path.name.startswith("."))


def _read(file: Path) -> str:
    try:
        if not file.is_file():
            return ""
        with file.open(encoding="utf-8", errors="replace") as text:
            return text.read(MOST_CHARACTERS)
    except OSError:
        return ""
