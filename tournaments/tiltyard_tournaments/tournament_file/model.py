"""The keys of a tournament file: their types, defaults and meanings. The JSON Schema and the reference page come from here."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema, model_validator

from tiltyard_simulator.match.eligibility import DEFAULT_FAULTS
from tiltyard_tournaments.tournament_file.contest import contest

ALL_INSTALLED: Final = "installed"
Line = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""One line of text."""


class Keys(BaseModel):
    """The base of all parts of the file: unknown keys are errors, and types aren't converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _as_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


def _word_for(key: str) -> BeforeValidator:
    """Accept a word in place of a mapping with that one ``key``."""
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str) else value)


def _number_of_round(value: object) -> object:
    if isinstance(value, str) and value != "now":
        raise ValueError(f"expected the number of a round, or 'now', got {value!r}")
    return 0 if value == "now" else value


Round = Annotated[
    int,
    BeforeValidator(_number_of_round),
    Field(ge=0),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"const": "now"}]}),
]
"""A round from 1; 0 is ``now``."""


OF_PLACES: Final = ("from", "top", "after", "of", "seeded", "carry")
"""Keys of teams that come from an earlier stage or from another tournament."""


class TeamEntry(Keys):
    """One or more teams: an installed name, a file, a folder of teams, a program, or ``installed`` for all."""

    team: Annotated[
        Line,
        Field(
            description="A team: an installed name, a file, FILE:NAME, FILE:* for all of a file, a folder of teams, or 'installed'."
        ),
    ]
    limits: Annotated[dict[str, float], Field(description="Limits for this team only, such as move_seconds: 2.")] = {}
    name: Annotated[
        Line | None,
        Field(description="The name in tables (overrides the team's own name). For a single team only.", max_length=100),
    ] = None
    source: Annotated[
        Line | None,
        Field(
            alias="from",
            description="Instead of 'team': the best teams of an earlier stage, by its name, or of another tournament's file.",
        ),
    ] = None
    top: Annotated[int | None, Field(ge=1, description="With 'from': the last place that advances. Default: all.")] = None
    after: Annotated[
        int, Field(ge=0, description="With 'from': this many of the best are left out, as for matches for lower places.")
    ] = 0
    of: Annotated[
        Literal["all", "each group"], Field(description="With 'from': whether places are those of each group, or of all teams.")
    ] = "all"
    seeded: Annotated[
        bool,
        Field(description="With 'from': whether they are seeded by their places, or else by the order of the earlier file."),
    ] = True

    carry: Annotated[
        Literal["none", "points", "head-to-head"],
        Field(
            description="With 'from': the points that count here too. 'points': all that a team had there, in its group where there"
            " are some; 'head-to-head': those from games among the teams of this entry."
        ),
    ] = "none"

    @model_validator(mode="before")
    @classmethod
    def _named_by_places(cls, value: object) -> object:
        """Teams of an earlier tournament have words too, by which a run notes who they were."""
        return contest().entry_with_words(value) if isinstance(value, dict) and value.keys() & set(OF_PLACES) else value


def _as_options(value: object) -> object:
    """``level 4`` means ``{level: 4}``."""
    key, _, text = value.partition(" ") if isinstance(value, str) else ("", "", "")
    return {key: yaml.safe_load(text)} if key and text.strip() and not set("{}[]:#&*!|>'\"%@`") & set(text) else value


class MapEntry(Keys):
    """One map, or several."""

    map: Annotated[
        Line | None,
        Field(description="A map: a shipped map's name, a file, a folder, a pattern such as maps/*.txt, or 'installed' for all."),
    ] = None
    generate: Annotated[
        dict[str, Any] | None,
        Field(description="Generate maps. Keys: count, seed, and the options of the game's generator, such as rows and cols."),
    ] = None


class WithOptions(BaseModel):
    """The base of parts whose further keys are the options of what they name."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class FormatEntry(WithOptions):
    """A format and its options."""

    name: Annotated[
        Line, Field(description="The format: round-robin, swiss, knockout, gauntlet, ... Further keys are its options.")
    ]


class ObserverEntry(WithOptions):
    """An observer and its options."""

    name: Annotated[Line, Field(description="An installed observer, a file, or FILE:NAME. Further keys are its options.")]


class PublisherEntry(WithOptions):
    """A publisher and its options."""

    name: Annotated[
        Line,
        Field(description="An installed publisher such as site or markdown, a file, or FILE:NAME. Further keys are its options."),
    ]


