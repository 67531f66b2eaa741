"""Checking values against a type, with errors that say what was found, what was expected, and the nearest valid name."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar, get_type_hints

from tiltyard_engine.texts.near_names import did_you_mean
from tiltyard_tournaments.tournament_file.document import Document, KeyPath, dotted
from tiltyard_tournaments.tournament_file.key_places import KeyPlaces
from tiltyard_tournaments.tournament_file.problems import Problem

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T")
FindPlaces: TypeAlias = Callable[[], KeyPlaces]
"""Called only for an unknown key: it looks at all formats and publishers that are installed."""

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
    from pydantic import TypeAdapter, ValidationError  # it takes a moment

    try:
        return TypeAdapter(kind).validate_python(value, strict=True), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True)
        return None, [_problem(detail, document, path) for detail in details]


PLACEHOLDER: Final = "installed"
"""What stands for a wrong item of a list, so that the items after it keep their places. All lists of these files take a word."""


def check_sound_part(
    kind: Any, value: Any, document: Document, path: KeyPath = ()
) -> tuple[Any | None, list[Problem], set[KeyPath]]:
    """Check as ``check`` does, and go on without what is wrong, so that people hear of everything at once.

    Returns:
        What the sound part says, None if there is none; everything that is wrong; and the places below ``path`` that are left out.
        A wrong item of a list is replaced by ``PLACEHOLDER``.
    """
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(kind)
    problems: list[Problem] = []
    left_out: set[KeyPath] = set()
    sound = _copied(value)
    while True:
        try:
            return adapter.validate_python(sound, strict=True), problems, left_out
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=True)
        problems = problems or [_problem(detail, document, path) for detail in details]
        for wrong in sorted({_written_place(detail, sound) for detail in details}, reverse=True):
            while wrong in left_out:
                wrong = wrong[:-1]
            if not wrong:
                return None, problems, left_out
            _leave_out(sound, wrong)
            left_out.add(wrong)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return list(map(_copied, value)) if isinstance(value, list) else value


def _written_place(detail: ErrorDetails, value: Any) -> KeyPath:
    """The innermost place of what is wrong that the file has."""
    place: KeyPath = ()
    for part in detail["loc"]:
        if _is_pydantics_own(part):
            continue
        if not (part in value if isinstance(value, dict) else isinstance(value, list)):
            break
        value = value[part]
        place = (*place, part)
    return place


def _leave_out(value: Any, place: KeyPath) -> None:
    for part in place[:-1]:
        value = value[part]
    if isinstance(value, list):
        value[int(place[-1])] = PLACEHOLDER
    else:
        value.pop(place[-1], None)


def check_options(
    kind: type[Any], values: Mapping[str, Any], document: Document, path: KeyPath, places: FindPlaces | None = None
) -> tuple[Any | None, list[Problem]]:
    """Check values against an options dataclass; return an instance, or everything that is wrong with them.

    Each field is checked by its type, and by ``ge`` and ``le`` of its metadata; see ``tiltyard_engine.formats.option``.
    ``places`` finds out where an unknown key belongs.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}
    hints = get_type_hints(kind)
    problems: list[Problem] = []
    checked: dict[str, Any] = {}
    for name, value in values.items():
        where = (*path, name)
        if name not in fields:
            hint = unknown_key(name, list(fields), _around(dotted(where)), places)
            problems.append(Problem(document.line_of(where), dotted(where), f"unknown key; {hint}"))
            continue
        from pydantic.fields import FieldInfo

        bounds = {bound: limit for bound, limit in fields[name].metadata.items() if bound in ("ge", "le")}
        checked[name], more = check(Annotated[hints[name], FieldInfo(**bounds)], value, document, where)
        problems += more
    for name, field in fields.items():
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and name not in values:
            problems.append(Problem(document.line_of(path), dotted((*path, name)), "this key is required"))
    return (None, problems) if problems else (kind(**checked), [])


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
    text = in_short(detail["input"])
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return "unknown key"
    if kind in EXPECTED:
        return f"expected {EXPECTED[kind]}, got {text}"
    if kind in ("literal_error", "enum"):
        # pydantic has the names in a sentence only: 'a', 'b' or 'c'
        names = [name.strip("' ") for name in str(context.get("expected", "")).replace(" or ", ", ").split(",")]
        return f"unknown value {text}; {nearest(str(detail['input']), names)}"
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        return f"expected {words} {context[name]}, got {text}"
    if kind == "value_error":
        return str(context.get("error", detail["msg"]))
    return f"{detail['msg'][:1].lower()}{detail['msg'][1:]}, got {text}"


def unknown_keys(
    problems: Sequence[Problem], known: Mapping[str, Sequence[str]], places: FindPlaces | None = None
) -> list[Problem]:
    """The problems, with a hint in those of unknown keys: the nearest known key, or where the key belongs.

    Args:
        problems: what ``check`` has found.
        known: the known keys, by the key around them.
        places: where else there are keys; only ``known`` if it is None.
    """
    places = places or (lambda: KeyPlaces(known))
    unknown: list[Problem] = []
    for problem in problems:
        parent, _, key = problem.key.rpartition(".")
        names = known.get(_around(problem.key)) or known.get(f"{parent.partition('.')[0]}.NAME", ())
        if problem.message == "unknown key" and names:
            hint = unknown_key(key, names, _around(problem.key), places)
            unknown.append(Problem(problem.line, problem.key, f"unknown key; {hint}"))
        else:
            unknown.append(problem)
    return unknown


def unknown_key(key: str, names: Sequence[str], around: str, places: FindPlaces | None) -> str:
    """What may be meant by an unknown key: one of ``names``, or one that belongs elsewhere; else all names."""
    elsewhere = places().hint(key, around) if places is not None else ""
    return did_you_mean(key, names) or elsewhere or (nearest(key, names) if names else "this part has no options")


def _around(key: str) -> str:
    """The key around another one, without places in lists."""
    return re.sub(r"\[\d+\]", "", key.rpartition(".")[0])


def nearest(name: str, names: Sequence[str]) -> str:
    """``did you mean …?``, or all known names."""
    return did_you_mean(name, names) or f"expected one of {', '.join(names)}"


def in_short(value: object) -> str:
    """A value in short, for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list):
        return f"a list of {len(value)} {'item' if len(value) == 1 else 'items'}"
    text = f"'{value}'" if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
