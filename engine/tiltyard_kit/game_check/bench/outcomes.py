"""The result for each property that a game is checked for."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import tiltyard_engine
from tiltyard_engine.errors import describe
from tiltyard_engine.rules import Rules, game_hooks


class Mark(StrEnum):
    """How a property came out."""

    PASSED = "passed"
    FAILED = "FAILED"
    NOT_SHOWN = "not shown"
    """It applies to the game, but the matches that were played never came to it. What would show it is in the advice."""
    NOT_APPLICABLE = "not applicable"
    """The game has nothing that it could be about, or this machine cannot tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One property of a game."""

    name: str
    mark: Mark
    detail: str
    """What was looked at, what is wrong, or why the property does not apply; one line."""
    where: str = ""
    """The file and line of the game's code that it is about, where that is known."""
    advice: str = ""
    """What to do about it."""
    traceback: str = ""
    """Of the game's own code, where it raised."""

    def plain(self) -> dict[str, str]:
        """The outcome as plain values for JSON."""
        return {
            "property": self.name,
            "mark": self.mark.value,
            "detail": self.detail,
            "where": self.where,
            "advice": self.advice,
            "traceback": self.traceback,
        }


class GameCheckError(AssertionError):
    """A game does not have a property that it should have, or does not show it. The message names each, with a place and advice."""

    def __init__(self, game: str, outcomes: Sequence[Outcome]) -> None:
        self.outcomes = tuple(outcomes)
        lines: list[str] = []
        for mark, verb in ((Mark.FAILED, "failed"), (Mark.NOT_SHOWN, "did not show")):
            those = [outcome for outcome in outcomes if outcome.mark is mark]
            if those:
                lines += [f"the game {game} {verb} {len(those)} of {len(outcomes)} properties", *map(_in_lines, those)]
        super().__init__("\n".join(lines))


def _in_lines(outcome: Outcome) -> str:
    lines = [
        f"{outcome.name}: {outcome.detail}",
        outcome.where and f"  {outcome.where}",
        outcome.advice and f"  -> {outcome.advice}",
    ]
    return "\n".join([*filter(None, lines), *(outcome.traceback.rstrip().splitlines() if outcome.traceback else ())])


class Violation(Exception):  # noqa: N818 -- of a property, by the game
    """A game does not have a property."""

    def __init__(self, detail: str, about: Any = None, advice: str = "", error: BaseException | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.where = place_of(error) if error is not None else ""
        if not self.where and about is not None:
            self.where = where_is(about)
        self.advice = advice
        self.traceback = _own_traceback(error) if error is not None else ""


class NotShown(Exception):  # noqa: N818 -- an outcome
    """A property applies, but was never really tried; the message says why, and the advice how to try it."""

    def __init__(self, detail: str, advice: str = "") -> None:
        super().__init__(detail)
        self.advice = advice


class NotApplicable(Exception):  # noqa: N818 -- an outcome
    """There is nothing that a property could be about; the message says why."""


def where_is(code: Any) -> str:
    """The file and line where a function or class begins, such as ``rules.py, line 12``; empty where that cannot be had.

    What the engine made of a game's rules begins where the rules do.
    """
    while isinstance(code, functools.partial):
        code = code.args[0] if code.args and isinstance(code.args[0], Rules) else code.func
    if getattr(code, "__module__", "") == game_hooks.__module__:
        code = inspect.getclosurevars(code).nonlocals.get("rules", code)
    code = inspect.unwrap(code) if callable(code) else code
    if not (inspect.isclass(code) or inspect.isroutine(code)):
        code = type(code)
    try:
        return f"{_short(inspect.getsourcefile(code) or '')}, line {inspect.getsourcelines(code)[1]}"
    except (OSError, TypeError):
        return ""


def place_of(error: BaseException) -> str:
    """Where an error was raised: the last line that is no code of the kit's or Python's own."""
    own = _own_frames(error)
    return f"{_short(own[-1].filename)}, line {own[-1].lineno}" if own else ""


LIBRARIES: Final = (
    *(f"{folder}/" for folder in (Path(__file__).parents[2], Path(tiltyard_engine.__file__).parent, Path(inspect.__file__).parent)),
    "<",
)
"""What the paths of code begin with that is no game's."""


def _is_library(file: str) -> bool:
    return file.startswith(LIBRARIES) or any(f"/{name}/" in file for name in ("hypothesis", "tiltyard_simulator"))


def _own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    return [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_library(frame.filename)]


def _own_traceback(error: BaseException) -> str:
    """Without the kit's own frames; empty where nothing else is left."""
    own = _own_frames(error)
    if not own:
        return ""
    return "".join(["Traceback (most recent call last):\n", *traceback.format_list(own), *traceback.format_exception_only(error)])


def _short(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def raised(doing: str, error: BaseException, advice: str = "") -> Violation:
    """A violation that the game's code raised something."""
    return Violation(f"{doing} raised {describe(error)}", advice=advice, error=error)