class ScoringEntry(Keys):
    """The points for a match."""

    win: Annotated[float, Field(description="Points for the winner.")] = 3.0
    draw: Annotated[float, Field(description="Points for each player in a tie.")] = 1.0
    loss: Annotated[float, Field(description="Points for a loser.")] = 0.0
    places: Annotated[
        list[float] | None, Field(description="Points by place in a match, best first, for games with more than two players.")
    ] = None
    by: Annotated[
        Literal["result", "score"],
        Field(description="'result': points for wins and ties. 'score': the sum of the game's own scores."),
    ] = "result"


class StageEntry(WithOptions):
    """A part of a tournament that is played as one of its own."""

    name: Annotated[
        Line,
        Field(
            description="The stage's name. It can have further keys of the file, for this stage only: format, maps, teams, ...",
            max_length=50,
        ),
    ]


class DisqualifyEntry(Keys):
    """A team that may not play any more."""

    reason: Annotated[Line, Field(description="Why the team is disqualified. All tables show it.")]
    results: Annotated[
        Literal["keep", "strike"],
        Field(
            description="'keep': what the team has played counts, and it forfeits the rest. 'strike': nothing that it has played"
            " counts for anybody."
        ),
    ] = "keep"


class LateEntry(Keys):
    """A team that comes after the first round."""

    first: Annotated[int, Field(alias="from", ge=2, description="The first round that the team plays.")]
    points: Annotated[float, Field(description="The points that it begins with.")] = 0.0


class PublicationEntry(Keys):
    """How to publish the results, and what visitors see."""

    publishers: Annotated[
        list[Annotated[PublisherEntry, _word_for("name")]],
        BeforeValidator(_as_list),
        Field(
            description="Publishers for 'tiltyard publish' and the end of 'tiltyard run'. Default: the site, at 'tiltyard publish'."
        ),
    ] = []
    title: Annotated[Line | None, Field(description="The site's title. Default: the tournament's title.")] = None
    logo: Annotated[Line | None, Field(description="An image file for the top of each page.")] = None
    links: Annotated[dict[Line, Line], Field(description="Links for the top of each page: text and address.")] = {}
    address: Annotated[
        Line | None, Field(description="Where the site will be, as https://example.org/cup/. Previews of links get a picture then.")
    ] = None
    hide: Annotated[
        list[Literal["output", "faults", "replays", "ratings", "not-admitted"]],
        Field(
            description="What to hide from visitors: 'output' is what teams print, 'faults' the messages of faults, 'replays' and"
            " 'ratings' what they say, and 'not-admitted' the table of works that became no team, with people's names and reasons."
        ),
    ] = ["output"]
    folder: Annotated[Line, Field(description="The folder for 'tiltyard publish', inside the output folder.")] = "site"


class AnalysisEntry(Keys):
    """Why teams lost, for the site."""

    cpu_seconds: Annotated[
        float, Field(gt=0, description="'tiltyard publish' and 'serve' explain lost games in this many CPU seconds in all.")
    ]


