"""Which folders of Python files are one team's, told by their text alone: no code of theirs is run.

A folder that holds exactly one plugin is its team's. All else in it are that team's helpers and data. The intake's builds run this
file too, as a script's module without the rest of the project, so it imports nothing but the standard library.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

MARKS: Final = (b"tiltyard_engine", b"hookimpl")
"""What stands in every plugin's file."""
INTAKE_RECORDS: Final = ".tiltyard-intake"
"""How the names of files begin that an intake leaves in a folder of many teams."""
TEAMS_LIST: Final = ".intake.json"
"""What an intake leaves in a folder that is one team's."""
MOST_BYTES: Final = 1 << 20
"""Of a source, as far as it is looked at."""
MOST_ENTRIES: Final = 2_000
"""A folder with more is nobody's alone."""
SHORTEST_PIECE: Final = 3
"""Characters of a name's beginning or end, in a text that is put together, that tell which file is meant."""
_IMPORT: Final = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([^\n#;()]*)|import[ \t]+([^\n#;]+))", re.MULTILINE)
_LITERAL: Final = re.compile(r"""["']([^"'\n]{1,200})["']""")
_PLACE: Final = re.compile(r"\{[^{}]*\}")
NOT_CODE: Final = frozenset(["__pycache__", "node_modules", "build", "dist", "venv"])


def is_plugin_file(path: Path) -> bool:
    """Whether a file has the text of a plugin."""
    if path.suffix.lower() != ".py" or path.name.startswith(".") or not path.is_file():
        return False
    text = _text(path)
    return all(mark in text for mark in MARKS)


def plugins_in(folder: Path) -> list[Path]:
    """The plugins of a team's folder: files, and packages one level below; if there is none, files one level below.

    Raises:
        OSError: the folder cannot be listed.
    """
    entries = _entries(folder)
    plugins = [path for path in entries if is_plugin_file(path)]
    below = {path: [file for file in _entries(path) if is_plugin_file(file)] for path in entries if _may_hold_code(path)}
    plugins += [path for path, files in below.items() if files and (path / "__init__.py").is_file() and not is_stray(path)]
    return plugins or [file for files in below.values() for file in files]


def only_plugin(folder: Path) -> Path | None:
    """The plugin of a folder that holds exactly one; None if it holds none or several, or cannot be listed.

    A home folder, or one that everybody writes to, is never a team's.
    """
    if folder in (Path.home(), Path(tempfile.gettempdir()).resolve()) or folder.parent == folder:
        return None
    try:
        plugins = plugins_in(folder)
    except OSError:
        return None
    return plugins[0] if len(plugins) == 1 else None


def is_stray(package: Path) -> bool:
    """Whether the ``__init__.py`` of a folder brings in nothing, so that its plugin must be another of its files."""
    text = _text(package / "__init__.py")
    return b"import" not in text


def is_ones_own(folder: Path, plugin: Path) -> bool:
    """Whether a folder that nobody says to be one team's looks as if it is that of ``plugin`` alone.

    Its plugin uses what lies beside it, and nothing else in it may be another team.
    """
    if (folder / TEAMS_LIST).is_file():
        return True
    if plugin.parent != folder and not (folder / "pyproject.toml").is_file():
        # A folder of teams, of whom there is one.
        return False
    try:
        # First, as it reads one file alone: this is asked for each file of a folder.
        if not uses_what_lies_beside(plugin, folder):
            return False
        entries = list(folder.iterdir())
        if len(entries) > MOST_ENTRIES or any(path.name.startswith(INTAKE_RECORDS) for path in entries):
            return False
        return not any(path != plugin and path not in plugin.parents and _may_be_a_team(path) for path in entries)
    except OSError:
        return False


def _may_be_a_team(path: Path) -> bool:
    if path.is_dir():
        if not _may_hold_code(path):
            return False
        names = {entry.name for entry in path.iterdir()}
        return "program.toml" in names or any(is_plugin_file(path / name) for name in names)
    if path.suffix == ".so":
        return not any(path.name.endswith(suffix) for suffix in EXTENSION_SUFFIXES if suffix != ".so")
    return is_plugin_file(path) or (not path.suffix and not path.name.startswith(".") and os.access(path, os.X_OK))


def uses_what_lies_beside(plugin: Path, folder: Path) -> bool:
    """Whether a plugin imports a module of its folder, or names a file of it.

    Args:
        plugin: a file, or the folder of a package.
        folder: the one that may be its team's; the plugin lies in it, perhaps one level below.
    """
    own = {plugin.name, "__init__.py"}
    beside = {path.name for place in {plugin.parent, folder} for path in place.iterdir()} - own
    modules = {name.partition(".")[0] for name in beside if name.endswith(".py") or "." not in name} - {""}
    # Among files of others, who imports json means Python's: somebody else's json.py joins nobody to its author.
    modules = modules - sys.stdlib_module_names or modules
    files = [plugin] if plugin.is_file() else sorted(plugin.glob("*.py"))
    return any(_uses(file, modules, beside) for file in files)


def _uses(file: Path, modules: set[str], names: set[str]) -> bool:
    text = _text(file).decode("utf-8", "replace")
    # The second part is a module of its own where the first is what its folder was called at home.
    if any(first in modules or second in modules for first, second in _imports(text)):
        return True
    for literal in _LITERAL.findall(text):
        first, *pieces = _PLACE.split(literal.removeprefix("./"))
        if not pieces and first.partition("/")[0] in names:
            return True
        # A name that is put together from pieces, such as f"weights_{number}.txt".
        if pieces and any(_is_piece(piece, names) for piece in (first, *pieces)):
            return True
    return False


def _is_piece(piece: str, names: set[str]) -> bool:
    return len(piece) >= SHORTEST_PIECE and any(name.startswith(piece) or name.endswith(piece) for name in names)


def _imports(text: str) -> set[tuple[str, str]]:
    """What a source imports: the first parts of names, with the second or what is taken from there, which may be empty.

    Read line by line: a parser of Python can be brought to a crash by a stranger's text.
    """
    modules: set[tuple[str, str]] = set()
    for module, names, plain in _IMPORT.findall(text):
        first, _, rest = module.strip(".").partition(".")
        targets = [each.split()[0] for each in (plain or names).split(",") if each.split()]
        if plain or not first:
            # A relative import without a module's name takes modules by their own.
            modules |= {(each.partition(".")[0], each.partition(".")[2].partition(".")[0]) for each in targets}
        else:
            modules |= {(first, each) for each in ([rest.partition(".")[0]] if rest else ["", *targets])}
    return modules


def _entries(folder: Path) -> list[Path]:
    entries = sorted(folder.iterdir(), key=lambda path: path.name)
    return entries if len(entries) <= MOST_ENTRIES else []


def _may_hold_code(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and path.name not in NOT_CODE and not path.name.startswith((".", "__"))


def _text(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES)
    except OSError:
        return b""
