"""Which types a game's positions and answers may have, and what is wrong with others, with the place where they are written.

Positions and answers go from process to process as bytes, and are rebuilt from their types alone. They are numbers, texts,
truth values, bytes, None and enums, tuples, lists and mappings of such, numpy arrays, and frozen dataclasses of these.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import os
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, Final

OWN_PACKAGES: Final = ("builtins", "tiltyard_engine", "tiltyard_simulator")
PLAIN: Final[tuple[Any, ...]] = (Any, None, type(None), object, bool, int, float, str, bytes)
COLLECTIONS: Final[tuple[Any, ...]] = (tuple, list, dict, set, frozenset, Mapping, Sequence, Set)
EXPECTED: Final = "expected numbers, texts, tuples, lists and dictionaries of such, numpy arrays, or a frozen dataclass of these"


def value_type_problem(field: str, kind: Any) -> str:
    """What is wrong with a type that a game names, or an empty string; ``field`` is where it names it."""
    return next(_problems(lambda: field, kind, ()), "")


def without_alias(kind: Any) -> Any:
    """What a name that a ``type`` statement made stands for, such as ``NDArray`` from numpy 2.5 on; else the type itself."""
    alias = typing.get_origin(kind) or kind
    # There are none before Python 3.12.
    if type(alias).__name__ != "TypeAliasType":
        return kind
    value, arguments = alias.__value__, typing.get_args(kind)
    return without_alias(value[arguments] if arguments and getattr(value, "__parameters__", ()) else value)


def class_of(kind: Any) -> Any:
    """What ``isinstance`` can check of a type: ``tuple`` for ``tuple[int, int]``, ``object`` where it can check nothing."""
    kind = without_alias(kind)
    if kind is None or kind is Any:
        return object
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        classes = [type(None) if part is type(None) else class_of(part) for part in typing.get_args(kind)]
        return tuple(classes)
    if typing.get_origin(kind) is typing.Literal:
        return tuple({type(value) for value in typing.get_args(kind)})
    origin = typing.get_origin(kind) or kind
    return origin if isinstance(origin, type) else object


def same_value(one: Any, other: Any) -> bool:
    """Whether two positions or answers are equal in all that they hold, arrays and dataclasses without ``==`` included."""
    if type(one) is not type(other):
        return False
    if _is_array(type(one)):
        return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())
    if dataclasses.is_dataclass(one):
        fields = dataclasses.fields(one)
        return all(same_value(getattr(one, field.name), getattr(other, field.name)) for field in fields)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_value(value, other[key]) for key, value in one.items())
    return bool(one == other)


def place_of(kind: Any) -> str:
    """The file and line of a class or function, such as `` (rules.py, line 12)``; an empty string where that cannot be had."""
    if not (inspect.isclass(kind) or inspect.isfunction(kind)) or kind.__module__.partition(".")[0] in OWN_PACKAGES:
        return ""
    try:
        file, line = inspect.getsourcefile(kind), inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        return ""
    return f" ({os.path.basename(file)}, line {line})" if file else ""  # noqa: PTH119 -- a file's name may be odd


Where: typing.TypeAlias = Callable[[], str]
"""The words for a place, which are made only for a problem: to find the line of a class, its whole file is read."""


def _problems(where: Where, kind: Any, above: tuple[Any, ...]) -> Iterator[str]:
    kind = without_alias(kind)
    if any(kind is plain for plain in PLAIN) or any(kind is collection for collection in COLLECTIONS) or kind in above:
        return
    origin = typing.get_origin(kind)
    if origin is typing.Literal or _is_array(origin or kind):
        return
    if origin is not None:
        is_union = origin is typing.Union or isinstance(kind, types.UnionType)
        if not is_union and origin not in COLLECTIONS and not dataclasses.is_dataclass(origin):
            yield f"{where()} is {_name(kind)}: {EXPECTED}"
            return
        for part in typing.get_args(kind):
            if part is not Ellipsis and not isinstance(part, typing.TypeVar):
                yield from _problems(where, part, above)
        return
    if not isinstance(kind, type):
        yield f"{where()} is {_name(kind)}, which is not a type: {EXPECTED}"
    elif dataclasses.is_dataclass(kind):
        yield from _dataclass_problems(where, kind, above)
    elif not (
        issubclass(kind, enum.Enum) or typing.is_typeddict(kind) or hasattr(kind, "_fields") or hasattr(kind, "__struct_fields__")
    ):
        yield f"{where()} is the class {kind.__name__}{place_of(kind)}, which can't be sent to a team: {EXPECTED}"


def _dataclass_problems(where: Where, kind: type[Any], above: tuple[Any, ...]) -> Iterator[str]:
    parameters: Any = kind.__dataclass_params__
    if not parameters.frozen:
        yield f"{where()}: {kind.__name__}{place_of(kind)} can be changed by whoever gets it: write @dataclass(frozen=True)"
    try:
        hints = typing.get_type_hints(kind)
    except Exception as error:
        yield f"{where()}: the types of {kind.__name__}{place_of(kind)} can't be found: {type(error).__name__}: {error}"
        return
    for field in dataclasses.fields(kind):
        yield from _problems(partial(_inside, where, kind, field.name), hints[field.name], (*above, kind))


def _inside(where: Where, kind: type[Any], field: str) -> str:
    return f"{where()}: {kind.__name__}.{field}{place_of(kind)}"


def _is_array(kind: Any) -> bool:
    """Whether it is numpy's array. numpy need not be there."""
    return getattr(kind, "__module__", "") == "numpy" and getattr(kind, "__name__", "") == "ndarray"


def _name(kind: Any) -> str:
    return str(getattr(kind, "__name__", kind) if typing.get_origin(kind) is None else kind)
