"""Files of the commands: map files read as a command line names them, and results written to files or standard output."""

from __future__ import annotations

import sys
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import refuse_address
from tiltyard_engine.exit_status import discard_output

STANDARD_INPUT: Final = "-"


def shipped_map_files() -> list[Traversable]:
    """The files of the maps that come with the game, by name."""
    folder = resources.files("tiltyard_tanks").joinpath("shipped_maps")
    return sorted((file for file in folder.iterdir() if file.name.endswith(".txt")), key=lambda file: file.name)


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
        files = {file.name.removesuffix(".txt"): file for file in shipped_map_files()}
        if argument in files:
            return files[argument].name, files[argument].read_bytes()
        refuse_address(argument)
        raise UserError(f"{argument}: no such file or shipped map; shipped maps: {', '.join(files)}") from None
    except IsADirectoryError:
        raise UserError(f"{argument}: this is a folder; name the map files in it, such as {path / '*.txt'}") from None
    except OSError as error:
        raise UserError(f"{argument}: cannot be read: {error.strerror}") from None


def write_file(path: Path, data: bytes, *, force: bool) -> None:
    """Write a file; only with ``force`` may it exist already.

    Raises:
        UserError: it exists, or cannot be written.
    """
    try:
        with path.open("wb" if force else "xb") as file:
            file.write(data)
    except FileExistsError:
        raise UserError(f"{path} already exists; use --force to overwrite it, or choose another name") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def print_text(text: str) -> None:
    """Write ``text`` to standard output at once, as UTF-8 with bare line feeds.

    Raises:
        UserError: it cannot be written, such as to a full disk.
        BrokenPipeError: the reader has closed the pipe.
    """
    sys.stdout.flush()
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise UserError(f"standard output cannot be written: {error.strerror}") from None
