"""The keys of a tournament file: their types, defaults and meanings. The JSON Schema and the reference page come from here."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from tiltyard_simulator.quarantine import DEFAULT_FAULTS

ALL_INSTALLED: Final = "installed"
Line = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""One line of text."""


class Keys(BaseModel):
    """What all parts of the file share: nothing else may stand in them, and nothing is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _as_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


def _named(key: str) -> BeforeValidator:
    """Lets a word stand for the mapping in which it is ``key``."""
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str) else value)


class TeamEntry(Keys):
    """One team, or several: an installed name, a file, a folder of teams, a program; ``installed`` for all."""

    team: Annotated[Line, Field(description="An installed name, a path, FILE:NAME, a folder of teams, or 'installed' for all.")]
    limits: Annotated[dict[str, float], Field(description="Limits of this team that differ, as move_seconds: 2.")] = {}
    name: Annotated[
        Line | None, Field(description="What it is called in tables, in place of its own name; for one team.", max_length=100)
    ] = None


def _as_options(value: object) -> object:
    """``level 4`` stands for ``{level: 4}``."""
    key, _, text = value.partition(" ") if isinstance(value, str) else ("", "", "")
    return {key: yaml.safe_load(text)} if key and text.strip() and not set("{}[]:#&*!|>'\"%@`") & set(text) else value


class MapEntry(Keys):
    """One map, or several."""

    map: Annotated[
        Line | None, Field(description="A shipped map's name, a file, a folder, a pattern such as maps/*.txt, 'installed'.")
    ] = None
    generate: Annotated[
        dict[str, Any] | None,
        Field(description="Generated maps: count, seed, and what the game's generator can be asked for, such as rows and cols."),
    ] = None


class FormatEntry(BaseModel):
    """A format and its options."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: Annotated[
        Line, Field(description="Who meets whom: round-robin, swiss, knockout, gauntlet, ...; further keys are its options.")
    ]


class ObserverEntry(BaseModel):
    """An observer and its options."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: Annotated[Line, Field(description="An installed observer, a file, FILE:NAME; further keys are its options.")]


class PublisherEntry(BaseModel):
    """A publisher and its options."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: Annotated[
        Line,
        Field(description="An installed publisher such as site or markdown, a file, FILE:NAME; further keys are its options."),
    ]


class ScoringEntry(Keys):
    """What a match gives."""

    win: Annotated[float, Field(description="Points of the winner.")] = 3.0
    draw: Annotated[float, Field(description="Points of each in a tie.")] = 1.0
    loss: Annotated[float, Field(description="Points of a loser.")] = 0.0
    places: Annotated[
        list[float] | None, Field(description="Points by place in a match, best first, for games with more than two players.")
    ] = None
    by: Annotated[
        Literal["result", "score"], Field(description="'score': the game's own score is added up in place of points.")
    ] = "result"


class PublicationEntry(Keys):
    """How the results are published, and what readers see."""

    publishers: Annotated[
        list[Annotated[PublisherEntry, _named("name")]],
        BeforeValidator(_as_list),
        Field(description="Who publishes, also at the end of 'tiltyard run'; by default only 'tiltyard publish' does: the site."),
    ] = []
    title: Annotated[Line | None, Field(description="The site's title; by default the tournament's.")] = None
    logo: Annotated[Line | None, Field(description="A picture file for the head of each page.")] = None
    links: Annotated[dict[Line, Line], Field(description="Text to address, for the foot of each page.")] = {}
    hide: Annotated[
        list[Literal["output", "faults", "replays", "ratings"]], Field(description="What visitors do not get to see.")
    ] = ["output"]
    folder: Annotated[Line, Field(description="Where 'tiltyard publish' writes, within the output folder.")] = "site"


class TournamentKeys(Keys):
    """The whole file."""

    title: Annotated[Line, Field(description="The tournament's name.")] = "Tournament"
    description: Annotated[str, Field(description="A few lines for readers of the site.")] = ""
    game: Annotated[
        Line | None, Field(description="The game; by default the manager's, or the one that the installed teams and maps are for.")
    ] = None
    manager: Annotated[
        Line | None,
        Field(description="The GameManager: a name, a file, a folder, FILE:NAME; by default the game's own, or 'reference'."),
    ] = None
    teams: Annotated[
        list[Annotated[TeamEntry, _named("team")]], BeforeValidator(_as_list), Field(description="Who plays.", min_length=1)
    ] = [TeamEntry(team=ALL_INSTALLED)]
    maps: Annotated[
        list[Annotated[MapEntry, _named("map")]], BeforeValidator(_as_list), Field(description="On what.", min_length=1)
    ] = [MapEntry(map=ALL_INSTALLED)]
    qualify: Annotated[
        dict[str, Any] | None,
        BeforeValidator(_as_options),
        Field(description="What a team has to show before it plays, as the game has it; for advance: level 4, or level and tests."),
    ] = None
    format: Annotated[FormatEntry, _named("name"), Field(description="Who meets whom; a name, or name and options.")] = FormatEntry(
        name="round-robin"
    )
    games: Annotated[int, Field(ge=1, le=10_000, description="Games of each pairing on each map in each order of seats.")] = 1
    players: Annotated[int, Field(ge=1, le=100, description="Players in a match.")] = 2
    seed: Annotated[int, Field(ge=0, lt=2**63, description="All chance comes from it: pairings, and each match's own seed.")] = 1
    limits: Annotated[dict[str, float], Field(description="Limits of all teams that differ from the game's own.")] = {}
    isolation: Annotated[
        Literal["inline", "process", "sandbox"] | None,
        Field(description="How all teams are held; by default the project's own inline, others in a sandbox."),
    ] = None
    trust: Annotated[
        list[Line], Field(description="Distributions and paths whose code may run in the runner's own process, such as a game's.")
    ] = []
    unconfined: Annotated[bool, Field(description="Play strangers' code even where the machine cannot confine it.")] = False
    scoring: Annotated[
        ScoringEntry,
        BeforeValidator(lambda value: {"by": value} if isinstance(value, str) else value),
        Field(description="What a match gives."),
    ] = ScoringEntry()
    tie_breaks: Annotated[
        list[Line],
        Field(alias="tie-breaks", description="In this order, where points are equal; see the reference for their names."),
    ] = ["wins"]
    quarantine: Annotated[int, Field(ge=0, description="After so many matches with faults a team plays no more; 0: never.")] = (
        DEFAULT_FAULTS
    )
    replays: Annotated[bool, Field(description="Whether replays are kept.")] = True
    workers: Annotated[int, Field(ge=0, le=1024, description="Worker processes; 0: one a core. Results do not depend on it.")] = 0
    output: Annotated[
        Line | None, Field(description="The folder for the results; by default the file's name without its ending.")
    ] = None
    observers: Annotated[
        list[Annotated[ObserverEntry, _named("name")]],
        BeforeValidator(_as_list),
        Field(description="Who hears of the run, beside all installed observers of trusted plugins."),
    ] = []
    publication: Annotated[PublicationEntry, Field(description="How the results are published, and what readers see.")] = (
        PublicationEntry()
    )
