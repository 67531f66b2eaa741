"""The JSON Schema of a tournament file, for editors; and the keys as rows, for the reference page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tiltyard_tournaments.tournament_file.model import (
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
    "publication": PublicationEntry,
    "publication.publishers[]": PublisherEntry,
}
"""The file's parts by the key around them; ``[]`` stands for a list's items, NAME for any name."""
SHORT_FORMS: Final = {"format": "name", "scoring": "by"}
"""Keys whose value may be a word alone, and the key of it that the word stands for; of lists also one item alone."""


def json_schema() -> dict[str, Any]:
    """The schema, which also allows the short forms: a word for a mapping, one item for a list of it."""
    schema: dict[str, Any] = TournamentKeys.model_json_schema(by_alias=True)
    properties = schema["properties"]
    for key in SHORT_FORMS:
        _also_text(properties, key)
    properties["qualify"]["anyOf"].insert(0, {"type": "string", "minLength": 1})
    for pattern in properties["disqualify"]["patternProperties"]:
        _also_text(properties["disqualify"]["patternProperties"], pattern)
    for key in ("teams", "maps", "observers"):
        _also_one(properties, key)
    team = schema["$defs"]["TeamEntry"]
    team["oneOf"] = [{"required": [team.pop("required")[0]]}, {"required": ["from"]}]
    _also_one(schema["$defs"]["PublicationEntry"]["properties"], "publishers")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "A tournament file of tiltyard"
    return schema


def _also_text(properties: dict[str, Any], key: str) -> None:
    value = properties[key]
    reference = value.pop("$ref", None)
    whole = {"$ref": reference} if reference else value.pop("allOf")[0]
    properties[key] = {**value, "anyOf": [{"type": "string", "minLength": 1}, whole]}


def _also_one(properties: dict[str, Any], key: str) -> None:
    """One item may stand for a list of it, and a word for an item."""
    text = {"type": "string", "minLength": 1}
    items = properties[key].pop("items")
    rest = {name: properties[key].pop(name) for name in ("minItems", "type") if name in properties[key]}
    properties[key]["anyOf"] = [text, {**rest, "items": {"anyOf": [text, items]}}]


def schema_text() -> str:
    """The schema as the file that is shipped."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def shipped_schema() -> str:
    """The shipped file's text."""
    return resources.files("tiltyard_tournaments.tournament_file").joinpath(SCHEMA_FILE).read_text(encoding="utf-8")


def known_keys() -> dict[str, list[str]]:
    """The keys of the file, by the key around them."""
    return {
        around.replace("[]", ""): [info.alias or name for name, info in model.model_fields.items()]
        for around, model in PARTS.items()
    }


def key_rows() -> Iterator[tuple[str, str, str]]:
    """(key, what it may be and its default, what it means), part by part."""
    for around, model in PARTS.items():
        for name, info in model.model_fields.items():
            key = info.alias or name
            yield (f"{around}.{key}" if around else key), _default(info), info.description or ""


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return ""
    value = info.default
    if value is None or isinstance(value, BaseModel) or value in ([], {}, ""):
        return ""
    if isinstance(value, list):
        value = [getattr(item, "team", None) or getattr(item, "map", None) or item for item in value]
        return ", ".join(f"`{item}`" for item in value)
    return f"`{json.dumps(value)}`" if isinstance(value, bool | str) else f"`{value:g}`"
