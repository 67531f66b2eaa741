"""``tiltyard check``."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.wording import escaped
from tiltyard_simulator.check_steps import Mark, Step
from tiltyard_simulator.check_subjects import Wanted, find, subject
from tiltyard_simulator.checking import Subject
from tiltyard_simulator.checking import check as check_team
from tiltyard_simulator.fault_folders import folder_name, write_fault_folder
from tiltyard_tournaments.cli.options import (
    Block,
    Isolate,
    Limit,
    Only,
    ShowOutput,
    TrustNames,
    Unconfined,
    application,
    holding,
    registry,
)

app = application()

MOST_OUTPUT_LINES: Final = 40
"""Lines of what a team printed that are shown when a step fails: the last ones."""


@app.command()
def check(
    team: Annotated[str, typer.Argument(help="An installed name, a .py or .so file, a package or project folder, or FILE:NAME.")],
    game_map: Annotated[
        str, typer.Option("--map", help="The map to play on; by default a small shipped one.", show_default=False)
    ] = "",
    manager: Annotated[
        str, typer.Option("--manager", "-m", help="The GameManager; by default 'reference'.", show_default=False)
    ] = "",
    against: Annotated[
        list[str] | None,
        typer.Option("--against", help="A team to play against in place of the sample teams; repeatable.", show_default=False),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep", help="Keep a match that failed in a new folder there, for 'tiltyard rerun' and 'debug'.", show_default=False
        ),
    ] = None,
    show_output: ShowOutput = False,
    as_json: Annotated[bool, typer.Option("--json", help="All steps as JSON, at the end.")] = False,
    isolation: Isolate = None,
    unconfined: Unconfined = False,
    limit: Limit = None,
    trust: TrustNames = None,
    block: Block = None,
    only: Only = None,
) -> None:
    r"""Check one team step by step, in the sandbox and under the limits that it will have.

    It is found, loads, is asked in a match against itself, plays that match again to the byte, keeps no BattleInfo, meets
    each sample team in both seats; then its times and its memory against the limits. A step is a line: ok, warning (from
    half of a limit on), FAILED or skipped. Below a failed one: the team's traceback, what it printed, what to do.

    The status is 0 if nothing failed, 1 if something did, and 2 if there is nothing to check.

    \b
    Examples:
      tiltyard check thunder
      tiltyard check my_team.py --map narrow-pass --limit move_seconds=0.1
      tiltyard check thunder --keep faults
      tiltyard check thunder --json | jq .passed
    """
    held = holding(isolation, unconfined, limit, trust)
    wanted = Wanted(team, manager, game_map, against or (), held)
    found = registry(held, block, only)
    steps: list[Step] = []
    kept: list[Path] = []
    reference, first = find(wanted, found)
    chosen = subject(reference, wanted, found) if reference is not None else None
    for step in _all(first, chosen):
        steps.append(step)
        if not as_json:
            _say(step, show_output)
        if keep is not None and step.match is not None:
            kept.append(_keep(keep, len(kept), step, as_json))
    failed = [step.name for step in steps if step.mark is Mark.FAILED]
    warned = sum(step.mark is Mark.WARNING for step in steps)
    if as_json:
        print(json.dumps(_plain(team, chosen, steps, kept), indent=2))
    else:
        warnings = f", {warned} {'warning' if warned == 1 else 'warnings'}" if warned else ""
        verdict = f"FAILED: {', '.join(failed)}" if failed else "passed"
        print(f"\n{team}: {verdict}{warnings}")
    if failed:
        raise typer.Exit(1)


def _all(first: Step, chosen: Subject | None) -> Iterator[Step]:
    yield first
    if chosen is not None:
        yield from check_team(chosen)


def _say(step: Step, show_output: bool) -> None:
    print(f"{step.mark:<8} {step.name:<14} {escaped(step.detail)}")
    if step.traceback:
        _block(step.traceback)
    if step.output and (show_output or step.mark is Mark.FAILED):
        print("         it printed:")
        lines = step.output.decode("utf-8", "backslashreplace").rstrip("\n").split("\n")
        if len(lines) > MOST_OUTPUT_LINES and not show_output:
            print(f"         | ... {len(lines) - MOST_OUTPUT_LINES} lines before (--show-output shows them)")
            lines = lines[-MOST_OUTPUT_LINES:]
        _block("\n".join(lines))
    if step.advice:
        print(f"         -> {step.advice}")
    sys.stdout.flush()


def _block(text: str) -> None:
    for line in text.rstrip("\n").split("\n"):
        print(f"         | {escaped(line)}")


def _keep(folder: Path, number: int, step: Step, quiet: bool) -> Path:
    assert step.match is not None
    spec, outcome = step.match
    path = folder / folder_name(number, spec)
    write_fault_folder(path, spec, outcome)
    if not quiet:
        print(f"         kept in {path}; next: tiltyard debug {shlex.quote(str(path))} --pdb")
    return path


def _plain(team: str, chosen: Subject | None, steps: list[Step], kept: list[Path]) -> dict[str, object]:
    return {
        "team": team,
        "game": chosen.game.name if chosen is not None else "",
        "map": chosen.map.name if chosen is not None else "",
        "manager": chosen.manager.name if chosen is not None else "",
        "isolation": chosen.isolation.value if chosen is not None else "",
        "passed": all(step.mark is not Mark.FAILED for step in steps),
        "warnings": sum(step.mark is Mark.WARNING for step in steps),
        "steps": [step.plain() for step in steps],
        "kept": [str(path) for path in kept],
    }
