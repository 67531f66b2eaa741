"""Map files as a command line names them: read, and written without destroying anything."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError

STANDARD_INPUT: Final = "-"


def shipped_map_names() -> list[str]:
    """The names of the maps that come with the game."""
    folder = resources.files("tiltyard_tanks").joinpath("shipped_maps")
    return sorted(entry.name.removesuffix(".txt") for entry in folder.iterdir() if entry.name.endswith(".txt"))


def read_map_bytes(argument: str) -> tuple[str, bytes]:
    """Name for messages, and content: of a file, of standard input for ``-``, or of a shipped map.

    A file goes before a shipped map of the same name.
    """
    if argument == STANDARD_INPUT:
        return "standard input", sys.stdin.buffer.read()
    path = Path(argument)
    try:
        return argument, path.read_bytes()
    except FileNotFoundError:
        if argument in shipped_map_names():
            name = f"{argument}.txt"
            return name, resources.files("tiltyard_tanks").joinpath("shipped_maps", name).read_bytes()
        raise UserError(f"{argument}: no such file, and no shipped map either; shipped: {', '.join(shipped_map_names())}") from None
    except IsADirectoryError:
        raise UserError(f"{argument}: this is a folder; give the map files in it, such as {path / '*.txt'}") from None
    except OSError as error:
        raise UserError(f"{argument}: cannot be read: {error.strerror}") from None


def write_new_file(path: Path, data: bytes, *, force: bool) -> None:
    """Write a file that does not exist yet; with ``force`` one that does as well."""
    try:
        with path.open("wb" if force else "xb") as file:
            file.write(data)
    except FileExistsError:
        raise UserError(f"{path} exists; give --force to overwrite it, or another name") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None
