"""Whether the wheel of a game that is installed here has compiled rules; cibuildwheel asks so of each that it made.

python tests/installation/compiled.py plugins/tanks
"""

from __future__ import annotations

import importlib
import sys
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path


def main(folder: Path) -> None:
    """Import the modules that the game's pyproject.toml names, and look where they come from."""
    hooks = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"][
        "hooks"
    ]
    modules = [name.removesuffix(".py").replace("/", ".") for name in hooks["mypyc"]["include"]]
    pure = [name for name in modules if not str(importlib.import_module(name).__file__).endswith(tuple(EXTENSION_SUFFIXES))]
    if pure or not modules:
        sys.exit(f"{folder}: not compiled: {', '.join(pure) or 'nothing'}")
    print(f"compiled: {', '.join(modules)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
