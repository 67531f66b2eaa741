"""Classes with slots that are made without compiling are compared with those that ``dataclasses`` makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import operator
import pickle
from collections.abc import Callable
from dataclasses import InitVar
from math import nan
from typing import Any, ClassVar, Generic, TypeVar, cast, get_type_hints

import pytest

from tiltyard_engine import data_classes
from tiltyard_engine.data_classes import KW_ONLY, dataclass, field, fields, replace

T = TypeVar("T")
Maker = Callable[..., Any]
"""The decorator of either module."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One that type checkers see."""

    left: object
    right: object


def _made(decorator: Maker) -> dict[str, Any]:
    """The same classes by one of the decorators; their names stand in this module, so that they can be pickled."""

    @decorator(frozen=True, slots=True)
    class Empty:
        """Nothing."""

    @decorator(frozen=True, slots=True)
    class One:
        """A single value, which is compared as a tuple of it."""

        value: object

    @decorator(frozen=True, slots=True)
    class Many(Generic[T]):
        """All that a field may have."""

        KIND: ClassVar[str] = "kind"
        first: T
        text: str = "text"
        values: list[int] = field(default_factory=list)
        hidden: int = field(default=1, repr=False)
        ignored: int = field(default=2, compare=False)
        _: KW_ONLY
        last: int = 3
        also: dict[str, int] = field(default_factory=dict, compare=False)

    @decorator(frozen=True, slots=True, kw_only=True)
    class ByName:
        """Defaults may come first, and a check follows."""

        first: int = 1
        second: int

        def __post_init__(self) -> None:
            if self.second < 0:
                raise ValueError(self.second)
            object.__setattr__(self, "first", self.first + 1)

    @decorator(frozen=True, slots=True)
    class Inherits(One):
        """One that inherits."""

        more: int = 0

    @decorator(frozen=True, slots=True)
    class Own:
        """One with methods of its own."""

        value: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and abs(self.value) == abs(other.value)

        def __hash__(self) -> int:
            return abs(self.value)

        def __repr__(self) -> str:
            return f"<{self.value}>"

    @decorator(frozen=True, slots=True)
    class Counted:
        """One with a field that callers can't give."""

        value: int
        calls: list[int] = field(default_factory=list, init=False, compare=False)

    @decorator(frozen=True, slots=True)
    class Hashed:
        """One with a value that is compared, but can't be hashed."""

        value: int
        values: list[int] = field(default_factory=list, hash=False)

    @decorator(frozen=True, slots=True, order=True)
    class Ordered:
        """One that can be sorted."""

        value: int
        text: str = ""
        ignored: int = field(default=0, compare=False)

    @decorator(frozen=True, slots=True, unsafe_hash=True)
    class Optioned:
        """An option that only ``dataclasses`` knows."""

        value: int

    @decorator(slots=True)
    class Changing:
        """One whose values can be changed."""

        value: object
        values: list[int] = field(default_factory=list)
        count: int = field(default=3, init=False)
        calls: list[int] = field(default_factory=list, init=False, compare=False)
        later: int = field(init=False, repr=False)

        def __post_init__(self) -> None:
            self.count += 1
            self.later = self.count

    @decorator(slots=True, kw_only=True, order=True)
    class ChangingMore(Changing):
        """One that inherits from it, and can be sorted."""

        more: int = 0

    classes: list[Any] = [Empty, One, Many, ByName, Inherits, Own, Counted, Hashed, Ordered, Optioned, Changing, ChangingMore]
    return {each.__name__: each for each in classes}


QUICK, STANDARD = _made(data_classes.dataclass), _made(dataclasses.dataclass)
for each_class in QUICK.values():
    each_class.__qualname__ = each_class.__name__
    globals()[each_class.__name__] = each_class

OBJECTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "empty": lambda made: made["Empty"](),
    "one": lambda made: made["One"](1),
    "tuple": lambda made: made["One"]((1, 2)),
    "nan": lambda made: made["One"](nan),
    "defaults": lambda made: made["Many"](1),
    "all": lambda made: made["Many"]("a", "b", [1], 4, 5, last=6, also={"x": 1}),
    "by name": lambda made: made["ByName"](second=2),
    "inherits": lambda made: made["Inherits"](1, 2),
    "own": lambda made: made["Own"](-3),
    "counted": lambda made: made["Counted"](1),
    "hashed": lambda made: made["Hashed"](1),
    "ordered": lambda made: made["Ordered"](1),
    "optioned": lambda made: made["Optioned"](1),
    "changing": lambda made: made["Changing"](1, [2]),
    "changing more": lambda made: made["ChangingMore"](1, more=2),
    "nested": lambda made: made["One"](made["One"](made["Many"](2))),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_are_as_the_standard_librarys(name: str) -> None:
    make = OBJECTS[name]
    quick, again, standard = make(QUICK), make(QUICK), make(STANDARD)
    assert repr(quick) == repr(standard).replace("_made.<locals>.", "")
    assert dataclasses.asdict(quick) == dataclasses.asdict(standard)
    assert (quick == again, quick != again, quick == standard, quick == 1) == (True, False, False, False)
    assert not hasattr(quick, "__dict__")
    try:
        wanted = hash(standard)
    except TypeError:
        with pytest.raises(TypeError, match="unhashable"):
            hash(quick)
    else:
        assert hash(quick) == (hash(again) if name == "nested" else wanted)


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_come_back_when_they_are_pickled_or_copied(name: str) -> None:
    whole = OBJECTS[name](QUICK)
    copies = [copy.copy(whole), copy.deepcopy(whole), *(pickle.loads(pickle.dumps(whole, level)) for level in range(2, 6))]
    for each in copies:
        assert type(each) is type(whole)
        # Not a number is equal to nothing else.
        assert repr(each) == repr(whole)


@pytest.mark.parametrize("name", QUICK)
def test_classes_are_as_the_standard_librarys(name: str) -> None:
    quick, standard = QUICK[name], STANDARD[name]
    assert str(inspect.signature(quick)) == str(inspect.signature(standard))
    assert get_type_hints(quick) == get_type_hints(standard)
    assert quick.__match_args__ == standard.__match_args__
    assert quick.__slots__ == standard.__slots__
    assert quick.__doc__ == standard.__doc__
    assert quick.__dataclass_params__.frozen == standard.__dataclass_params__.frozen
    told = [[(each.name, each.type, each.init, each.compare, each.kw_only) for each in fields(kind)] for kind in (quick, standard)]
    assert told[0] == told[1]


@pytest.mark.parametrize("name", [name for name in OBJECTS if "changing" not in name])
def test_nothing_can_be_changed(name: str) -> None:
    whole = OBJECTS[name](QUICK)
    for each in ["new", *(part.name for part in fields(whole))]:
        with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
            setattr(whole, each, 1)
    for part in fields(whole):
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot delete field '{part.name}'"):
            delattr(whole, part.name)
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{part.name}'"):
            setattr(whole, part.name, 1)


def test_an_object_that_is_not_frozen_is_changed() -> None:
    whole = QUICK["ChangingMore"](1)
    whole.more = 5
    assert whole == QUICK["ChangingMore"](1, more=5)
    with pytest.raises(AttributeError):
        whole.new = 1


@pytest.mark.parametrize("make", ["Ordered", "ChangingMore"])
def test_objects_are_sorted_by_what_is_compared(make: str) -> None:
    objects = [[made[make](number) for number in (2, 1, 3, 1)] for made in (QUICK, STANDARD)]
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        quick, standard = [[compare(one, other) for one in each for other in each] for each in objects]
        assert quick == standard
    assert [each.value for each in sorted(objects[0])] == [1, 1, 2, 3]
    with pytest.raises(TypeError, match="not supported between instances"):
        assert objects[0][0] < objects[1][0]


