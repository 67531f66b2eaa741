"""Executes cells as a notebook's kernel does, and lays their outputs out as a page. A real kernel would be thirty packages more."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

PAGE = """<!doctype html><html><head><meta charset="utf-8"><title>Notebook</title>
<style>body {{ margin: 0; padding: 1rem; max-width: 60rem; font-family: sans-serif; {look} }}
.cell {{ margin-bottom: 1rem }} pre {{ background: #8882; padding: 0.5rem; overflow-x: auto }}
/* What notebooks do to the tables of others. */
.output table {{ font-size: 12px }} .output td {{ text-align: right }}
.output tbody tr:nth-child(odd) {{ background: #f5f5f5 }}</style>
</head><body>{cells}</body></html>"""
LIGHT, DARK = "background: #fff; color: #111", "background: #111; color: #eee"


def execute(sources: Sequence[str], names: dict[str, Any] | None = None) -> list[Any]:
    """The value of each cell: that of its last line, if this is an expression."""
    space: dict[str, Any] = {"__name__": "__main__"} if names is None else names
    values: list[Any] = []
    for number, source in enumerate(sources, start=1):
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"<cell {number}>", "exec"), space)
        value = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
        values.append(None if value is None else eval(compile(value, f"<cell {number}>", "eval"), space))
    return values


def page(sources: Sequence[str], values: Sequence[Any], look: str = LIGHT) -> str:
    """The notebook as a page."""
    cells = []
    for source, value in zip(sources, values, strict=True):
        output = "" if value is None else f'<div class="output">{value._repr_html_()}</div>'
        text = source.replace("&", "&amp;").replace("<", "&lt;")
        cells.append(f'<div class="cell"><pre>{text}</pre>{output}</div>')
    return PAGE.format(look=look, cells="\n".join(cells))
