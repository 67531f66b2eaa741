"""``tiltyard plugins``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.registry import Registry, Row, Selection, Trust
from tiltyard_engine.registry.commands import command_plugins
from tiltyard_simulator.guard.describing import GuardedLoader
from tiltyard_simulator.tables import render
from tiltyard_tournaments.cli.options import (
    Block,
    Isolate,
    Limit,
    Only,
    TableFormat,
    TrustNames,
    Unconfined,
    application,
    holding,
    registry,
    table_format,
)

app = application()


@app.command()
def plugins(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders to look at instead of what is installed.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All rows as JSON, tracebacks included.")] = False,
    traces: Annotated[bool, typer.Option("--traceback", help="Print the traceback of each failure below the table.")] = False,
    style: TableFormat = "simple",
    isolation: Isolate = None,
    unconfined: Unconfined = False,
    limit: Limit = None,
    trust: TrustNames = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """List everything that plugins contribute, and what failed and why.

    \b
    Examples:
      tiltyard plugins
      tiltyard plugins submissions/
      tiltyard plugins --json --block tiltyard-acorn

    The environment variables TILTYARD_BLOCK and TILTYARD_ONLY (comma-separated) say the same as the options. The exit
    status is 1 if anything failed.
    """
    held = holding(isolation, unconfined, limit, trust)
    selection = Selection.from_environment(block or (), only)
    if paths:
        rows = Registry.from_paths(paths, GuardedLoader(held, selection)).rows
    else:
        rows = [*registry(held, block, only).rows, *_command_rows(selection, held.trust)]
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        headers = ("name", "kind", "game", "distribution", "version", "file", "status", "reason")
        table = [[getattr(row, header) for header in headers] for row in rows]
        if style == "simple":
            table = [[_short(cell) for cell in line] for line in table]
        print(render(headers, table, table_format(style)))
        for row in rows:
            if traces and row.detail:
                print(f"\n{row.name}: {row.reason}\n{row.detail.rstrip()}")
    if any(row.status in ("failed", "duplicate") for row in rows):
        raise typer.Exit(1)


def _command_rows(selection: Selection, trust: Trust) -> list[Row]:
    rows: list[Row] = []
    for plugin in command_plugins(selection, trust):
        source = plugin.source
        known = (source.distribution, source.version, plugin.file)
        rows += [Row(command.name, "command", "", *known, "ok") for command in plugin.commands]
        rows += [
            Row(problem.name or source.name, problem.kind, "", *known, "failed", problem.reason, problem.detail)
            for problem in plugin.problems
        ]
    return rows


def _short(text: str) -> str:
    """Paths below the current folder or the home folder, for a table that fits."""
    path = Path(text)
    if path.is_absolute():
        for base, prefix in ((Path.cwd(), ""), (Path.home(), "~/")):
            if path.is_relative_to(base):
                return f"{prefix}{path.relative_to(base)}"
    return text
