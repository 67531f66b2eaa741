"""``tiltyard tanks``: map files made, checked and drawn at the command line. Needs typer, which ``tiltyard`` brings."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from tiltyard_engine.exit_status import FAILED, errors_told
from tiltyard_engine.host import names_of
from tiltyard_tanks.files import print_text, read_map_bytes, write_file
from tiltyard_tanks.map_drawing import board_columns, draw_map
from tiltyard_tanks.map_generator import MapOptions, generate_map
from tiltyard_tanks.map_report import check_map
from tiltyard_tanks.maps import count_players, read_map, write_map
from tiltyard_tanks.referee_command import referee
from tiltyard_tanks.svg import draw_svg
from tiltyard_tanks.symmetry import SymmetryName

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Generate, check and draw tank maps; compare whole programs with the rules.",
)
app.command()(referee)

MAP_HELP = "A map file, the name of a shipped map, or - for standard input."
PLAYERS_HELP = "Players of the match. Default: the number that the map was made for."
SYMMETRY_HELP = "half-turn, mirror, quarter-turn or none. Default: half-turn, or none for an odd number of players."

MATCH_PANEL: Final = "Match settings"
"""Title under which the help shows options of a map that do not shape its board."""

MapName = Annotated[str, typer.Argument(metavar="MAP", help=MAP_HELP, autocompletion=names_of("maps", game="tanks"))]
MapNames = Annotated[list[str], typer.Argument(metavar="MAP", help=MAP_HELP, autocompletion=names_of("maps", game="tanks"))]
Players = Annotated[int | None, typer.Option("--players", "-p", min=2, max=9, help=PLAYERS_HELP)]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output file if it exists.")]


@app.command()
def generate(
    *,
    rows: Annotated[int, typer.Option(min=1, help="Rows of the board.")] = 15,
    cols: Annotated[int, typer.Option(min=1, help="Columns of the board.")] = 25,
    shells: Annotated[int, typer.Option(min=0, help="NumShells: shells per tank.", rich_help_panel=MATCH_PANEL)] = 10,
    steps: Annotated[int, typer.Option(min=0, help="MaxSteps: rounds until a tie.", rich_help_panel=MATCH_PANEL)] = 500,
    tanks: Annotated[int, typer.Option(min=1, help="Tanks per player.", rich_help_panel=MATCH_PANEL)] = 3,
    walls: Annotated[float, typer.Option(min=0, max=1, help="Share of squares with a wall.")] = 0.2,
    mines: Annotated[float, typer.Option(min=0, max=1, help="Share of squares with a mine.")] = 0.03,
    symmetry: Annotated[SymmetryName | None, typer.Option(metavar="KIND", help=SYMMETRY_HELP)] = None,
    seed: Annotated[int, typer.Option(help="Random seed. The same seed and options give the same map.")] = 1,
    players: Annotated[
        int, typer.Option("--players", "-p", min=2, max=9, help="Players of the map.", rich_help_panel=MATCH_PANEL)
    ] = 2,
    title: Annotated[str, typer.Option(help="The first line of the map file.")] = "",
    output: Output = None,
    force: Force = False,
) -> None:
    """Make a random symmetric map, on which all tanks can reach each other.

    half-turn: the board looks the same upside down. For 2, 4, 6 or 8 players. It is fair within the pairs 1-2, 3-4 and so on.

    mirror: left and right mirror each other. For 2 players.

    quarter-turn: the board looks the same from all four sides. It is fair to 4 players. The board has as many rows as columns.

    none: no symmetry. For any number of players.

    Example: tiltyard tanks generate --rows 20 --cols 30 --seed 7 -o arena.txt
    """
    with errors_told():
        options = MapOptions(
            rows=rows, cols=cols, shells=shells, steps=steps, tanks=tanks, walls=walls, mines=mines, symmetry=symmetry
        )
        _deliver(write_map(generate_map(options, seed, players, title)), output, force)


@app.command()
def check(
    maps: MapNames,
    players: Players = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with status 1 if there are warnings or repaired errors.")] = False,
) -> None:
    """Describe a map and its problems: size, density, symmetry, early shots, unreachable enemies.

    Exit status: 0 if all files are usable, 1 with --strict if there are warnings, 2 if a file is unusable.

    Example: tiltyard tanks check --strict maps/*.txt
    """
    status = 0
    for argument in maps:
        try:
            with errors_told():
                report = check_map(*read_map_bytes(argument), players)
                _deliver(report.text())
        except SystemExit:
            status = FAILED
            continue
        if strict and not report.is_clean:
            status = max(status, 1)
    raise typer.Exit(status)


@app.command()
def draw(
    name: MapName,
    *,
    players: Players = None,
    svg: Annotated[bool, typer.Option("--svg", help="Draw an SVG picture instead of text.")] = False,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")] = False,
    color: Annotated[
        Literal["auto", "always", "never"], typer.Option(help="Use colors. auto: on a terminal, unless NO_COLOR is set.")
    ] = "auto",
    output: Output = None,
    force: Force = False,
) -> None:
    """Draw a map. An arrow shows where each tank heads at the start.

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
        coloured = color == "always" or (color == "auto" and on_terminal and _terminal_takes_colour())
        _deliver(draw_map(tank_map, ascii_only=ascii_only or not _shows_unicode(output), colour=coloured), output, force)
        if on_terminal and board_columns(tank_map.width) + 2 > shutil.get_terminal_size()[0]:
            typer.echo("The drawing is wider than the terminal. Pipe it through 'less -RS', or use --svg.", err=True)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _terminal_takes_colour() -> bool:
    """NO_COLOR counts only if it is not empty (no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _shows_unicode(output: Path | None) -> bool:
    return output is not None or (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _deliver(text: str, output: Path | None = None, force: bool = False) -> None:
    if output is None:
        print_text(text)
    else:
        write_file(output, text.encode(), force=force)
