"""From a league's folder to its tournament and settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import ClassVar, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference, Registry
from tiltyard_intake.command.deadlines import deadline_of
from tiltyard_intake.command.settings_file import package_problems
from tiltyard_intake.environments.allowed import Allowed, WaysOut, allowed_of
from tiltyard_league.league_file.model import LeagueKeys
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.tournament_file.document import Document, read_document
from tiltyard_tournaments.tournament_file.key_places import KeyPlaces
from tiltyard_tournaments.tournament_file.parts import known_keys
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError
from tiltyard_tournaments.tournament_file.resolution import resolve
from tiltyard_tournaments.tournament_file.validation import check_sound_part, unknown_keys

LEAGUE_FILE: Final = "league.yaml"
PLAYERS: Final = 2
"""In a game, where the file says nothing else."""
MOST_PLAYERS: Final = 9
FOR_SOME: Final = f"a league plays games of {PLAYERS} to {MOST_PLAYERS}"
RESULTS: Final = "results"
"""The folder of the store, where the file names no other."""
LEAGUE_KEYS: Final = {"league": [field.alias or name for name, field in LeagueKeys.model_fields.items()]}
WAYS_OUT: Final = WaysOut(
    not_allowed=f"remove it, or ask the staff to write 'allow: [{{name}}]' under 'league' in {LEAGUE_FILE}",
    between=", ",
    no_package="remove it, or ask the staff to put it into the league's folder of packages",
    no_wheel="remove it, or ask the staff to put its wheel into the league's folder of wheels",
    not_now="ask the staff to check this version again",
    slow="ask the staff to look at the package index and check this version again",
)
"""What a team is told that asks for packages which it can't have."""


class LeagueFileError(TournamentFileError):
    """A league's file with problems."""

    undone: ClassVar[str] = "nothing was started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the web process needs of the file: no plugin is loaded for it."""

    folder: Path
    title: str
    description: str
    game: str
    """As the file names it."""
    keys: LeagueKeys
    results: Path
    """The folder of the store."""
    players: int = PLAYERS
    """How many play in a game."""
    analysis_seconds: float = 0.0
    """CPU seconds in which games of each team are explained within 24 hours; 0: none is."""

    @property
    def deadline(self) -> datetime | None:
        """When the last upload in time comes; None: any time."""
        value = deadline_of(self.keys.deadline)
        return None if value is None else value.astimezone()

    @property
    def wheels(self) -> Path | None:
        """The folder that packages of teams come from; None: a package index."""
        return None if self.keys.wheels is None else self.folder / self.keys.wheels

    @property
    def packages(self) -> Path | None:
        """The folder with the packages of every ecosystem."""
        return None if self.keys.packages is None else self.folder / self.keys.packages

    @property
    def end(self) -> datetime | None:
        """After this nobody can hand in; None: never."""
        # Clocks may be set in between, so that it is in another zone than the deadline.
        return None if self.deadline is None else (self.deadline + timedelta(hours=self.keys.grace)).astimezone()


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """All of it, for the service."""

    settings: Settings
    tournament: Tournament
    """Its teams are the staff's."""
    registry: Registry
    allowed: Allowed
    """The packages that teams may have."""

    @property
    def pin(self) -> Reference:
        """The team whose rating is 0."""
        teams = self.tournament.teams
        return next((team for team in teams if self.settings.keys.pin in (team.label, team.name)), teams[0])


def read_settings(folder: Path) -> Settings:
    """The settings of the league in a folder.

    Raises:
        UserError: there is no league, or its file cannot be read.
        LeagueFileError: with every problem under ``league``.
    """
    document = _document(folder)
    settings, problems = _settings(folder, document)
    if problems or settings is None:
        raise LeagueFileError(document.name, problems)
    return settings


