"""Checking values against a type, with errors that say what was found, what was expected, and the nearest valid name."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from tiltyard_tournaments.tournament_file.document import Document, KeyPath, dotted
from tiltyard_tournaments.tournament_file.problems import Problem

T = TypeVar("T")

EXPECTED: Final[Mapping[str, str]] = {
    kind: words
    for words, kinds in {
        "a whole number": ("int_type", "int_parsing", "int_from_float"),
        "a number": ("float_type", "float_parsing"),
        "a finite number": ("finite_number",),
        "true or false": ("bool_type", "bool_parsing"),
        "text": ("string_type",),
        "text that isn't empty": ("string_too_short",),
        "one line of text": ("string_pattern_mismatch",),
        "at least one item": ("too_short",),
        "a list": ("list_type", "sequence_str"),
        "keys and values": ("dict_type", "model_type", "model_attributes_type", "dataclass_type", "mapping_type"),
    }.items()
    for kind in kinds
}
"""What people should have written, by pydantic's error type."""

BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
"""pydantic's error types to the bound's name in the error's context, and its words."""


def check(kind: Any, value: Any, document: Document, path: KeyPath = ()) -> tuple[Any | None, list[Problem]]:
    """Check a value against the type ``kind``; return it, or everything that is wrong with it.

    Args:
        kind: a pydantic model, a dataclass, or any type that pydantic knows.
        value: what the document says at ``path``.
        document: the document, for its line numbers.
        path: the place of the value in the document.
    """
    try:
        return TypeAdapter(kind).validate_python(value, strict=True), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True)
        return None, [_problem(detail, document, path) for detail in details]


def check_options(
    kind: type[Any], values: Mapping[str, Any], document: Document, path: KeyPath
) -> tuple[Any | None, list[Problem]]:
    """Check values against an options dataclass; return an instance, or everything that is wrong with them.

    Each field is checked by its type, and by ``ge`` and ``le`` of its metadata; see ``tiltyard_engine.formats.option``.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}
    hints = get_type_hints(kind)
    problems: list[Problem] = []
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        where = (*path, name)
        if name not in fields:
            hint = nearest(name, list(fields)) if fields else "this part has no options"
            problems.append(Problem(document.line_of(where), dotted(where), f"unknown key; {hint}"))
            continue
        bounds = {bound: limit for bound, limit in fields[name].metadata.items() if bound in ("ge", "le")}
        chosen[name], found = check(Annotated[hints[name], FieldInfo(**bounds)], value, document, where)
        problems += found
    for name, field in fields.items():
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and name not in values:
            problems.append(Problem(document.line_of(path), dotted((*path, name)), "this key is required"))
    return (None, problems) if problems else (kind(**chosen), [])


def _problem(detail: ErrorDetails, document: Document, base: KeyPath) -> Problem:
    path = (*base, *(part for part in detail["loc"] if not _is_pydantics_own(part)))
    if detail["type"] in ("missing", "missing_argument"):
        return Problem(document.line_of(path[:-1]), dotted(path), "this key is required")
    return Problem(document.line_of(path), dotted(path), _message(detail))


def _is_pydantics_own(part: str | int) -> bool:
    """Names of validators and of a union's branches stand among the keys."""
    return isinstance(part, str) and (part.startswith(("function-", "constrained-")) or "[" in part)


def _message(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    found = shown(detail["input"])
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return "unknown key"
    if kind in EXPECTED:
        return f"expected {EXPECTED[kind]}, got {found}"
    if kind in ("literal_error", "enum"):
        # pydantic has the names in a sentence only: 'a', 'b' or 'c'
        names = [name.strip("' ") for name in str(context.get("expected", "")).replace(" or ", ", ").split(",")]
        return f"unknown value {found}; {nearest(str(detail['input']), names)}"
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        return f"expected {words} {context[name]}, got {found}"
    if kind == "value_error":
        return str(context.get("error", detail["msg"]))
    return f"{detail['msg'][:1].lower()}{detail['msg'][1:]}, got {found}"


def unknown_keys(problems: Sequence[Problem], known: Mapping[str, Sequence[str]]) -> list[Problem]:
    """The same problems, with the nearest known key in those of unknown ones; ``known`` is by the key around them."""
    told: list[Problem] = []
    for problem in problems:
        parent, _, key = problem.key.rpartition(".")
        names = known.get(parent.partition("[")[0]) or known.get(f"{parent.partition('.')[0]}.NAME", ())
        if problem.message == "unknown key" and names:
            told.append(Problem(problem.line, problem.key, f"unknown key; {nearest(key, names)}"))
        else:
            told.append(problem)
    return told


def nearest(name: str, known: Sequence[str]) -> str:
    """``did you mean …?``, or all known names."""
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(known)}"


def shown(value: object) -> str:
    """A value in short, for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list):
        return f"a list of {len(value)} {'item' if len(value) == 1 else 'items'}"
    text = f"'{value}'" if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
