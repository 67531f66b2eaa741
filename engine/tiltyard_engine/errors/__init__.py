"""Errors that users can fix. Each message says what is wrong and where, what was expected, and what to do.

Whoever starts a command sees the message without a traceback; ``tiltyard_engine.exit_status`` sees to that. Lists of names and
values of strangers are made short and harmless here, so that every message can hold them.

All rooms may use this one. It may import ``texts``, nothing else of the engine. Begin with ``UserError``.

- ``named_paths``: paths that people name: a file to write that must not destroy another, and where an address can't stand.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.texts.near_names import did_you_mean
from tiltyard_engine.texts.sanitize import LONGEST_NAME, LONGEST_REASON, shortened


class UserError(Exception):
    """Base of all errors that a command prints as one message, without a traceback.

    Args:
        message: what is wrong and where, what was expected, and what to do.
        see: the section of *What can go wrong* that explains it, such as ``no-sandbox``; ``tiltyard explain`` prints it.
    """

    see: str = ""

    def __init__(self, *message: object, see: str = "") -> None:
        super().__init__(*message)
        if see:
            self.see = see

    def _render_traceback_(self) -> list[str]:
        """What notebooks show: the message alone, as commands do. IPython asks for it."""
        return [f"{type(self).__name__}: {line}" if place == 0 else line for place, line in enumerate(str(self).splitlines())]


@contextlib.contextmanager
def file_errors(path: Path, doing: str) -> Iterator[None]:
    """Raise UserError for an OSError inside, such as ``board.txt: cannot be read: Permission denied``.

    Args:
        path: the file, where the error does not name one itself.
        doing: what is done to it: ``read`` or ``written``.
    """
    try:
        yield
    except OSError as error:
        raise UserError(f"{error.filename or path}: cannot be {doing}: {error.strerror}") from error


class MapError(UserError):
    """A map file cannot be used."""


class ContractError(UserError):
    """A plugin's code broke the contract, such as a GameManager that passes a tank of its own to a Player."""


class ForeignError(Exception):
    """A failure of code in another language. Its Python traceback is not shown: it would hold nothing but tiltyard's own calls."""


class NotFoundError(UserError):
    """Nothing is registered under a name.

    Args:
        what: the kind of thing.
        name: what was looked for.
        known: the names that there are.
        because: why it is not there, in place of near names.
        failed: what failed before, and may be what has the name; it stands first.
    """

    see = "unknown-name"

    def __init__(self, what: str, name: str, candidates: Iterable[str], because: str = "", failed: str = "") -> None:
        # Those of a family come last: there may be a hundred.
        names = sorted(candidates, key=lambda each: ("/" in each, each))
        hint = because or did_you_mean(name, names) or f"known: {some_of(names) or 'none'}"
        super().__init__(f"{f'{failed}; ' if failed else ''}no {what} is called '{name}'; {hint}")


MOST_NAMES: Final = 12
"""How many names a message lists."""


def some_of(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """The names, separated by commas; of many the first ones, and how many more there are."""
    more = len(names) - most
    # One more is named rather than counted.
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:most])} and {more} more"


def each_once(problems: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Names and what is wrong with each: everything that is wrong once, with the names of the others in brackets."""
    names: dict[str, list[str]] = {}
    for name, problem in problems:
        names.setdefault(problem, []).append(name)
    return [(first, problem + and_more(others)) for problem, (first, *others) in names.items()]


def reasons_once(problems: Iterable[tuple[str, str]]) -> str:
    """What is wrong, as ``each_once``, in one line; empty if nothing is."""
    return "; ".join(reason for _, reason in each_once(problems))


def and_more(names: Sequence[str]) -> str:
    """What follows a message in brackets: how many others it is about, and the first of them. Empty if there are none."""
    end = ", ..." if len(names) > MOST_NAMES else ""
    return f" (and {len(names)} more: {', '.join(names[:MOST_NAMES])}{end})" if names else ""


KINDS: Final[Mapping[type, str]] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "a list",
    tuple: "a tuple",
    dict: "an object",
    type(None): "nothing",
}


def kind_of(value: object) -> str:
    """What a value is, in the words of messages: ``a string``, ``a list``; of JSON's values, as JSON calls them."""
    if issubclass(type(value), type):
        return "a class"
    return KINDS.get(type(value)) or f"a value of type {_name(type(value))}"


def show(value: object) -> str:
    """A value that something else was expected for, in the words of messages: ``a string ('north')``."""
    try:
        text = repr(value)
    except Exception:
        return kind_of(value)
    return f"{kind_of(value)} ({text if len(text) <= 60 else text[:57] + '...'})"


def describe(error: BaseException) -> str:
    """An exception in one phrase: its class, and what it says if it can say anything; both of a length that people read."""
    try:
        text = str(error)
    except Exception:
        text = ""
    name = _name(type(error))
    return f"{name}: {shortened(text, LONGEST_REASON)}" if text else name


def _name(kind: type) -> str:
    return shortened(kind.__name__, LONGEST_NAME)
