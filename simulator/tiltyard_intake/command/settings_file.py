"""The settings of an intake: where everything is, and which recipes are taken. A YAML file fills them, options change them.

The file is read as strictly as a tournament file, by the same reader: everything that is wrong is told at once, with its line.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from tiltyard_engine.errors import UserError
from tiltyard_engine.recipes import Part, Product, Recipe, Step, Way
from tiltyard_intake.command.deadlines import Deadline
from tiltyard_intake.environments.allowed import allowed_of
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_tournaments.tournament_file.document import Document, KeyPath, dotted, read_document
from tiltyard_tournaments.tournament_file.model import Keys, Line
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError
from tiltyard_tournaments.tournament_file.validation import check_sound_part, unknown_keys

OWN_ORDER = 10
"""An organiser's recipe comes before all others."""


class IntakeSettingsError(TournamentFileError):
    """The settings file has problems, all of which it names."""

    undone = "nothing was taken in"


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Lines = Annotated[list[Line], BeforeValidator(_as_list)]
AllowedPackages = Annotated[
    Lines,
    Field(
        description="Packages that teams may have: those of Python beside what tiltyard's own environment has, such as [numpy,"
        " 'scipy<2'], are installed into environments of the teams' own; those of others, such as cargo:rand, nuget:NAME, go:PATH"
        " or cmake:NAME, come from the folder under packages."
    ),
]
WheelsFolder = Annotated[
    Line | None,
    Field(
        description="A folder of wheels. The teams' packages come only from this folder. Without allow, all of them are allowed."
    ),
]
PackagesFolder = Annotated[
    Line | None,
    Field(
        description="A folder with the folders python, cargo, nuget, go and cmake, or some of these: packages come only from there."
        " Of each kind of which allow names none, all are allowed."
    ),
]


class ProductEntry(Keys):
    """What comes out of a recipe."""

    files: Annotated[Lines, Field(min_length=1)]
    """Patterns of where it is: the first that something matches counts."""
    form: Literal["program", "file", "folder"] = "program"
    contents: Literal["executable", "library", "assembly", "script", "any"] | None = None
    """What it must be by its first bytes. Default: an executable for a program without a command, else anything."""
    name: Line | None = None
    command: Line | None = None
    """What runs a program, with ``{product}`` for its file."""
    also: Lines = Field(default_factory=list)


class RecipeEntry(Keys):
    """A recipe of the organiser's."""

    recognises: Annotated[Lines, Field(min_length=1)]
    """Patterns; a folder that has a file for each is built by this recipe."""
    rejects: Lines = Field(default_factory=list)
    mentions: Lines = Field(default_factory=list)
    title: Line | None = None
    commands: Lines = Field(default_factory=list)
    """One after the other, in the folder that was recognised. None: the product was handed in."""
    product: Annotated[ProductEntry, BeforeValidator(lambda value: {"files": value} if isinstance(value, str | list) else value)]


class TeamSettings(Keys):
    """What is set for one team."""

    recipe: Line


class IntakeSettings(Keys):
    """All that an organiser may set: as a file says it, or as options do. Paths in a file are relative to it."""

    handed_in: Annotated[Line | None, Field(alias="handed-in")] = None
    game: Line | None = None
    into: Line | None = None
    report: Line | None = None
    roster: Line | None = None
    deadline: Deadline = None
    recipe: Line | None = None
    teams: dict[
        Line, Annotated[TeamSettings, BeforeValidator(lambda value: {"recipe": value} if isinstance(value, str) else value)]
    ] = Field(default_factory=dict)
    recipes: dict[Line, RecipeEntry] = Field(default_factory=dict)
    limits: dict[str, float] = Field(default_factory=dict)
    build_seconds: Annotated[float | None, Field(alias="build-seconds", ge=1.0)] = None
    allow: AllowedPackages = Field(default_factory=list)
    wheels: WheelsFolder = None
    packages: PackagesFolder = None
    given: Lines = Field(default_factory=list)
    warnings_fail: Annotated[bool, Field(alias="warnings-fail")] = False
    last_that_plays: Annotated[bool, Field(alias="last-that-plays")] = False

    def with_options(self, **options: object) -> IntakeSettings:
        """These settings with the options that were given: each replaces what is set, and those that can be repeated add to it.

        Args:
            options: by the names of the settings; None for those that were not given.
        """
        changes: dict[str, object] = {}
        for name, value in options.items():
            before = getattr(self, name)
            if isinstance(value, list):
                changes[name] = [*before, *value]
            elif isinstance(value, dict):
                changes[name] = before | value
            elif value is not None:
                changes[name] = str(value) if isinstance(value, Path) else value
        changed: IntakeSettings = self.model_copy(update=changes)
        return changed

    def recipes_of_teams(self) -> dict[str, str]:
        """The recipe of each team that has one of its own."""
        return {team: entry.recipe for team, entry in self.teams.items()}

    def own_recipes(self, game: str) -> tuple[Recipe, ...]:
        """The organiser's recipes, for a game."""
        return tuple(_recipe(name, entry, game) for name, entry in self.recipes.items())


