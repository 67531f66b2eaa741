"""``tiltyard advance``: making and checking packs of tests. Needs typer, which ``tiltyard`` brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_advance.command_line import ProgressLine, errors_told, usable_cores
from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.pack_making import COUNT, Wishes, make_pack
from tiltyard_advance.packs import pack_problem, read_pack, write_pack
from tiltyard_engine.errors import UserError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Packs of tests for Advance, of the course's levels 4 to 7.",
)


@app.callback()
def advance() -> None:
    """Packs of tests for Advance, of the course's levels 4 to 7."""


@app.command("generate-tests")
def generate_tests(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new folder: one file a test, level-4/white-01.txt and so on.")
    ],
    count: Annotated[
        int, typer.Option("--count", "-n", min=1, max=1000, help="Tests of a level as white, and as many as black.")
    ] = COUNT,
    level: Annotated[
        list[int] | None, typer.Option("--level", "-l", help="A level from 4 to 7; repeatable; by default all.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed makes the same tests. Keep that of hidden tests to yourself.")] = 1,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=0, help="Processes; 0: one a core. The tests do not depend on it.")
    ] = 0,
) -> None:
    """Make tests out of games that the levels play against each other. Each has exactly one right answer.

    Level 4: one legal move. Level 5: several, one of which wins. Level 6: none wins, one gains the most material. Level 7: several
    gain the most, one is the best two plies later.

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
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UserError(f"{folder}: is there already and not empty; name another folder, or remove it")
        line = ProgressLine()
        tests = make_pack(
            Wishes(levels, count, seed), workers or usable_cores(), lambda number, wanted: line.show(f"{number} of {wanted} tests")
        )
        line.clear()
        write_pack(folder, tests)
    typer.echo(f"{folder}: {_counts(tests)}")


@app.command("check-tests")
def check_tests(
    tests: Annotated[Path, typer.Argument(metavar="TESTS", help="A folder of tests, or a file of them.")],
) -> None:
    """Check that every test of a pack has one right answer at its level, the one that it expects. Ends with status 1 if not.

    \b
    Example:
      tiltyard advance check-tests hidden
    """
    with errors_told():
        found = read_pack(tests)
    line = ProgressLine()
    failed = 0
    for number, test in enumerate(found, start=1):
        line.show(f"{number} of {len(found)} tests")
        problem = pack_problem(test)
        if problem:
            line.clear()
            typer.echo(problem)
            failed += 1
    line.clear()
    typer.echo(f"{tests}: {_counts(found)}; {len(found) - failed} sound, {failed} not")
    raise typer.Exit(1 if failed else 0)


def _counts(tests: Iterable[LevelTest]) -> str:
    levels = Counter(test.level for test in tests)
    return f"{sum(levels.values())} tests ({', '.join(f'level {level}: {count}' for level, count in sorted(levels.items()))})"
