"""The files of unfinished games: JSON objects that are replaced atomically and checked when they are read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.names import file_name

LONGEST_FILE: Final = 1 << 20
"""Bytes; a saved game has some thousand."""


@dataclass(slots=True)
class SavedGame:
    """An unfinished game and its file."""

    path: Path
    content: dict[str, Any]
    """All that the file says. Its "moves" are a list of texts, to which the table adds."""

    def write(self, copy: Path | None = None) -> None:
        """Replace the file, or that of a copy, atomically: it holds the old game or the new one, whatever happens.

        Raises:
            UserError: it cannot be written.
        """
        path = copy or self.path
        beside = path.with_name(file_name(f".{path.name}", f".{os.getpid()}"))
        try:
            beside.write_text(f"{json.dumps(self.content, indent=1)}\n", encoding="utf-8")
            beside.replace(path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise UserError(f"{path}: cannot be written: {error.strerror}; save the game to another file") from error


def read_saved_game(path: Path, mark: tuple[str, str], kinds: Mapping[str, type]) -> SavedGame:
    """The game of a file. Whether its moves are legal shows when they are played.

    Args:
        path: the file.
        mark: a key and its value, which say whose saved game it is.
        kinds: the types of the values of other keys. "moves", a list, is always among them.

    Raises:
        UserError: it cannot be read, or is no such game.
    """
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(LONGEST_FILE))
        # Values that could not be written again: half a character, or lists that were just not too deep to be read.
        repr(content).encode()
        json.dumps(content, ensure_ascii=False).encode()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not a saved game: {error}") from error
    key, value = mark
    if not isinstance(content, dict) or content.get(key) != value:
        raise UserError(f'{path}: not a saved game: expected an object with "{key}": "{value}"')
    for key, kind in {**kinds, "moves": list}.items():
        if not isinstance(content.get(key), kind) or isinstance(content[key], bool):
            raise UserError(f'{path}: "{key}" is {content.get(key)!r:.40}, expected {kind.__name__}')
    return SavedGame(path, content)


def file_of_game(path: Path | None, usual: Path) -> Path:
    """Where a game that begins is saved: the file that somebody named, or else the usual one, with a number if that is there.

    Raises:
        UserError: the file exists already, perhaps with a game that somebody wants to resume.
    """
    if path is not None and path.exists():
        raise UserError(f"{path}: already exists; resume it with --resume, or choose another file")
    return path or free_path(usual)


def free_path(path: Path) -> Path:
    """The path, or the first with a number from 2 on behind its name that no file has."""
    free, number = path, 1
    while free.exists():
        number += 1
        free = path.with_name(file_name(f"{path.stem}-{number}", path.suffix))
    return free
