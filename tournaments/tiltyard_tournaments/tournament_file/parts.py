"""The parts of a tournament file and their keys; and the JSON Schema that is shipped for editors."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Final

from pydantic import BaseModel

from tiltyard_tournaments.tournament_file.model import (
    AnalysisEntry,
    DisqualifyEntry,
    FormatEntry,
    MapEntry,
    ObserverEntry,
    PublicationEntry,
    PublisherEntry,
    ScoringEntry,
    StageEntry,
    TeamEntry,
    TournamentKeys,
)

SCHEMA_FILE: Final = "tournament.schema.json"
PARTS: Final[Mapping[str, type[BaseModel]]] = {
    "": TournamentKeys,
    "teams[]": TeamEntry,
    "maps[]": MapEntry,
    "format": FormatEntry,
    "scoring": ScoringEntry,
    "disqualify.NAME": DisqualifyEntry,
    "stages[]": StageEntry,
    "observers[]": ObserverEntry,
    "analysis": AnalysisEntry,
    "publication": PublicationEntry,
    "publication.publishers[]": PublisherEntry,
}
"""The file's parts by the key around them; ``[]`` stands for a list's items, NAME for any name."""


def shipped_schema() -> str:
    """The shipped file's text."""
    return resources.files("tiltyard_tournaments.tournament_file").joinpath(SCHEMA_FILE).read_text(encoding="utf-8")


def known_keys() -> dict[str, list[str]]:
    """The keys of the file, by the key around them."""
    return {
        around.replace("[]", ""): [info.alias or name for name, info in model.model_fields.items()]
        for around, model in PARTS.items()
    }
