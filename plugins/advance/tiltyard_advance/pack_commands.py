"""``tiltyard advance``: making and checking packs of tests. Needs typer, which ``tiltyard`` brings."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.pack_generator import COUNT, PackOptions, make_pack
from tiltyard_advance.packs import check_is_new, pack_problem, read_pack, write_pack
from tiltyard_advance.progress_line import ProgressLine
from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import errors_told

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)


@app.callback()
def advance() -> None:
    """Make and check test packs for Advance, for the course's levels 4 to 7."""


@app.command("generate-tests")
def generate_tests(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new folder. It gets one file per test: level-4/white-01.txt and so on.")
    ],
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1000, help="Tests per level and colour.")] = COUNT,
    level: Annotated[
        list[int] | None,
        typer.Option(
            "--level",
            "-l",
            help="A level, 4 to 7. Can be repeated. Default: all.",
            show_default=False,
            autocompletion=lambda: [str(level) for level in LEVELS],
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed makes the same tests. Keep the seed of hidden tests secret.")] = 1,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=0, help="Worker processes; 0 means one per core. The tests don't depend on it.")
    ] = 0,
) -> None:
    """Make tests from games between the levels. Each test has exactly one right answer.

    Level 4: there is one legal move. Level 5: one of several moves wins. Level 6: no move wins, and one gains the most material.
    Level 7: several moves gain the most, and one of them is the best two plies later.

    \b
    Examples:
      tiltyard advance generate-tests hidden --seed 20231106
      tiltyard advance generate-tests few --level 4 --count 5
    """
    with errors_told():
        levels = tuple(sorted(set(level or LEVELS)))
        unknown = [each for each in levels if each not in LEVELS]
        if unknown:
            raise UserError(f"--level {unknown[0]}: expected {LEVELS[0]} to {LEVELS[-1]}")
        check_is_new(folder)
        line = ProgressLine()
        tests = make_pack(
            PackOptions(levels, count, seed), workers or _cores(), lambda number, total: line.show(f"{number} of {total} tests")
        )
        line.clear()
        write_pack(folder, tests)
    typer.echo(f"{folder}: {_counts(tests)}")


@app.command("check-tests")
def check_tests(
    tests: Annotated[Path, typer.Argument(metavar="TESTS", help="A folder or file of tests.")],
) -> None:
    """Check that each test has exactly one right answer at its level, the expected one. The exit status is 1 if one does not.

    \b
    Example:
      tiltyard advance check-tests hidden
    """
    with errors_told():
        level_tests = read_pack(tests)
    line = ProgressLine()
    failed = 0
    for number, test in enumerate(level_tests, start=1):
        line.show(f"{number} of {len(level_tests)} tests")
        problem = pack_problem(test)
        if problem:
            line.clear()
            typer.echo(problem)
            failed += 1
    line.clear()
    typer.echo(f"{tests}: {_counts(level_tests)}; {len(level_tests) - failed} correct, {failed} wrong")
    raise typer.Exit(1 if failed else 0)


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _counts(tests: Iterable[LevelTest]) -> str:
    levels = Counter(test.level for test in tests)
    return f"{sum(levels.values())} tests ({', '.join(f'level {level}: {count}' for level, count in sorted(levels.items()))})"
