"""Lines of commands that check something: a mark, what it is about, and a detail; below it what helps to mend it."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.texts.sanitize import one_line, quoted

MARGIN: Final = " " * 9
MARK_WIDTH: Final = 8
NAME_WIDTH: Final = 14


def say_mark(
    mark: str, name: str, detail: str, *, traceback: str = "", mark_width: int = MARK_WIDTH, name_width: int = NAME_WIDTH
) -> None:
    """Print the line, as soon as it is known, and the traceback below it."""
    print(f"{mark:<{mark_width}} {name:<{name_width}} {one_line(detail)}", flush=True)
    if traceback:
        _block(traceback)


def say_output(text: str, before: str = "") -> None:
    """Print what a team printed; ``before`` says what is left out above it."""
    print(f"{MARGIN}it printed:")
    if before:
        print(f"{MARGIN}| {before}")
    _block(text)


def say_advice(advice: str) -> None:
    """Print what to do, if there is anything to say."""
    if advice:
        print(f"{MARGIN}-> {one_line(advice)}", flush=True)


def _block(text: str) -> None:
    print(quoted(text, f"{MARGIN}| "))