def _odd(decorator: Maker, name: str) -> Any:
    """A class that is left to the standard library, or refused as it refuses it; the kinds are those of CPython's own tests."""
    space: dict[str, Any] = {"__doc__": "One.", "__annotations__": {"a": int}}
    bases: dict[str, Any] = {
        "slots that are a text": type("Base", (), {"__slots__": "b"}),
        "slots that are keys": type("Base", (), {"__slots__": {"a": "of the base"}}),
        "slots that were used up": type("Base", (), {"__slots__": iter("b")}),
    }
    spaces: dict[str, dict[str, Any]] = {
        "no docstring": {"__doc__": None},
        "slots": {"__slots__": ("a",)},
        "self": {"__annotations__": {"self": int}},
        "InitVar": {"__annotations__": {"a": InitVar[int]}, "__post_init__": lambda self, a: None},
        "InitVar as a text": {"__annotations__": {"a": "dataclasses.InitVar[int]"}, "__post_init__": lambda self, a: None},
        "a default first": {"__annotations__": {"a": int, "b": int}, "a": 1},
        "a factory first": {"__annotations__": {"a": list, "b": int}, "a": field(default_factory=list)},
    }
    return decorator(frozen=True, slots=True)(type("Odd", (bases.get(name, object),), space | spaces.get(name, {})))


@pytest.mark.parametrize(
    "name",
    [
        *("slots that are a text", "slots that are keys", "slots that were used up", "no docstring", "slots", "self"),
        *("InitVar", "InitVar as a text", "a default first", "a factory first"),
    ],
)
def test_what_is_unusual_is_as_the_standard_library_makes_it(name: str) -> None:
    told: list[object] = []
    for decorator in (data_classes.dataclass, dataclasses.dataclass):
        try:
            made = _odd(decorator, name)
        except TypeError as error:
            # Python 3.13 says which default, too.
            told.append(str(error).removesuffix(" 'a'"))
        else:
            told.append((made.__doc__, made.__slots__, str(inspect.signature(made)), repr(made(1))))
    assert told[0] == told[1]


def test_calls_that_do_not_fit_are_told_alike() -> None:
    for arguments in [(), (1, 2, 3, 4, 5, 6)]:
        messages = []
        for made in (QUICK, STANDARD):
            with pytest.raises(TypeError) as problem:
                made["Many"](*arguments)
            messages.append(str(problem.value).replace("_made.<locals>.", ""))
        assert messages[0] == messages[1]
    with pytest.raises(ValueError, match="-1"):
        QUICK["ByName"](second=-1)


def test_each_object_has_values_of_its_own() -> None:
    one, other = QUICK["Many"](1), QUICK["Many"](1)
    one.values.append(1)
    assert other.values == []


def test_an_object_is_replaced() -> None:
    whole = QUICK["Many"](1, last=2)
    assert replace(whole, text="other", last=5) == QUICK["Many"](1, "other", last=5)
    with pytest.raises(ValueError, match="-2"):
        replace(QUICK["ByName"](second=2), second=-2)


@pytest.mark.parametrize("frozen", [True, False])
def test_what_inherits_must_be_frozen_if_the_other_is(frozen: bool) -> None:
    above, make = QUICK["Changing" if frozen else "One"], cast("Maker", dataclass)
    with pytest.raises(TypeError, match="cannot inherit"):

        @make(frozen=frozen, slots=True)
        class Inherits(above):  # type: ignore[misc,valid-type]
            more: int = 0


def test_what_inherits_must_be_frozen_too() -> None:
    @dataclasses.dataclass(frozen=True)
    class Inherits(Pair):
        more: int = 3

    assert repr(Inherits(1, 2)).endswith("Inherits(left=1, right=2, more=3)")
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):

        @dataclasses.dataclass
        class Changes(Pair):  # type: ignore[misc]
            more: int = 3


def test_an_object_that_holds_itself_can_be_printed() -> None:
    values: list[object] = []
    whole = Pair(values, 1)
    values.append(whole)
    assert repr(whole) == "Pair(left=[...], right=1)"


def test_an_object_is_matched() -> None:
    match Pair(1, 2):
        case Pair(1, right):
            assert right == 2
        case _:
            pytest.fail("the first matches")


def test_only_init_is_compiled() -> None:
    """The others are the same functions for all classes, or closures."""
    assert Pair.__repr__ is QUICK["Many"].__repr__
    assert {Pair.__eq__.__code__.co_filename, Pair.__hash__.__code__.co_filename} == {data_classes.__file__}
