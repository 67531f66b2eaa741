"""``tiltyard check``: the steps of one team's check, printed as they come."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_checks.command.check_output import say_advice, say_mark, say_output
from tiltyard_checks.command.drawn_difference import draw_difference
from tiltyard_checks.faults.fault_folders import folder_name, write_fault_folder
from tiltyard_checks.team.steps import Step, StepMark
from tiltyard_checks.team.subjects import CheckOptions, find_or_build, subject
from tiltyard_checks.team.team_check import Subject
from tiltyard_checks.team.team_check import check as check_team
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import GameName, IsolationOptions, PluginOptions

app = application()

MOST_OUTPUT_LINES: Final = 40
"""Lines of what a team printed that are shown when a step fails: the last ones."""


@dataclass(frozen=True, slots=True)
class CheckMatches:
    """The matches that the team is checked in."""

    game: GameName = None
    game_map: Annotated[
        str, typer.Option("--map", "--maps", help="The map to play on. Default: a small shipped one.", show_default=False)
    ] = ""
    manager: Annotated[
        str, typer.Option("--manager", "-m", help="The GameManager. Default: the game's own.", show_default=False)
    ] = ""
    against: Annotated[
        list[str] | None,
        typer.Option("--against", help="Play against this team instead of the sample teams. Can be repeated.", show_default=False),
    ] = None


@app.command()
def check(
    *,
    team: Annotated[
        str,
        typer.Argument(
            help="An installed name, a .py or .so file, a package or project folder, or FILE:NAME; or an archive or a folder of"
            " sources, which is built first."
        ),
    ],
    matches: CheckMatches,
    times: Annotated[
        int | None,
        typer.Option(
            "--times",
            "-n",
            min=2,
            help="How often to play each match, to see whether the result is always the same. Default: twice against itself,"
            " once against"
            " others.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            help="Save failed matches as fault folders here, for 'tiltyard debug'.",
            show_default=False,
        ),
    ] = None,
    show_output: Annotated[bool, typer.Option("--show-output", help="Print the teams' saved output.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all steps as JSON at the end.")] = False,
    isolation: IsolationOptions,
    plugins: PluginOptions,
) -> None:
    """Check one team step by step, in the sandbox and under the limits that it will play with.

    The command finds and loads the team, plays it against itself, plays the same match again and compares the two, checks that
    no tank keeps its BattleInfo, and plays it against each sample team in both seats. Then it compares times and memory with
    the limits. Each step prints a line: ok, warning (from half of a limit), FAILED or skipped. Below a failed step are the
    team's traceback, its output, and what to do.

    Archives and sources are recognised and built first, as 'tiltyard intake' does. If they don't
    show which game they are for, name it with --game.

    With --times, each match is played that many times. If two runs differ, the command draws both boards in the first round that
    differs: the team depends on chance, time or memory addresses.

    The exit status is 0 if nothing failed, 1 if a step failed, and 2 if there is nothing to check.

    \b
    Examples:
      tiltyard check thunder
      tiltyard check thunder.zip --game advance
      tiltyard check my_team.py --map narrow-pass --limit move_seconds=0.1
      tiltyard check thunder --against acorn --map narrow-pass --times 12
      tiltyard check thunder --keep faults
      tiltyard check thunder --json | jq .passed
    """
    policy = isolation.policy(plugins.trust)
    options = CheckOptions(team, matches.manager, matches.game_map, matches.against or (), policy, matches.game)
    # What is checked may be trusted, and fail: the first step tells that.
    finder = Finder(open_registry(policy, plugins.selection))
    steps: list[Step] = []
    saved: list[Path] = []
    reference, first = find_or_build(options, finder)
    checked = subject(reference, options, finder) if reference is not None else None
    for step in chain(first, check_team(checked, times=times or 1) if checked is not None else ()):
        steps.append(step)
        if not as_json:
            _say(step, show_output)
        if keep is not None and step.match is not None:
            saved.append(_keep(keep, len(saved), step, as_json))
    failed = [step.name for step in steps if step.mark is StepMark.FAILED]
    warned = sum(step.mark is StepMark.WARNING for step in steps)
    if as_json:
        print(json.dumps(_plain(team, checked, steps, saved), indent=2))
    else:
        if checked is not None and times is not None:
            for step in steps:
                if step.difference is not None:
                    draw_difference(step.name, step.difference, checked.mirror.input.game)
        warnings = f", {warned} {'warning' if warned == 1 else 'warnings'}" if warned else ""
        verdict = f"FAILED: {', '.join(failed)}" if failed else "passed"
        print(f"\n{team}: {verdict}{warnings}")
    if failed:
        raise typer.Exit(1)


def _say(step: Step, show_output: bool) -> None:
    say_mark(step.mark, step.name, step.detail, traceback=step.traceback)
    if step.output and (show_output or step.mark is StepMark.FAILED):
        lines = step.output.decode("utf-8", "backslashreplace").rstrip("\n").split("\n")
        before = ""
        if len(lines) > MOST_OUTPUT_LINES and not show_output:
            before = f"... {len(lines) - MOST_OUTPUT_LINES} lines before (--show-output shows them)"
            lines = lines[-MOST_OUTPUT_LINES:]
        say_output("\n".join(lines), before)
    say_advice(step.advice)


def _keep(folder: Path, number: int, step: Step, quiet: bool) -> Path:
    assert step.match is not None
    spec, outcome = step.match
    path = folder / folder_name(spec.at(number))
    write_fault_folder(path, spec, outcome)
    if not quiet:
        print(f"         saved in {path}; next: tiltyard debug {shlex.quote(str(path))}")
    return path


def _plain(team: str, checked: Subject | None, steps: list[Step], saved: list[Path]) -> dict[str, object]:
    return {
        "team": team,
        "game": checked.mirror.input.game.name if checked is not None else "",
        "map": checked.mirror.input.map.name if checked is not None else "",
        "manager": checked.mirror.input.manager.label if checked is not None else "",
        "isolation": checked.isolation.value if checked is not None else "",
        "passed": all(step.mark is not StepMark.FAILED for step in steps),
        "warnings": sum(step.mark is StepMark.WARNING for step in steps),
        "steps": [step.plain() for step in steps],
        "kept": [str(path) for path in saved],
    }