def read_intake_settings(path: Path) -> IntakeSettings:
    """Read the settings of a file, its paths made relative to the current folder.

    Raises:
        UserError: the file cannot be read.
        IntakeSettingsError: with every problem that it has.
    """
    try:
        document = read_document(path, "settings of an intake")
    except TournamentFileError as error:
        raise IntakeSettingsError(str(path), error.problems) from error
    settings, problems, _ = check_sound_part(IntakeSettings, document.data, document)
    problems = [*document.problems, *unknown_keys(problems, _known_keys())]
    if settings is not None:
        problems += _problems(settings, document)
    if problems or settings is None:
        raise IntakeSettingsError(document.name, problems)
    paths = {key: getattr(settings, key) for key in ("handed_in", "into", "report", "roster", "wheels", "packages")}
    absolute: dict[str, Any] = {key: str(path.parent / value) for key, value in paths.items() if value is not None}
    absolute["given"] = [str(path.parent / each) for each in settings.given]
    placed_settings: IntakeSettings = settings.model_copy(update=absolute)
    return placed_settings


def _known_keys() -> dict[str, list[str]]:
    kinds: dict[str, type[Keys]] = {"": IntakeSettings, "recipes.NAME": RecipeEntry, "teams.NAME": TeamSettings}
    return {key: list(kind.model_json_schema()["properties"]) for key, kind in kinds.items()}


def _problems(settings: IntakeSettings, document: Document) -> list[Problem]:
    """What types don't tell."""
    problems: list[Problem] = []

    def add(where: KeyPath, error: Exception) -> None:
        problems.append(Problem(document.line_of(where), dotted(where), str(error)))

    for limit, value in settings.limits.items():
        try:
            LimitChanges({limit: value}, where="limits")
        except UserError as error:
            add(("limits",), error)
    problems += package_problems(settings.allow, document)
    for name, entry in settings.recipes.items():
        for place, command in enumerate(entry.commands):
            try:
                shlex.split(command)
            except ValueError as error:
                add(("recipes", name, "commands", place), error)
    return problems


def package_problems(names: Sequence[str], document: Document, under: KeyPath = ()) -> list[Problem]:
    """What is wrong with the names under ``allow``."""
    problems: list[Problem] = []
    for place, package in enumerate(names):
        try:
            allowed_of([package], None)
        except UserError as error:
            where = (*under, "allow", place)
            problems.append(Problem(document.line_of(where), dotted(where), str(error)))
    return problems


def _recipe(name: str, entry: RecipeEntry, game: str) -> Recipe:
    product_keys = entry.product
    is_executable = product_keys.form == "program" and product_keys.command is None
    contents = product_keys.contents or ("executable" if is_executable else "any")
    product = Product(
        form=product_keys.form,
        patterns=tuple(product_keys.files),
        contents="" if contents == "any" else contents,
        name=product_keys.name or "",
        command=tuple(shlex.split(product_keys.command)) if product_keys.command else ("./{product}",),
        also=tuple(product_keys.also),
    )
    steps = tuple(Step(tool=tool, words=tuple(words)) for tool, *words in map(shlex.split, entry.commands))
    way = Way(title="the commands of the settings" if steps else "what was handed in", steps=steps)
    return Recipe(
        name=name,
        title=entry.title or name,
        game=game,
        wants=tuple(entry.recognises),
        rejects=tuple(entry.rejects),
        mentions=tuple(entry.mentions),
        parts=(Part(title="the team", ways=(way,), product=product),),
        order=OWN_ORDER,
    )