class TournamentKeys(Keys):
    """All keys of a tournament file."""

    title: Annotated[Line, Field(description="The tournament's name.")] = "Tournament"
    description: Annotated[str, Field(description="A short text for visitors of the site.")] = ""
    game: Annotated[
        Line | None, Field(description="The game. Default: the GameManager's game, or the game of the installed teams and maps.")
    ] = None
    manager: Annotated[
        Line | None,
        Field(description="The GameManager: a name, a file, a folder, or FILE:NAME. Default: the game's own."),
    ] = None
    teams: Annotated[
        list[Annotated[TeamEntry, _word_for("team")]], BeforeValidator(_as_list), Field(description="The teams.", min_length=1)
    ] = [TeamEntry(team=ALL_INSTALLED)]
    maps: Annotated[
        list[Annotated[MapEntry, _word_for("map")]], BeforeValidator(_as_list), Field(description="The maps.", min_length=1)
    ] = [MapEntry(map=ALL_INSTALLED)]
    qualify: Annotated[
        dict[str, Any] | None,
        BeforeValidator(_as_options),
        Field(
            description="Tests of the game that a team must pass before it plays. For advance: level 4, or keys level and tests."
        ),
    ] = None
    format: Annotated[
        FormatEntry, _word_for("name"), Field(description="Who plays whom: the name of a format, or its name and options.")
    ] = FormatEntry(name="round-robin")
    games: Annotated[
        int, Field(ge=1, le=10_000, description="Number of games of each pairing on each map in each order of seats.")
    ] = 1
    players: Annotated[
        int,
        Field(
            ge=1, le=100, description="Number of players in a match. If the game isn't for 2, the default is the fewest it takes."
        ),
    ] = 2
    seed: Annotated[
        int, Field(ge=0, lt=2**63, description="The seed of everything random: the pairings and the seed of each match.")
    ] = 1
    limits: Annotated[dict[str, float], Field(description="Limits for all teams (override the game's own limits).")] = {}
    isolation: Annotated[
        Literal["inline", "process", "sandbox"] | None,
        Field(description="Isolation for all teams. Default: inline for tiltyard's own code, a sandbox for all other code."),
    ] = None
    trust: Annotated[
        list[Line],
        BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
        Field(description="Code to run in tiltyard's own process, such as a game: names of installed distributions, or paths."),
    ] = []
    unconfined: Annotated[bool, Field(description="Run code from outside even if this machine can't confine it (level C).")] = False
    together: Annotated[
        bool,
        Field(
            description="Let the compiled files of a match share one sandbox: several times as fast, but they aren't protected from"
            " each other, and there are no replays."
        ),
    ] = False
    scoring: Annotated[
        ScoringEntry,
        _word_for("by"),
        Field(description="The points for a match."),
    ] = ScoringEntry()
    tie_breaks: Annotated[
        list[Line] | None,
        Field(
            alias="tie-breaks",
            description="Tie-breaks for teams with equal points, in this order. See the reference for their names. Default: wins;"
            " in a swiss buchholz, buchholz-cut-1, sonneborn-berger.",
        ),
    ] = None
    cuts: Annotated[
        list[Annotated[int, Field(ge=1)]],
        BeforeValidator(_as_list),
        Field(
            description="With the tie-break 'match': the last places that matter. Teams that are tied there play. Default: 1; in"
            " a stage from which teams advance, also the last place that does.",
            min_length=1,
        ),
    ] = [1]
    order: Annotated[
        list[Line],
        Field(description="The organiser's order of teams that are tied, best first, for the tie-break 'order'."),
    ] = []
    quarantine: Annotated[
        int, Field(ge=0, description="Forfeit all of a team's matches after this many of them with faults. 0 means never.")
    ] = DEFAULT_FAULTS
    disqualify: Annotated[
        dict[Line, Annotated[DisqualifyEntry, _word_for("reason")]],
        Field(description="Teams that may no longer play, by their names in tables, each with the reason."),
    ] = {}
    withdraw: Annotated[
        dict[Line, Round],
        Field(
            description="Teams that leave, by their names in tables, each with the first round that it doesn't play, or 'now'. A"
            " swiss no longer pairs them. In other formats, their opponents win the games that they don't play."
        ),
    ] = {}
    late: Annotated[
        dict[Line, LateEntry],
        Field(description="Teams of a swiss that join late, by their names in tables: 'from' which round, with how many 'points'."),
    ] = {}
    half_point_byes: Annotated[
        dict[Line, list[Annotated[int, Field(ge=1)]]],
        Field(
            alias="half-point-byes",
            description="Teams of a swiss that sit out rounds, by their names in tables: the rounds. Each gives a draw's points.",
        ),
    ] = {}
    on_crash: Annotated[
        Literal["forfeit", "idle", "void"],
        Field(
            alias="on-crash",
            description="What a crash of a team's code means. 'forfeit': the other teams win. 'idle': the team does nothing from"
            " then on, and the GameManager's result counts. 'void': the match counts for nobody.",
        ),
    ] = "forfeit"
    replays: Annotated[bool, Field(description="Whether to save replays.")] = True
    workers: Annotated[
        int, Field(ge=0, le=1024, description="Number of worker processes. 0 means one per core. Results don't depend on it.")
    ] = 0
    output: Annotated[
        Line | None, Field(description="The folder for the results. Default: the file's name without its extension.")
    ] = None
    stages: Annotated[
        list[StageEntry],
        BeforeValidator(_as_list),
        Field(description="Tournaments that follow each other, such as groups and finals. Each has the file's keys and its own."),
    ] = []
    observers: Annotated[
        list[Annotated[ObserverEntry, _word_for("name")]],
        BeforeValidator(_as_list),
        Field(description="Observers of the run, in addition to all installed observers of trusted plugins."),
    ] = []
    analysis: Annotated[AnalysisEntry | None, Field(description="Why teams lost, on the site. Default: not explained.")] = None
    publication: Annotated[PublicationEntry, Field(description="How to publish the results, and what visitors see.")] = (
        PublicationEntry()
    )
