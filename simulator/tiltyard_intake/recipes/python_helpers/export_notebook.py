"""Writes the code cells of the one notebook in a folder as a Python file that says where it comes from."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path


def code_of(cell: dict[str, object]) -> str:
    """A cell's code, without what only a notebook understands."""
    source = cell.get("source", "")
    text = "".join(source) if isinstance(source, list) else str(source)
    if text.lstrip().startswith("%%"):
        return ""
    return "\n".join("# " + line if line.lstrip().startswith(("%", "!")) else line for line in text.splitlines())


def exported(notebook: Path) -> Iterator[str]:
    """The blocks of the file."""
    yield f"# The code cells of {notebook.name}, exported."
    for number, cell in enumerate(json.loads(notebook.read_bytes())["cells"], start=1):
        code = code_of(cell) if cell.get("cell_type") == "code" else ""
        if code.strip():
            yield f"# Cell {number}\n{code}"


def main(folder: Path, target: Path) -> int:
    """Write the code of the one notebook, and return the exit code."""
    notebooks = sorted(folder.glob("*.ipynb"))
    candidates = [each for each in notebooks if b"hookimpl" in each.read_bytes()] or notebooks
    if len(candidates) != 1:
        print(
            f"{' and '.join(each.name for each in candidates)} are notebooks: hand in only the one that should play",
            file=sys.stderr,
        )
        return 1
    try:
        target.write_text("\n\n\n".join(exported(candidates[0])) + "\n", encoding="utf-8")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"{candidates[0].name}: isn't a notebook ({error}): save it again, and hand in the .ipynb file", file=sys.stderr)
        return 1
    return 0


sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
