"""What makes a program a team: a manifest beside it, ``program.toml``; or a bare command on a command line.

TOML and not YAML, because Python reads it without any package, and because it has no surprises in what it takes for a number.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.sources import MANIFEST, PLUGIN_SUFFIXES, Origin, Source

LARGEST: Final = 1 << 16
"""Bytes of a manifest; none comes near."""
KEYS: Final = {
    "name": (str, "a string"),
    "game": (str, "a string"),
    "command": (list, "a list of strings"),
    "files": (list, "a list of strings"),
    "readable": (list, "a list of strings"),
    "environment": (dict, "a table of strings"),
    "protocol": (str, "a string"),
    "description": (str, "a string"),
}
"""Each key with its type, and that in words."""
NEEDED: Final = ("game", "command")


def read_manifest(path: Path) -> ProgramTeam:
    """The program that a manifest describes; its name is the folder's unless the manifest gives another one.

    Raises:
        UserError: the file cannot be read, or says what no manifest says.
    """
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise UserError(f"{MANIFEST}: more than {LARGEST} bytes")
        found = tomllib.loads(text.decode("utf-8"))
    except OSError as error:
        raise UserError(f"{MANIFEST}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{MANIFEST}: {error}") from error
    _check(found)
    return ProgramTeam(
        found.get("name", path.parent.name),
        found["game"],
        tuple(found["command"]),
        str(path.parent),
        tuple(found.get("files", ())),
        tuple(found.get("readable", ())),
        tuple(sorted(found.get("environment", {}).items())),
        found.get("protocol", ""),
        found.get("description", ""),
    )


def _check(found: dict[str, Any]) -> None:
    for key, value in found.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(KEYS)}"
            raise UserError(f"{MANIFEST}: unknown key '{key}'; {hint}")
        kind, words = KEYS[key]
        parts = value if kind is list else value.values() if isinstance(value, dict) else ()
        if not isinstance(value, kind) or not all(isinstance(part, str) for part in parts):
            raise UserError(f"{MANIFEST}: {key} is {value!r:.60}, expected {words}")
    for key in NEEDED:
        if not found.get(key):
            example = 'command = ["./robot"]' if key == "command" else 'game = "filler"'
            raise UserError(f"{MANIFEST}: {key} is missing, such as {example}")


def bare_program(text: str, game: str) -> tuple[Source, ProgramTeam] | None:
    """The program that a command line names without a manifest: ``./robot``, or ``python3 bot.py``; None if it names none.

    The program is called after the last file that the words name. It may read the files that they name, and no others.
    """
    path = Path(text)
    if path.is_file():
        words = [text]
    else:
        try:
            words = shlex.split(text)
        except ValueError:
            return None
        if len(words) < 2:
            return None
    if not _is_program(words[0]):
        return None
    words = [os.path.abspath(word) if Path(word).is_file() else word for word in words]  # noqa: PTH100 -- links are kept
    stem = next((Path(word).stem for word in reversed(words) if Path(word).is_file()), Path(words[0]).stem)
    name = re.sub(r"[^A-Za-z0-9_.+-]+", "-", stem).strip("-.+")[:64] or "program"
    return Source(name, Origin.PROGRAM, shlex.join(words)), ProgramTeam(name, game, tuple(words))


def _is_program(word: str) -> bool:
    path = Path(word)
    if path.is_file():
        return path.suffix not in PLUGIN_SUFFIXES and os.access(path, os.X_OK)
    return "/" not in word and shutil.which(word) is not None
