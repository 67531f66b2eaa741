"""tournament-file.md, the keys of a tournament file, and the JSON Schema that is shipped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

import tiltyard_tournaments.tournament_file as room
from tiltyard_tournaments.tournament_file.model import TournamentKeys
from tiltyard_tournaments.tournament_file.parts import PARTS, SCHEMA_FILE

PAGE = Path(__file__).with_name("tournament-file.md")
SCHEMA = Path(next(iter(room.__path__))) / SCHEMA_FILE
INTRODUCTION = """\
# The tournament file

`tiltyard run FILE` plays a tournament file, which is YAML. Every key has a default, so a few lines are enough:

```yaml
game: tanks
teams: all installed
maps: all installed
format: round-robin
```

The whole file is checked before anything is played. Paths are relative to the file's folder.

Short forms: an item of `teams` or `maps`, `format` and `scoring` can be a single word. A list with one item can be written as
that item. `qualify: level 4` means `qualify: {level: 4}`, and `disqualify: {thunder: late}` means
`disqualify: {thunder: {reason: late}}`.

`tiltyard new tournament` writes a commented file, and the JSON Schema next to it. Editors find the schema by the file's first line:

```yaml
# yaml-language-server: $schema=tournament.schema.json
```

See [formats](formats.md), [standings](standings.md) for tie-breaks, and [isolation](isolation.md) for limits.

| key | default | meaning |
|---|---|---|
"""
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


def page() -> str:
    """The whole page."""
    return INTRODUCTION + "".join(f"| `{key}` | {default} | {text} |\n" for key, default, text in key_rows())


def files() -> Mapping[Path, str]:
    """The page and the schema."""
    return {PAGE: page(), SCHEMA: schema_text()}
