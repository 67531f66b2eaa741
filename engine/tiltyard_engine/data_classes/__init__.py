"""The standard library's ``dataclass``, made in a tenth of its time where a class has slots.

It compiles two to ten methods for each class, and a command makes nearly two hundred classes before it does anything. Here only
``__init__`` is compiled, with the first object. Import it as you would from ``dataclasses``, to which a class with anything unusual
is left.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, field, fields, replace
from functools import partial
from itertools import pairwise
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

__all__ = ["KW_ONLY", "dataclass", "field", "fields", "replace"]

_FACTORY: Final = type("Factory", (), {"__repr__": lambda _: "<factory>"})()
"""The default of a parameter that stands for a new object."""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *, frozen: bool = False, slots: bool = False, kw_only: bool = False, order: bool = False, **others: bool
    ) -> Callable[[type], type]:
        """The decorator of a class, with the options of ``dataclasses.dataclass``."""
        standard = dataclasses.dataclass(frozen=frozen, slots=slots, kw_only=kw_only, order=order, **others)
        return partial(_quick, standard, frozen, kw_only, order) if slots and not others else standard


def _quick(standard: Callable[[type], type], frozen: bool, kw_only: bool, order: bool, plain: type) -> type:
    above: list[Any] = [base for base in plain.__bases__ if dataclasses.is_dataclass(base)]
    if _is_unusual(plain) or any(base.__dataclass_params__.frozen != frozen for base in above):
        return standard(plain)
    # Only what inherits has to be frozen at once, as what it inherits from is: that compiles two methods.
    with_fields: Any = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=frozen and bool(above), kw_only=kw_only)
    cls = with_fields(plain)
    # What inherits from it has to be frozen too.
    cls.__dataclass_params__.frozen = frozen
    parts = fields(cls)
    positional = [each for each in parts if each.init and not each.kw_only]
    for before, each in pairwise(positional):
        if _has_default(before) and not _has_default(each):
            raise TypeError(f"non-default argument {each.name!r} follows default argument")
    compared = [each.name for each in parts if each.compare]
    hashed = [each.name for each in parts if (each.compare if each.hash is None else each.hash)]
    methods = {"init": _Init(parts, frozen), "repr": _repr} | _comparison(compared, order)
    methods |= _FROZEN | {"hash": _hash(hashed)} if frozen else {"hash": None}
    # A class that is there can't get slots, and gets methods slowly. It is made again, as the standard library does.
    inherited = {name for slots in _slots_above(cls) for name in slots}
    left_out = {"__dict__", "__weakref__", *(each.name for each in parts)}
    names = {name: value for name, value in vars(cls).items() if name not in left_out}
    names |= {f"__{name}__": method for name, method in methods.items()}
    slots = tuple([each.name for each in parts if each.name not in inherited])
    slotted: type = type(cls)(cls.__name__, cls.__bases__, names | {"__slots__": slots, "__qualname__": cls.__qualname__})
    return slotted


def _has_default(each: Field[Any]) -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING


def _is_unusual(plain: type) -> bool:
    """Whether only the standard library knows what to make of a class, or what is wrong with it."""
    own = vars(plain)
    annotations: dict[str, Any] = plain.__annotations__
    types = [*annotations.values(), *(each.type for each in getattr(plain, "__dataclass_fields__", {}).values())]
    return (
        # It makes a docstring of the signature.
        not own.get("__doc__")
        or not own.keys().isdisjoint(_METHODS)
        or "self" in annotations
        or any("InitVar" in str(each) for each in types)
        or not all(isinstance(slots, tuple) for slots in _slots_above(plain))
    )


def _slots_above(cls: type) -> list[Any]:
    return [vars(base)["__slots__"] for base in cls.__mro__[1:] if "__slots__" in vars(base)]


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


_FROZEN: Final = {"setattr": _setattr, "delattr": _delattr, "getstate": _getstate, "setstate": _setstate}
_ORDER: Final = ("lt", "le", "gt", "ge")
_METHODS: Final = {f"__{name}__" for name in ("slots", "init", "repr", "eq", "hash", *_ORDER, *_FROZEN)}
"""What a class may have of its own."""


def _values(names: Sequence[str]) -> Callable[[Any], Any]:
    # Of one name, attrgetter gives the value and not a tuple of it.
    return attrgetter(*names) if len(names) > 1 else lambda self: tuple([getattr(self, name) for name in names])


def _hash(names: Sequence[str]) -> Callable[[Any], int]:
    get = _values(names)
    return lambda self: hash(get(self))


def _comparison(names: Sequence[str], order: bool) -> dict[str, Any]:
    get = _values(names)
    compare = {name: _order_by(get, getattr(operator, name)) for name in _ORDER} if order else {}
    return compare | {"eq": lambda self, other: get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented}


def _order_by(get: Callable[[Any], Any], compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: compare(get(self), get(other)) if other.__class__ is self.__class__ else NotImplemented


class _Init:
    """Stands for ``__init__`` until it is used. Most classes are there for a part of what a command can do, and make no object."""

    def __init__(self, parts: Sequence[Field[Any]], frozen: bool) -> None:
        self._parts = parts
        self._frozen = frozen

    def __set_name__(self, owner: Any, _: str) -> None:
        self._owner = owner
        _WAITING.add(owner)

    def __get__(self, instance: object, _: type | None = None) -> Callable[..., None]:
        _WAITING.discard(self._owner)
        method: Any = _compile(self._owner, self._parts, self._frozen)
        type.__setattr__(self._owner, "__init__", method)
        return method if instance is None else method.__get__(instance)  # type: ignore[no-any-return]


_WAITING: Final[set[Any]] = set()
"""Classes whose ``__init__`` is still one of these."""


def compile_waiting() -> None:
    """Compile what waits for a first object: for a process whose forks would do it, each by itself."""
    for owner in list(_WAITING):
        owner.__init__  # noqa: B018 -- see _Init


def _compile(cls: type, parts: Sequence[Field[Any]], frozen: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"__name__": cls.__module__, "__put": object.__setattr__, "__factory": _FACTORY}
    positional, by_name, body = ["self"], ["*"], []
    for each in parts:
        name = parameter = value = each.name
        if each.default_factory is not MISSING:
            names[f"__make_{name}"] = each.default_factory
            new = f"__make_{name}()"
            parameter, value = f"{name}=__factory", f"{new} if {name} is __factory else {name}" if each.init else new
        elif each.default is not MISSING:
            names[f"__default_{name}"] = each.default
            parameter, value = f"{name}=__default_{name}", name if each.init else f"__default_{name}"
        elif not each.init:
            continue
        if each.init:
            (by_name if each.kw_only else positional).append(parameter)
        body.append(f"__put(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    header = ", ".join(positional + (by_name if len(by_name) > 1 else []))
    exec(f"def __init__({header}): {'; '.join(body) or 'pass'}", names)  # noqa: S102 - names of fields, as in dataclasses
    method = names["__init__"]
    method.__qualname__ = f"{cls.__qualname__}.__init__"
    method.__annotations__ = {each.name: each.type for each in parts if each.init} | {"return": None}
    return method  # type: ignore[no-any-return]
