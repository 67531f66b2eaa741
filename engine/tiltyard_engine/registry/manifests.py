"""What makes a program a team: a manifest beside it, ``program.toml``; or a bare command on a command line.

It is TOML and not YAML because Python reads TOML without any package, and because TOML's numbers and strings hold no surprises.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.checks import LONGEST_TEAM_NAME, NOT_IN_TEAM_NAMES
from tiltyard_engine.registry.sources import MANIFEST, Origin, Source, is_plugin_file
from tiltyard_engine.registry.toml_files import read_toml
from tiltyard_engine.texts.near_names import did_you_mean

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
"""Each key of a manifest, which is a field of ProgramTeam, with its type, and that in words."""
NEEDED: Final = ("game", "command")


def read_manifest(path: Path) -> ProgramTeam:
    """The program that a manifest describes; its name is the folder's unless the manifest gives another one.

    Raises:
        UserError: the file cannot be read, or is not a valid manifest.
    """
    table = read_toml(path, LARGEST)
    _check(table)
    table.setdefault("name", team_name_of(path.parent.name))
    table["environment"] = sorted(table.get("environment", {}).items())
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return ProgramTeam(folder=str(path.parent), **fields)


def _check(table: dict[str, Any]) -> None:
    for key, value in table.items():
        if key not in KEYS:
            hint = did_you_mean(key, KEYS) or f"known: {', '.join(KEYS)}"
            raise UserError(f"{MANIFEST}: unknown key '{key:.60}'; {hint}")
        kind, words = KEYS[key]
        parts = value if kind is list else value.values() if isinstance(value, dict) else ()
        if not isinstance(value, kind) or not all(isinstance(part, str) for part in parts):
            raise UserError(f"{MANIFEST}: {key} is {value!r:.60}, expected {words}")
    for key in NEEDED:
        if not table.get(key):
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
    name = re.sub(r"[^\w.+-]+", "-", stem).strip("-.+")[:LONGEST_TEAM_NAME] or "program"
    return Source(name=name, origin=Origin.PROGRAM, value=shlex.join(words)), ProgramTeam(
        name=name, game=game, command=tuple(words)
    )


def team_name_of(file_name: str) -> str:
    """A team's name that is made of its file's or folder's: whatever no name may hold becomes ``-``."""
    signs = "".join(sign if sign.isprintable() and sign not in NOT_IN_TEAM_NAMES else "-" for sign in file_name)
    return signs.strip().lstrip("-.")[:LONGEST_TEAM_NAME].rstrip() or "program"


def _is_program(word: str) -> bool:
    path = Path(word)
    if path.is_file():
        return not is_plugin_file(path) and os.access(path, os.X_OK)
    return "/" not in word and shutil.which(word) is not None
