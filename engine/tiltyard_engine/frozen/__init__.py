"""The standard library's ``dataclass``, made in a third of its time where a class is frozen and has slots.

It compiles six methods for each class, and a command makes nearly two hundred classes before it does anything. Here only
``__init__`` is compiled. Import it as you would from ``dataclasses``; a class with anything unusual is left to ``dataclasses``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, field, fields, replace
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

__all__ = ["KW_ONLY", "dataclass", "field", "fields", "replace"]

_FACTORY: Final = type("Factory", (), {"__repr__": lambda _: "<factory>"})()
"""The default of a parameter that stands for a new object."""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, kw_only: bool = False, **others: bool) -> Callable[[type], type]:
        """The decorator of a class, with the options of ``dataclasses.dataclass``."""
        standard = dataclasses.dataclass(frozen=frozen, slots=slots, kw_only=kw_only, **others)
        return partial(_frozen, standard, kw_only) if frozen and slots and not others else standard


def _frozen(standard: Callable[[type], type], kw_only: bool, plain: type) -> type:
    own = vars(plain)
    unusual = any(isinstance(each, Field) and (not each.init or each.hash is not None) for each in own.values())
    if unusual or own.keys() & _MADE or any(map(dataclasses.is_dataclass, plain.__bases__)):
        return standard(plain)
    cls: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(plain)
    # What inherits from it has to be frozen too.
    cls.__dataclass_params__.frozen = True
    parts = fields(cls)
    for name, method in (_SHARED | _comparison([each.name for each in parts if each.compare]) | _init(cls, parts)).items():
        setattr(cls, f"__{name}__", method)
    return cls  # type: ignore[no-any-return]


@recursive_repr()
def _repr(self: Any) -> str:
    parts = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr]
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _setattr(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _setstate(self: Any, state: Sequence[Any]) -> None:
    for each, value in zip(fields(self), state):
        object.__setattr__(self, each.name, value)


_SHARED: Final = {"repr": _repr, "setattr": _setattr, "delattr": _delattr, "getstate": _getstate, "setstate": _setstate}
_MADE: Final = {"__init__", "__eq__", "__hash__", *(f"__{name}__" for name in _SHARED)}


def _comparison(names: Sequence[str]) -> dict[str, Callable[..., Any]]:
    # Of one name, attrgetter gives the value and not a tuple of it.
    get: Any = attrgetter(*names) if len(names) > 1 else lambda self: tuple([getattr(self, name) for name in names])
    return {
        "eq": lambda self, other: get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented,
        "hash": lambda self: hash(get(self)),
    }


def _init(cls: type, parts: Sequence[Field[Any]]) -> dict[str, Callable[..., Any]]:
    names: dict[str, Any] = {"__name__": cls.__module__, "__put": object.__setattr__, "__factory": _FACTORY}
    positional, by_name, body = ["self"], ["*"], []
    for each in parts:
        name = parameter = value = each.name
        if each.default_factory is not MISSING:
            names[f"__make_{name}"] = each.default_factory
            parameter, value = f"{name}=__factory", f"__make_{name}() if {name} is __factory else {name}"
        elif each.default is not MISSING:
            names[f"__default_{name}"] = each.default
            parameter = f"{name}=__default_{name}"
        (by_name if each.kw_only else positional).append(parameter)
        body.append(f"__put(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    header = ", ".join(positional + (by_name if len(by_name) > 1 else []))
    exec(f"def __init__({header}): {'; '.join(body) or 'pass'}", names)  # noqa: S102 - names of fields, as in dataclasses
    method = names["__init__"]
    method.__qualname__ = f"{cls.__qualname__}.__init__"
    method.__annotations__ = {each.name: each.type for each in parts} | {"return": None}
    return {"init": method}
