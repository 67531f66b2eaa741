"""Properties of what seats are shown and of what they answer: values that can be sent, that stay as they are, and stay small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from tiltyard_engine.errors import UserError, show
from tiltyard_engine.records import TurnInterface
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, NotShown, Violation

LARGEST_MESSAGE: Final = 1 << 16
"""Bytes of a position or an answer. A match has hundreds of them, and failed seats' conversations are kept."""
MOST_SENT: Final = 40
"""So many positions of a match are sent for a trial: they are alike."""
PLAIN: Final = (str, bytes, bool, int, float, type(None))
CHANGEABLE: Final = (list, dict, set, bytearray)
SHOW: Final = "ask each seat: seat.choose(position)"
FREEZE: Final = "write @dataclass(frozen=True) above it; teams in the GameManager's process could change what others see"


def positions(bench: Bench) -> str:
    """Positions are frozen values of the declared type, and arrive in another process as they were."""
    interface = _turns(bench)
    views = [question.view for question in bench.sound.questions if question.view is not None]
    declared = interface.position_type
    if declared is not None:
        _check_frozen(declared, f"the position type {declared.__name__}")
    for position in views:
        if declared is not None and not isinstance(position, declared):
            raise Violation(
                f"a seat was shown {show(position)}, but position_type is {declared.__name__}",
                bench.manager.create,
                "show what TurnInterface(position_type=...) says, or declare what is shown",
            )
        if declared is None and not isinstance(position, (*PLAIN, tuple, list, dict)):
            raise Violation(
                f"a seat was shown {show(position)}, but no position_type says so: another process would get plain lists instead",
                type(position),
                "give the game interface=TurnInterface(position_type=..., answer_type=...)",
            )
        for part in _parts(position):
            _check_frozen(type(part), f"{type(part).__name__}, a part of the position,")
    _check_unshared(views, bench)
    if not views:
        raise NotShown("no team was shown a position", SHOW)
    sending = _send(bench, views, declared, "position")
    return f"{len(views)} of {declared.__name__ if declared else 'plain values'}{sending}"


def _turns(bench: Bench) -> TurnInterface:
    interface = bench.game.interface
    if not isinstance(interface, TurnInterface):
        raise NotApplicable("teams have a Player and tanks: the engine has the types of what they are shown and answer")
    return interface


def _check_frozen(kind: type[Any], what: str) -> None:
    if is_dataclass(kind) and not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise Violation(f"{what} is not frozen", kind, FREEZE)


def _parts(value: Any) -> Iterator[Any]:
    """All that a value consists of, itself first."""
    yield value
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
    elif isinstance(value, tuple | list | set | frozenset):
        if value and not all(isinstance(item, PLAIN) for item in value):
            for item in value:
                yield from _parts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _parts(item)


def _check_unshared(views: Sequence[Any], bench: Bench) -> None:
    """A list that is shown twice is the GameManager's own: a team that changes it changes the game."""
    owners: dict[int, int] = {}
    for number, position in enumerate(views):
        for part in _parts(position):
            if isinstance(part, CHANGEABLE) and owners.setdefault(id(part), number) != number:
                raise Violation(
                    f"the same {type(part).__name__} was shown twice: whoever is shown it can change what others see",
                    bench.manager.create,
                    "show a tuple, or a copy for each position",
                )


def answers(bench: Bench) -> str:
    """Answers have a declared type that another process can decode."""
    interface = _turns(bench)
    values = [question.answer for question in bench.sound.questions if question.answer is not None]
    declared = interface.answer_type
    if declared is None:
        odd = next((answer for answer in values if not isinstance(answer, PLAIN)), None)
        if odd is not None:
            raise Violation(
                f"a seat answered {show(odd)}, but no answer_type says so: the GameManager would get something else from another"
                " process",
                type(odd),
                "give the game interface=TurnInterface(position_type=..., answer_type=...)",
            )
    else:
        _check_frozen(declared, f"the answer type {declared.__name__}")
    if not values:
        raise NotShown("no team answered anything", SHOW)
    sending = _send(bench, values, declared, "answer")
    return f"{len(values)} of {declared.__name__ if declared else 'plain values'}{sending}"


def _send(bench: Bench, values: Sequence[Any], declared: type[Any] | None, what: str) -> str:
    """Send some of the values and decode them again; in words, how many, or why not."""
    missing = bench.host.isolations()["process"]
    if missing:
        return f"; none was sent: {missing}"
    some = values[:: len(values) // MOST_SENT + 1]
    for value in some:
        try:
            bench.host.wire_form(value, declared)
        except UserError as error:
            raise Violation(
                f"{what}: {error}",
                declared or type(value),
                "use frozen dataclasses of strings, numbers, bytes, tuples and enums, with a type for each field",
            ) from error
    return f"; {len(some)} sent and decoded"


def messages(bench: Bench) -> str:
    """What is sent for a question and an answer is small."""
    largest, what = 0, "none"
    for question in bench.sound.questions:
        for name, value in (("position", question.view), ("answer", question.answer)):
            size = 0 if value is None else _size(bench, name, value)
            if size > largest:
                largest, what = size, f"{'an' if name == 'answer' else 'a'} {name} of player {question.seat}"
    if largest > LARGEST_MESSAGE:
        raise Violation(
            f"{what} has {largest:,} bytes; more than {LARGEST_MESSAGE:,} make matches slow",
            bench.manager.create,
            "leave out what the team can work out, and write a board as one string or bytes, not as objects",
        )
    return f"at most {largest:,} bytes, {what}"


def _size(bench: Bench, name: str, value: Any) -> int:
    """As it is sent; where it cannot be, which is another property's to find, of its text."""
    interface = bench.game.interface
    if not isinstance(interface, TurnInterface):
        return len(repr(value))
    try:
        return len(bench.host.wire_form(value, interface.position_type if name == "position" else interface.answer_type))
    except UserError:
        return len(repr(value))
