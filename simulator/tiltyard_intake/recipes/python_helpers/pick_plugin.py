"""Picks what of a folder is the team in Python, and checks its syntax.

One file that needs nothing beside it becomes plugin.py. All else is copied as it lies into team-folder/.
"""

from __future__ import annotations

import shutil
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltyard_engine.registry.python_folders import TEAMS_LIST, is_stray, plugins_in, uses_what_lies_beside
else:
    sys.path.insert(0, str(Path(__file__).parent))
    # It lies beside this file in a build.
    from python_folders import TEAMS_LIST, is_stray, plugins_in, uses_what_lies_beside


def picked(folder: Path) -> Path:
    """The team's plugin.

    Raises:
        ValueError: there is none, or there are several; says so.
    """
    if (folder / "__init__.py").is_file() and not is_stray(folder):
        return folder
    plugins = plugins_in(folder) or [file for file in sorted(folder.glob("*.py")) if b"tiltyard_engine" in file.read_bytes()]
    if len(plugins) == 1:
        return plugins[0]
    several = f"{' and '.join(str(file.relative_to(folder)) for file in plugins)} are a team each: hand in only one"
    raise ValueError(several if plugins else "no file is a team: none imports tiltyard_engine")


def check_syntax(files: list[Path]) -> str:
    """The first error, as Python shows it; empty if there is none."""
    warnings.simplefilter("ignore")
    for file in files:
        try:
            compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            where = "" if isinstance(error, SyntaxError) else f'  File "{file}", line 1\n'
            return where + "".join(traceback.format_exception_only(error))
    return ""


def main(folder: Path, out: Path) -> int:
    """Copy the team's plugin and what it uses, and return the exit code."""
    try:
        plugin = picked(folder)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    is_alone = plugin.is_file() and not uses_what_lies_beside(plugin, folder)
    files = [plugin] if is_alone else sorted(folder.rglob("*.py"))
    if wrong := check_syntax(files):
        print(wrong, end="", file=sys.stderr)
        return 1
    if is_alone:
        shutil.copyfile(plugin, out / "plugin.py")
        return 0
    target = out / "team-folder"
    shutil.copytree(folder, target)
    # So that there is a file at its top.
    (target / TEAMS_LIST).touch()
    return 0


sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
