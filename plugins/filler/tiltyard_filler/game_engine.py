"""``game_engine``: the subject's engine, with its flags."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import MapError
from tiltyard_engine.exit_status import INTERRUPTED, end_well, raised_by_signals
from tiltyard_filler.engine import Engine, Settings
from tiltyard_filler.go_flags import Flag, FlagError, parse, usage
from tiltyard_filler.map_files import FillerMap, read_board
from tiltyard_filler.robots import open_robots

DEFAULT_SECONDS: Final = 10
FLAGS: Final = (
    *(Flag(name, "map", "string", "Path to map") for name in ("f", "file")),
    *(Flag(name, "first", "string", "Path to AI one") for name in ("p1", "player1")),
    *(Flag(name, "second", "string", "Path to AI two") for name in ("p2", "player2")),
    *(Flag(name, "quiet", "bool", "Quiet mode") for name in ("q", "quiet")),
    *(Flag(name, "refresh", "bool", "Throttling mode") for name in ("r", "refresh")),
    Flag("s", "seed", "int", "Set a random seed number", time.time_ns),
    Flag("seed", "seed", "int", "Use a random seed number", time.time_ns),
    *(Flag(name, "seconds", "int", "Set timeout in seconds", DEFAULT_SECONDS) for name in ("t", "time")),
    # Not the subject's, and not in its usage.
    Flag("strict", "strict", "bool", ""),
    Flag("unconfined", "unconfined", "bool", ""),
)
LONGEST_SECONDS: Final = 1e7


def main(words: Sequence[str] | None = None) -> int:
    """The command; its statuses are the subject's."""
    words = sys.argv[1:] if words is None else words
    try:
        values = parse(FLAGS, words)
    except FlagError as error:
        if not str(error):
            _say(usage(sys.argv[0], FLAGS))
            return 0
        _say(f"{error}\n{usage(sys.argv[0], FLAGS)}")
        return 2
    paths = [str(values.get(name, "")) for name in ("map", "first", "second")]
    if not all(paths):
        _say(f"-file, -player1 and -player2 flags are required\n{usage(sys.argv[0], FLAGS)}")
        return 1
    if not all(os.path.exists(path) for path in paths):  # noqa: PTH110 -- also of names that no Path takes
        _say("Error: file not valid\n")
        return 1
    try:
        board = read_board(paths[0], Path(paths[0]).read_bytes())
    except MapError:
        _say("Error: invalid map\n")
        return 1
    except OSError as error:
        # As Go words it, and on standard output, where the subject's engine says this.
        doing = "read" if isinstance(error, IsADirectoryError) else "open"
        _writer()(f"{doing} {paths[0]}: {(error.strerror or '').lower()}\n".encode("utf-8", "surrogateescape"))
        return 1
    seed = int(values.get("seed", time.time_ns()))
    is_strict = bool(values.get("strict"))
    explains = sys.stderr.isatty() and not is_strict
    settings = Settings(seed, bool(values.get("quiet")), bool(values.get("refresh")), is_strict, explains)
    is_confined = not (is_strict or values.get("unconfined"))
    return _play(board, paths[1:], _seconds(int(values.get("seconds", DEFAULT_SECONDS))), settings, is_confined)


def _seconds(seconds: int) -> float:
    """For an answer. The subject counts nanoseconds in 64 bits: very large numbers come out as any other, also below 0."""
    nanoseconds = (seconds * 10**9 + (1 << 63)) % (1 << 64) - (1 << 63)
    return min(nanoseconds / 1e9, LONGEST_SECONDS)


def _play(board: FillerMap, paths: Sequence[str], seconds: float, settings: Settings, is_confined: bool) -> int:
    def run() -> int:
        try:
            with open_robots(paths, seconds, is_confined, settings.is_strict) as robots:
                return Engine(board, robots, settings, _writer(), _say).run()
        except KeyboardInterrupt:
            # The subject's engine says nothing then.
            return INTERRUPTED

    with raised_by_signals():
        return end_well(run, name="game_engine")


def _writer() -> Callable[[bytes], object]:
    descriptor = sys.stdout.fileno()

    def write(data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    return write


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