def load_league(folder: Path, *, unconfined: bool = False) -> League:
    """The league in a folder, with its plugins.

    Args:
        folder: of the league.
        unconfined: whether code of strangers is run even where this machine cannot confine it.

    Raises:
        UserError: there is no league, or its file cannot be read.
        LeagueFileError: with every problem of the file.
    """
    document = _document(folder)
    settings, problems = _settings(folder, document)
    data = {key: value for key, value in document.data.items() if key != "league"}
    data.setdefault("output", RESULTS)
    if unconfined:
        data["unconfined"] = True
    if any(problem.key == "players" for problem in problems):
        # The rest of the file is looked at as if it were not there.
        del data["players"]
    if settings is not None:
        try:
            allowed_of((), settings.wheels)
        except UserError as error:
            problems.append(Problem(document.line_of(("league", "wheels")), "league.wheels", str(error)))
        try:
            allowed_of((), None, packages=settings.packages)
        except UserError as error:
            problems.append(Problem(document.line_of(("league", "packages")), "league.packages", str(error)))
    plain = Document(document.name, data, document.lines)
    try:
        resolved = resolve(plain, folder / LEAGUE_FILE, open_registry, other_keys=LEAGUE_KEYS)
    except TournamentFileError as error:
        file_problems = [_of_game(each, document) if each.key == "players" else each for each in error.problems]
        raise LeagueFileError(document.name, [*file_problems, *problems]) from error
    tournament = resolved.tournament
    pin = None if settings is None else settings.keys.pin
    if pin is not None and not any(pin in (team.label, team.name) for team in tournament.teams):
        names = ", ".join(tournament.names)
        problems.append(Problem(document.line_of(("league", "pin")), "league.pin", f"no team is called '{pin}': expected {names}"))
    if problems or settings is None:
        raise LeagueFileError(document.name, problems)
    allowed = allowed_of(settings.keys.allow, settings.wheels, WAYS_OUT, packages=settings.packages)
    allowed.check_folder()
    return League(
        settings=settings,
        tournament=replace(tournament, replays=True),
        registry=resolved.registry,
        allowed=allowed,
    )


def _of_game(problem: Problem, document: Document) -> Problem:
    """What a tournament's file says about its players, for a league."""
    what = problem.message.partition("; ")[0]
    if "players" in document.data:
        return Problem(problem.line, "players", what)
    return Problem(document.line_of(("game",)), "game", f"{what.partition(',')[0]}; {FOR_SOME}")


def _document(folder: Path) -> Document:
    path = folder / LEAGUE_FILE
    if not path.is_file():
        raise UserError(
            f"{folder}: there is no league here ({LEAGUE_FILE} is missing); make one with 'tiltyard new league {folder}'",
            see="no-league",
        )
    try:
        return read_document(path, "a league's file")
    except TournamentFileError as error:
        raise LeagueFileError(str(path), error.problems) from error


def _settings(folder: Path, document: Document) -> tuple[Settings | None, list[Problem]]:
    values = document.data.get("league")
    keys, problems, _ = check_sound_part(LeagueKeys, {} if values is None else values, document, ("league",))
    problems = [*document.problems, *unknown_keys(problems, LEAGUE_KEYS, lambda: KeyPlaces({**known_keys(), **LEAGUE_KEYS}))]
    if keys is None:
        return None, problems
    problems += package_problems(keys.allow, document, ("league",))
    if keys.address is not None and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", keys.address):
        problems.append(
            Problem(
                document.line_of(("league", "address")),
                "league.address",
                f"expected the address of the league, such as https://league.example.edu/2026, got '{keys.address}'",
            )
        )
    players = document.data.get("players", PLAYERS)
    if type(players) is not int or not PLAYERS <= players <= MOST_PLAYERS:
        problems.append(Problem(document.line_of(("players",)), "players", f"{FOR_SOME}, got {players!r}"))
        players = PLAYERS
    output = document.data.get("output")
    return (
        Settings(
            folder=folder,
            title=str(document.data.get("title", "League")),
            description=str(document.data.get("description", "")),
            game=str(document.data.get("game", "")),
            keys=keys,
            results=folder / (output if isinstance(output, str) else RESULTS),
            players=players,
            analysis_seconds=_analysis_seconds(document.data.get("analysis")),
        ),
        problems,
    )


def _analysis_seconds(entry: object) -> float:
    """What the key ``analysis`` says; 0 for what is no number, of which the start of the league tells."""
    seconds = entry.get("cpu_seconds") if isinstance(entry, dict) else None
    return float(seconds) if isinstance(seconds, int | float) else 0.0
