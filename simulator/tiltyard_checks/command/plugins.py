"""``tiltyard plugins``: what is installed, usable or not."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.registry import Registry, Row, Selection, Trust
from tiltyard_engine.registry.commands import command_plugins
from tiltyard_engine.texts.sanitize import one_line, quoted
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.output.reports import say_notes
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.registry.guarded_registry import GuardedLoader, open_registry
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions, TableFormat

app = application()


@app.command()
def plugins(
    *,
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders to list instead of the installed plugins.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all rows as JSON, with tracebacks.")] = False,
    traces: Annotated[bool, typer.Option("--traceback", help="Print the traceback of each failure below the table.")] = False,
    style: TableFormat = "simple",
    isolation: IsolationOptions,
    plugin_options: PluginOptions,
) -> None:
    """List plugins and what they contribute, and why some failed.

    \b
    Examples:
      tiltyard plugins
      tiltyard plugins submissions/
      tiltyard plugins --json --block tiltyard-acorn

    The environment variables TILTYARD_BLOCK and TILTYARD_ONLY (comma-separated) do the same as the options. The exit
    status is 1 if anything failed.
    """
    policy = isolation.policy(plugin_options.trust)
    if paths:
        rows = Registry.from_paths(paths, GuardedLoader(policy, plugin_options.selection), OWN_DISTRIBUTIONS).rows
    else:
        rows = [*open_registry(policy, plugin_options.selection).rows, *_command_rows(plugin_options.selection, policy.trust)]
    say_notes([])
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        headers = ("name", "kind", "game", "distribution", "version", "file", "status", "reason")
        table = [[getattr(row, header) for header in headers] for row in rows]
        if style == "simple":
            # Hundreds of rows name the same file.
            short = cache(_short)
            table = [[short(cell) for cell in line] for line in table]
        print(render(headers, table, style))
        for row in rows:
            if traces and row.detail:
                print(f"\n{row.name}: {one_line(row.reason)}\n{quoted(row.detail)}")
    if any(row.status in ("failed", "duplicate") for row in rows):
        raise typer.Exit(1)


def _command_rows(selection: Selection, trust: Trust) -> list[Row]:
    rows: list[Row] = []
    for plugin in command_plugins(selection, trust, OWN_DISTRIBUTIONS):
        source = plugin.source
        row = Row(
            name=source.name,
            kind="command",
            game="",
            distribution=source.distribution,
            version=source.version,
            file=plugin.file,
            status="ok",
        )
        rows += [replace(row, name=command.name) for command in plugin.commands]
        rows += [
            replace(
                row,
                name=problem.name or source.name,
                kind=problem.kind,
                status="failed",
                reason=problem.reason,
                detail=problem.detail,
            )
            for problem in plugin.problems
        ]
    return rows


def _short(text: str) -> str:
    """Paths below the current folder or the home folder, for a table that fits."""
    if not text.startswith("/"):
        return text
    path = Path(text)
    for base, prefix in ((Path.cwd(), ""), (Path.home(), "~/")):
        if path.is_relative_to(base):
            return f"{prefix}{path.relative_to(base)}"
    return text
