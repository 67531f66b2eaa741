"""Options as people write them: errors, schema and table from one dataclass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from tiltyard_engine.formats import NoOptions, option
from tiltyard_tournaments.formats.options import options_model, options_of, options_schema, options_table


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen."""

    rounds: int = option(3, "how many", ge=1, le=9)
    share: float = option(0.5, "how much")
    teams: Sequence[str] = option((), "who")
    mode: Literal["fast", "slow"] = option("fast", "how")
    quiet: bool = False


def test_what_is_written_becomes_the_options() -> None:
    written = {"rounds": 9, "teams": ["acorn"], "share": 1, "mode": "slow"}
    assert options_of(Options, options_model(Options).model_validate(written)) == Options(9, 1.0, ["acorn"], "slow")
    assert options_of(Options, options_model(Options)()) == Options()


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ({"rounds": 0}, "greater_than_equal"),
        ({"rounds": 10}, "less_than_equal"),
        ({"rounds": "3"}, "int_type"),
        ({"rounds": True}, "int_type"),
        ({"teams": "acorn"}, "sequence_str"),
        ({"mode": "medium"}, "literal_error"),
        ({"round": 3}, "extra_forbidden"),
    ],
)
def test_what_cannot_be_written(written: dict[str, Any], kind: str) -> None:
    with pytest.raises(ValidationError) as caught:
        options_model(Options).model_validate(written)
    (error,) = caught.value.errors()
    assert error["type"] == kind
    assert error["loc"] == tuple(written)


def test_the_schema() -> None:
    schema = options_schema(Options)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["rounds"] == {
        "default": 3,
        "description": "how many",
        "minimum": 1,
        "maximum": 9,
        "title": "Rounds",
        "type": "integer",
    }


def test_the_table() -> None:
    assert options_table(Options) == [
        ("rounds", "whole number, at least 1, at most 9", "3", "how many"),
        ("share", "number", "0.5", "how much"),
        ("teams", "list of text", "none", "who"),
        ("mode", "fast, slow", "fast", "how"),
        ("quiet", "true, false", "false", ""),
    ]
    assert options_table(NoOptions) == []
