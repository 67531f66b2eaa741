"""A replay as a text in a script that the match page adds when it is wanted: pages opened from a disk can load nothing else.

The text is a replay file (docs/reference/replays.md) whose texts are harmless, compressed as zlib does it, which browsers can undo.
It has seven bits a letter: the letters hold the lower bits of all bytes, and after these, seven bytes a letter, the highest ones.
What Python writes in ``packed_replay``, the page reads in ``assets/replays.js``.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme
from tiltyard_engine.texts.public_text import public_text
from tiltyard_simulator.replays.encoding import decode, encode
from tiltyard_simulator.replays.files import decompress
from tiltyard_site.pages.data import SeatView
from tiltyard_site.pages.labels import harmless, line
from tiltyard_viewer.drawing.shown_panels import shown_panel
from tiltyard_viewer.drawing.theme_colors import drawn_colors

VERSION: Final = 3
"""Of the encoding; replays that were published in another are written again."""

MOST_SQUARES: Final = 1_000_000
LONGEST_ACTION: Final = 4_000
"""Characters; the figures of actions make them long."""
MOST_TOKENS: Final = 65_536
"""The page keeps a square's token in two bytes."""
LEVEL: Final = 6
"""Of the compression: 9 is a fiftieth smaller and takes five times as long."""
PER_LETTER: Final = 7
"""Bits of a letter, and so bytes whose highest bits one letter holds."""
LOWER_BITS: Final = bytes(value & 0x7F for value in range(256))
HIGHEST_BITS: Final = tuple(bytes((value >> 7) << place for value in range(256)) for place in range(PER_LETTER))
"""For each place of a letter: the bytes' highest bits there."""
ESCAPES: Final = str.maketrans({"\0": "\\x00", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\", "<": "\\x3c"})
"""What may not stand in a text of JavaScript or in a page as it is."""
SIMPLE_ESCAPE: Final = re.compile(r'\\["\\]')


def script(name: str, value: Any) -> bytes:
    """A script that hands ``value`` over under ``name``; ASCII, and harmless even inside a page."""
    return f"Tiltyard.register({json.dumps(name)},{json_text(value)});\n".encode("ascii")


def json_text(value: Any) -> str:
    """JSON that is harmless inside a page."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def replay_problem(replay: Replay) -> str:
    """Why a replay cannot be shown; empty if it can. GameManagers come from strangers."""
    if not replay.shows_anything:
        return "nothing was recorded"
    size = replay.width * replay.height
    is_board = min(replay.width, replay.height) >= 1 or (replay.width, replay.height) == (0, 0)
    if not is_board or size > MOST_SQUARES or len(replay.squares) != size:
        return f"its start board has {len(replay.squares)} squares, not {replay.width} x {replay.height}"
    tokens = set(replay.squares)
    for number, frame in enumerate(replay.frames, start=1):
        tokens.update(token for _, token in frame.changes)
        if len(tokens) > MOST_TOKENS:
            return f"it has more than {MOST_TOKENS} different tokens"
        for square, _ in frame.changes:
            if not 0 <= square < size:
                return f"round {number} changes square {square} of {size}"
        for score in frame.scores:
            if not abs(score) < float("inf"):
                return f"round {number} has a score of {score}"
    return ""


def packed_replay(replay: Replay | bytes, where: str = "replay") -> str:
    """The replay, or the bytes of a replay file, as the text that the page reads. Errors are those of ``compressed_replay``."""
    return letters(compressed_replay(replay, where))


def compressed_replay(replay: Replay | bytes, where: str = "replay") -> bytes:
    """The replay, or the bytes of a replay file, as the compressed bytes that the page reads.

    Raises:
        UserError: the bytes are damaged, or the replay can't be shown; ``where`` is for messages.
    """
    if isinstance(replay, bytes):
        data = decompress(replay, where)
        if _is_harmless(data):
            return zlib.compress(data, LEVEL)
        replay = decode(data, where)
    if problem := replay_problem(replay):
        raise UserError(problem)
    return zlib.compress(encode(_harmless_replay(replay)), LEVEL)


def replays_script(name: str, texts: Mapping[str, str], views: Mapping[str, Sequence[SeatView]] | None = None) -> bytes:
    """A script with packed replays by the names of their files, and with what players were shown, where that was recorded apart."""
    parts = [f'{json.dumps(file)}:"{text}"' for file, text in texts.items()]
    for file, of_game in (views or {}).items():
        rows = [[view.round, view.seat, [harmless(row) for row in view.rows]] for view in of_game]
        parts.append(f"{json.dumps(f'{file}-views')}:{json_text(rows)}")
    return f"Tiltyard.register({json.dumps(f'replays/{name}')},{{{','.join(parts)}}});\n".encode("ascii")


def letters(data: bytes) -> str:
    """Bytes as letters of seven bits, for a text in double quotes; the first letter says how many bytes were added at the end."""
    padding = -len(data) % PER_LETTER
    data += bytes(padding)
    size = len(data) // PER_LETTER
    rest = 0
    for place, bits in enumerate(HIGHEST_BITS):
        rest |= int.from_bytes(data[place * size : (place + 1) * size].translate(bits), "big")
    text = bytes([padding]) + data.translate(LOWER_BITS) + rest.to_bytes(size, "big")
    return text.decode("ascii").translate(ESCAPES)


def _is_harmless(data: bytes) -> bool:
    """Whether nothing in a replay file has to be changed for a page: it has no path of a machine, and nothing that can't be seen.

    Only such a file needn't be decoded, which would take ten times as long as all else.
    """
    text = data.decode("utf-8", "replace")
    is_visible = text.replace("\n", "").isprintable() and "\\" not in SIMPLE_ESCAPE.sub("", text)
    return is_visible and public_text(text) == text and _is_of_usual_size(data)


def _is_of_usual_size(data: bytes) -> bool:
    """Whether a replay file shows anything, and not too much."""
    first, _, frames = data.partition(b"\n")
    header = msgspec.json.decode(first)
    return bool(frames) and header["width"] * header["height"] <= MOST_SQUARES


def _harmless_replay(replay: Replay) -> Replay:
    frames = [
        Frame(
            frame.changes,
            tuple(line(action, LONGEST_ACTION) for action in frame.actions),
            frame.scores,
            tuple(map(line, frame.notes)),
            tuple(map(shown_panel, frame.panels)),
        )
        for frame in replay.frames
    ]
    return replace(
        replay,
        game=line(replay.game),
        title=line(replay.title),
        message=line(replay.message),
        seats=tuple(map(line, replay.seats)),
        frames=frames,
        panels=tuple(map(shown_panel, replay.panels)),
    )


def theme_value(theme: Theme | None) -> dict[str, Any]:
    """The theme as JSON values: token to what differs from a plain square."""
    theme = drawn_colors(theme)
    styles = {
        token: {
            name: value
            for name, value in (
                ("glyph", line(style.glyph)),
                ("color", style.foreground),
                ("ground", style.background),
                ("label", line(style.label)),
                ("shape", style.shape),
                ("turn", style.turn),
                ("mark", line(style.mark)),
                ("seat", style.seat),
                ("floor", style.floor),
                ("ring", style.ring),
                ("dot", style.dot),
            )
            if value
        }
        for token, style in theme.styles.items()
    }
    value: dict[str, Any] = {"seats": list(theme.seat_colors), "styles": styles}
    if theme.figures is not None:
        value["figures"] = {"empty": theme.figures.empty, "taken": theme.figures.taken, "after": theme.figures.after}
    names = {"columns": [line(name) for name in theme.column_names], "rows": [line(name) for name in theme.row_names]}
    return value | {name: values for name, values in names.items() if values}


def theme_of_script(data: bytes) -> Theme:
    """The theme in a script that was made of ``theme_value``, as far as pictures need it."""
    value = json.loads(data.partition(b",")[2].rpartition(b")")[0])
    fields = {"color": "foreground", "ground": "background"}
    styles = {
        token: SquareStyle(**{"glyph": "", "plain": ""} | {fields.get(name, name): part for name, part in style.items()})
        for token, style in value["styles"].items()
    }
    columns, rows = (tuple(value.get(name, ())) for name in ("columns", "rows"))
    return Theme(styles=styles, seat_colors=tuple(value["seats"]), column_names=columns, row_names=rows)
