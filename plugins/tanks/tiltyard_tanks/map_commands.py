"""``tiltyard tanks``: map files made, checked and drawn at the command line. Needs typer, which ``tiltyard`` brings."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.wording import printable
from tiltyard_tanks.check import check_map
from tiltyard_tanks.draw import board_columns, draw_map
from tiltyard_tanks.generate import default_symmetry, generate_map
from tiltyard_tanks.map_files import read_map_bytes, write_new_file
from tiltyard_tanks.maps import count_players, read_map, write_map
from tiltyard_tanks.standard_output import write_out
from tiltyard_tanks.svg import draw_svg
from tiltyard_tanks.symmetry import Symmetry

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Tank maps: generate, check, draw.",
)

MAP_HELP = "A map file, the name of a shipped map, or - for standard input."
PLAYERS_HELP = "Players of the match; by default those that the map was made for."
SYMMETRY_HELP = "half-turn, mirror, quarter-turn or none; by default half-turn, or none for an odd number of players."

MapName = Annotated[str, typer.Argument(metavar="MAP", help=MAP_HELP)]
MapNames = Annotated[list[str], typer.Argument(metavar="MAP", help=MAP_HELP)]
Players = Annotated[int | None, typer.Option("--players", "-p", min=2, max=9, help=PLAYERS_HELP)]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE, not to standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output file if it exists.")]


class When(StrEnum):
    """Whether a drawing is coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@contextmanager
def errors_told() -> Iterator[None]:
    """A user's mistake becomes one message and exit status 2."""
    try:
        yield
    except UserError as error:
        _complain(error)
        raise typer.Exit(2) from None


def _complain(error: UserError) -> None:
    typer.echo(f"error: {printable(str(error))}", err=True)


@app.command()
def generate(
    rows: Annotated[int, typer.Option(min=1, help="Rows of the board.")] = 15,
    cols: Annotated[int, typer.Option(min=1, help="Columns of the board.")] = 25,
    shells: Annotated[int, typer.Option(min=0, help="NumShells: shells a tank.")] = 10,
    steps: Annotated[int, typer.Option(min=0, help="MaxSteps: rounds until a tie.")] = 500,
    tanks: Annotated[int, typer.Option(min=1, help="Tanks a player.")] = 3,
    walls: Annotated[float, typer.Option(min=0, max=1, help="Share of the board that is wall.")] = 0.2,
    mines: Annotated[float, typer.Option(min=0, max=1, help="Share of the board that is mined.")] = 0.03,
    symmetry: Annotated[Symmetry | None, typer.Option(metavar="KIND", help=SYMMETRY_HELP)] = None,
    seed: Annotated[int, typer.Option(help="The same seed and wishes give the same map.")] = 1,
    players: Annotated[int, typer.Option("--players", "-p", min=2, max=9, help="How many players the map is for.")] = 2,
    title: Annotated[str, typer.Option(help="The first line of the map file.")] = "",
    output: Output = None,
    force: Force = False,
) -> None:
    """Make a random map, fair by its symmetry, on which all tanks reach each other.

    half-turn: the board looks the same upside down; for 2, 4, 6 or 8 players, fair within the pairs 1-2, 3-4 and so on.

    mirror: left and right mirror each other; for 2 players.

    quarter-turn: the board looks the same from all four sides; fair to 4 players, on a board of as many rows as columns.

    none: nothing is mirrored; for any number of players.

    Example: tiltyard tanks generate --rows 20 --cols 30 --seed 7 -o arena.txt
    """
    with errors_told():
        chosen = symmetry or default_symmetry(players)
        tank_map = generate_map(rows, cols, shells, steps, tanks, walls, mines, chosen, seed, players, title)
        _deliver(write_map(tank_map), output, force)


@app.command()
def check(
    maps: MapNames,
    players: Players = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with status 1 if there are warnings or recovered oddities.")
    ] = False,
) -> None:
    """Say what a map offers and what is wrong with it: size, density, symmetry, early shots, unreachable enemies.

    Exit status: 0 if all files are usable, 1 with --strict if there are warnings, 2 if a file is unusable.

    Example: tiltyard tanks check --strict maps/*.txt
    """
    status = 0
    for argument in maps:
        try:
            report = check_map(*read_map_bytes(argument), players)
            _deliver(report.text())
        except UserError as error:
            _complain(error)
            status = 2
            continue
        if strict and not report.is_clean:
            status = max(status, 1)
    raise typer.Exit(status)


@app.command()
def draw(
    name: MapName,
    players: Players = None,
    svg: Annotated[bool, typer.Option("--svg", help="An SVG picture instead of text.")] = False,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")] = False,
    color: Annotated[When, typer.Option(help="auto: if the output is a terminal and NO_COLOR is not set.")] = When.AUTO,
    output: Output = None,
    force: Force = False,
) -> None:
    """Draw a map, each tank with an arrow where it heads at the start.

    Example: tiltyard tanks draw narrow-pass

    Example: tiltyard tanks draw arena.txt --svg -o arena.svg
    """
    with errors_told():
        file_name, data = read_map_bytes(name)
        tank_map = read_map(file_name, data, players or count_players(file_name, data))
        if svg:
            _deliver(draw_svg(tank_map), output, force)
            return
        on_terminal = output is None and _is_terminal()
        coloured = color is When.ALWAYS or (color is When.AUTO and on_terminal and _terminal_takes_colour())
        _deliver(draw_map(tank_map, ascii_only=ascii_only or not _shows_unicode(output), colour=coloured), output, force)
        if on_terminal and board_columns(tank_map.width) + 2 > shutil.get_terminal_size()[0]:
            typer.echo("The drawing is wider than the terminal; pipe it through 'less -RS', or use --svg.", err=True)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _terminal_takes_colour() -> bool:
    """NO_COLOR counts only if it is not empty (no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _shows_unicode(output: Path | None) -> bool:
    return output is not None or (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _deliver(text: str, output: Path | None = None, force: bool = False) -> None:
    """UTF-8 in files and pipes alike, with bare line feeds everywhere."""
    if output is not None:
        write_new_file(output, text.encode(), force=force)
        return
    write_out(text)
