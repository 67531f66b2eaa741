"""A replay as bytes: one canonical form, for comparing, for keeping and for viewers in other languages.

JSON lines: the first is an object with the start board and the names, each of the others an array with what one round
changed. Equal replays give equal bytes. docs/reference/replays.md describes the form.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from math import isfinite
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.replay.panels import MOST_PANELS, Panel
from tiltyard_simulator.match.panel_values import PanelValue, panel_values, panels_of

FORMAT: Final = "tiltyard replay"
VERSION: Final = 1
PANELS_VERSION: Final = 2
"""Of replays that have panels, which readers of version 1 could not show."""


class _Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first line, in the order in which it is written."""

    format: str
    version: int
    game: str
    title: str
    seats: tuple[str, ...]
    message: str
    width: int
    height: int
    squares: tuple[str, ...]
    views: tuple[tuple[int, int, int], ...] = ()
    """Not written where there are none."""
    panels: tuple[PanelValue, ...] = ()
    """Not written if there are none."""


class _Line(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A round; empty parts at the end are not written."""

    changes: tuple[tuple[int, str], ...] = ()
    actions: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    panels: tuple[PanelValue, ...] = ()


class _Mark(msgspec.Struct, frozen=True):
    """The part of the first line that says whether the rest can be read."""

    format: str = ""
    version: int = 0


_ENCODER: Final = msgspec.json.Encoder()
_MARKS: Final = msgspec.json.Decoder(_Mark)
_HEADERS: Final = msgspec.json.Decoder(_Header)
_LINES: Final = msgspec.json.Decoder(_Line)


def encode(replay: Replay) -> bytes:
    """The replay's bytes.

    Raises:
        UserError: the GameManager recorded something that could not be read again, such as squares that make no board.
    """
    about = (replay.game, replay.title, replay.seats, replay.message)
    has_panels = bool(replay.panels) or any(frame.panels for frame in replay.frames)
    # A replay without a board was never of version 1.
    version = PANELS_VERSION if has_panels or not replay.squares else VERSION
    board = (replay.width, replay.height, replay.squares)
    lines: list[bytes] = []
    try:
        header = _Header(FORMAT, version, *about, *board, tuple(replay.views), tuple(panel_values(replay.panels)))
        titles: set[str] = set()
        problem = _header_problem(header) or _panels_problem(replay.panels, titles, version)
        if not problem:
            lines.append(_ENCODER.encode(header))
            for frame in replay.frames:
                problem = _frame_problem(frame, len(replay.squares)) or _panels_problem(frame.panels, titles, version)
                if problem:
                    break
                lines.append(_ENCODER.encode(_parts(frame)))
    except (TypeError, ValueError, OverflowError) as error:
        problem = str(error)
    if problem:
        where = f"round {len(lines)}" if lines else "the start"
        raise UserError(f"the replay of {replay.title or replay.game} cannot be written: {where}: {problem}")
    return b"\n".join([*lines, b""])


def decode(data: bytes, where: str = "replay") -> Replay:
    """The replay of these bytes; ``where`` is for messages.

    Raises:
        UserError: they are no replay, or one of a later version; names the first bad line.
    """
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    replay = Replay(game="", width=0, height=0, squares=())
    titles: set[str] = set()
    version = VERSION
    for number, line in enumerate(lines or [b""], start=1):
        try:
            if number == 1:
                problem, version = _read_header(line, replay)
                frame = Frame(panels=replay.panels)
            else:
                problem, frame = _read_frame(line, replay)
            problem = problem or _panels_problem(frame.panels, titles, version)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            problem = str(error)
        if problem:
            raise UserError(f"{where}, line {number}: {problem}")
    return replay


def _parts(frame: Frame) -> list[Any]:
    parts: list[Any] = [frame.changes, frame.actions, [float(score) for score in frame.scores], frame.notes]
    if frame.panels:
        parts.append(panel_values(frame.panels))
    while parts and not parts[-1]:
        parts.pop()
    return parts


def _read_header(line: bytes, replay: Replay) -> tuple[str, int]:
    mark = _MARKS.decode(line)
    if mark.format != FORMAT:
        return f'not the first line of a replay: expected "format":"{FORMAT}"', 0
    if mark.version not in (VERSION, PANELS_VERSION):
        versions = f"this tiltyard reads versions {VERSION} and {PANELS_VERSION}"
        return f"of version {mark.version} of the format; {versions}", mark.version
    header = _HEADERS.decode(line)
    for name in ("game", "title", "seats", "message", "width", "height", "squares"):
        setattr(replay, name, getattr(header, name))
    replay.views = list(header.views)
    replay.panels = panels_of(header.panels)
    return _header_problem(header), mark.version


def _read_frame(line: bytes, replay: Replay) -> tuple[str, Frame]:
    read = _LINES.decode(line)
    frame = Frame(read.changes, read.actions, read.scores, read.notes, panels_of(read.panels))
    replay.frames.append(frame)
    return _frame_problem(frame, len(replay.squares)), frame


def _panels_problem(panels: tuple[Panel, ...], titles: set[str], version: int) -> str:
    """``titles`` are those of all panels so far; these are added."""
    if not panels:
        return ""
    if version == VERSION:
        return f"a replay of version {VERSION} has no panels; those that have are of version {PANELS_VERSION}"
    titles.update(panel.title for panel in panels)
    return f"more than {MOST_PANELS} panels with different titles" if len(titles) > MOST_PANELS else ""


def _header_problem(header: _Header) -> str:
    is_board = min(header.width, header.height) >= 1
    if not is_board and (header.version == VERSION or (header.width, header.height) != (0, 0)):
        return f"a board of {header.width} x {header.height} squares"
    if len(header.squares) != header.width * header.height:
        return f"{len(header.squares)} squares, expected width x height: {header.width} x {header.height}"
    if not all(header.squares):
        return "an empty token on the board"
    return next((f"a view {view}" for view in header.views if not _is_view(view, header)), "")


def _is_view(view: tuple[int, int, int], header: _Header) -> bool:
    number, seat, square = view
    return number >= 1 and 1 <= seat <= len(header.seats) and -1 <= square < len(header.squares)


def _frame_problem(frame: Frame, squares: int) -> str:
    for square, token in frame.changes:
        if not 0 <= square < squares:
            expected = f"expected 0 to {squares - 1}" if squares else "the game has none"
            return f"square {square} is not on the board: {expected}"
        if not token:
            return f"an empty token on square {square}"
    if not all(map(isfinite, frame.scores)):
        return f"a score of {next(score for score in frame.scores if not isfinite(score))}"
    texts: Iterable[object] = chain(frame.actions, frame.notes)
    return next((f"{text!r} is not a string" for text in texts if not isinstance(text, str)), "")
