"""The schema of tournament files for editors, and their keys on the reference page."""

from __future__ import annotations

import json

from tests.scripts import load_script

from tiltyard_tournaments.tournament_file.parts import known_keys, shipped_schema

tournament_file = load_script("docs/reference/tournament_file.py")


def test_the_shipped_file_is_the_generated_one() -> None:
    assert shipped_schema() == tournament_file.schema_text()
    assert json.loads(shipped_schema()) == tournament_file.json_schema()


def test_words_may_stand_for_mappings_and_items_for_lists() -> None:
    properties = tournament_file.json_schema()["properties"]
    for key in ("format", "scoring"):
        assert {"type": "string", "minLength": 1} in properties[key]["anyOf"]
    for key in ("teams", "maps"):
        text, several = properties[key]["anyOf"]
        assert text == {"type": "string", "minLength": 1}
        assert (several["type"], several["minItems"]) == ("array", 1)
        assert text in several["items"]["anyOf"]


def test_every_reference_leads_somewhere() -> None:
    schema = tournament_file.json_schema()
    text = json.dumps(schema)
    names = {part.split('"')[0] for part in text.split("#/$defs/")[1:]}
    assert names == set(schema["$defs"])


def test_nothing_else_may_stand_in_it() -> None:
    schema = tournament_file.json_schema()
    assert schema["additionalProperties"] is False
    free = [name for name, part in schema["$defs"].items() if part.get("additionalProperties") is not False]
    assert free == ["FormatEntry", "ObserverEntry", "PublisherEntry", "StageEntry"]


def test_every_key_is_told_of() -> None:
    rows = list(tournament_file.key_rows())
    assert all(text for _, _, text in rows)
    keys = {key for key, _, _ in rows}
    assert len(keys) == len(rows)
    assert {"tie-breaks", "teams[].limits", "maps[].generate", "publication.hide"} <= keys
    assert {"tie-breaks", "scoring"} <= set(known_keys()[""])
    assert ("scoring.win", "`3`") in [row[:2] for row in rows]
