"""Checking values against a type, with errors that say what was found, what was expected, and the nearest valid name."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from tiltyard_tournaments.tournament_file.problems import Problem
from tiltyard_tournaments.tournament_file.reading import Document, KeyPath, dotted

T = TypeVar("T")

EXPECTED: Final[Mapping[str, str]] = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "string_too_short": "some text",
    "string_pattern_mismatch": "one line of text",
    "too_short": "at least one",
    "list_type": "a list",
    "sequence_str": "a list",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "model_attributes_type": "keys and values",
    "dataclass_type": "keys and values",
    "mapping_type": "keys and values",
}
"""pydantic's error types to what people would have had to write."""

BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
"""pydantic's error types to the bound's name in the error's context, and its words."""


def check(kind: Any, value: Any, document: Document, path: KeyPath = ()) -> tuple[Any | None, list[Problem]]:
    """A value as the type ``kind``, or all that is wrong with it.

    Args:
        kind: a pydantic model, a dataclass, or any type that pydantic knows.
        value: what the document says at ``path``.
        document: for the lines.
        path: where the value stands in the document.
    """
    try:
        return TypeAdapter(kind).validate_python(value, strict=True), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True)
        return None, [_problem(detail, document, path) for detail in details]


def check_options(
    kind: type[Any], values: Mapping[str, Any], document: Document, path: KeyPath
) -> tuple[Any | None, list[Problem]]:
    """Values as an instance of an options dataclass, or all that is wrong with them.

    Each field is checked by its type, and by ``ge`` and ``le`` of its metadata; see ``tiltyard_engine.formats.option``.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}
    hints = get_type_hints(kind)
    problems: list[Problem] = []
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        where = (*path, name)
        if name not in fields:
            hint = nearest(name, list(fields)) if fields else "there are none"
            problems.append(Problem(document.line_of(where), dotted(where), f"there is no such key; {hint}"))
            continue
        bounds = {bound: limit for bound, limit in fields[name].metadata.items() if bound in ("ge", "le")}
        chosen[name], found = check(Annotated[hints[name], FieldInfo(**bounds)], value, document, where)
        problems += found
    for name, field in fields.items():
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and name not in values:
            problems.append(Problem(document.line_of(path), dotted((*path, name)), "is missing"))
    return (None, problems) if problems else (kind(**chosen), [])


def _problem(detail: ErrorDetails, document: Document, base: KeyPath) -> Problem:
    path = (*base, *(part for part in detail["loc"] if not _is_pydantics_own(part)))
    if detail["type"] in ("missing", "missing_argument"):
        return Problem(document.line_of(path[:-1]), dotted(path), "is missing")
    return Problem(document.line_of(path), dotted(path), _message(detail))


def _is_pydantics_own(part: str | int) -> bool:
    """Names of validators and of a union's branches stand among the keys."""
    return isinstance(part, str) and (part.startswith(("function-", "constrained-")) or "[" in part)


def _message(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    found = shown(detail["input"])
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return "there is no such key"
    if kind in EXPECTED:
        return f"found {found}, expected {EXPECTED[kind]}"
    if kind in ("literal_error", "enum"):
        # pydantic has the names in a sentence only: 'a', 'b' or 'c'
        names = [name.strip("' ") for name in str(context.get("expected", "")).replace(" or ", ", ").split(",")]
        return f"found {found}, {nearest(str(detail['input']), names)}"
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        return f"found {found}, expected {words} {context[name]}"
    if kind == "value_error":
        return str(context.get("error", detail["msg"]))
    return f"found {found}: {detail['msg'][:1].lower()}{detail['msg'][1:]}"


def unknown_keys(problems: Sequence[Problem], known: Mapping[str, Sequence[str]]) -> list[Problem]:
    """The same problems, with the nearest known key in those of unknown ones; ``known`` is by the key around them."""
    told: list[Problem] = []
    for problem in problems:
        parent, _, key = problem.key.rpartition(".")
        names = known.get(parent.partition("[")[0], ())
        if problem.message == "there is no such key" and names:
            told.append(Problem(problem.line, problem.key, f"there is no such key; {nearest(key, names)}"))
        else:
            told.append(problem)
    return told


def nearest(name: str, known: Sequence[str]) -> str:
    """``did you mean …?``, or all that there are."""
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(known)}"


def shown(value: object) -> str:
    """A value as a message has it: short."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = f"'{value}'" if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
