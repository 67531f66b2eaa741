"""``tiltyard audit filler``: the subject's audit at the command line. Needs typer, which ``tiltyard`` brings."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import MapError, NotFoundError, UserError
from tiltyard_engine.host import Host, find_host
from tiltyard_filler.audit import (
    GAMES,
    MAPS,
    WINS,
    Entrant,
    Pairing,
    PairingResult,
    find_entrant,
    find_opponents,
    plan,
    play_pairing,
)
from tiltyard_filler.audit_report import as_json, game_line, has_passed, report
from tiltyard_filler.map_files import FillerMap, read_map

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="A course's audits: does a program win as the subject demands?",
)

ROBOT_HELP = "The robot's program, or one of the project's own: nearest, heat, voronoi, champion."
OPPONENTS_HELP = "A folder of programs, a program, or one of the project's own robots; may be given several times."
MAPS_HELP = "A map file or the name of a shipped map; may be given several times."


@app.callback()
def audit() -> None:
    """A course's audits: does a program win as the subject demands?"""


@app.command()
def filler(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help=ROBOT_HELP)],
    opponents: Annotated[list[str], typer.Option("--opponents", "-o", metavar="DIR", help=OPPONENTS_HELP)],
    maps: Annotated[list[str], typer.Option("--map", "-m", metavar="MAP", help=MAPS_HELP)] = list(MAPS),  # noqa: B006 -- typer copies it
    games: Annotated[int, typer.Option(min=1, help="Games a map and opponent.")] = GAMES,
    wins: Annotated[int | None, typer.Option(min=0, help=f"Wins needed of them; by default {WINS} in {GAMES}.")] = None,
    seed: Annotated[int, typer.Option(help="That of the first game's pieces; the same in every pairing.")] = 1,
    seconds: Annotated[float, typer.Option("--time", "-t", min=0.001, help="Seconds for an answer, on the clock.")] = 10.0,
    all_pairings: Annotated[bool, typer.Option("--all", help="Let the subject's robots be met on every map.")] = False,
    as_json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Let a robot play the audit of the subject Filler: five games a map, seats alternating, at least four wins.

    Of the subject's own robots wall_e is met on map00, h2_d2 on map01, bender on map02; terminator is met on all maps,
    for the bonus. Any other robot is met on all maps. The exit status is 1 where the audit is not passed.

    \b
    Examples:
      tiltyard audit filler solution/robot --opponents robots
      tiltyard audit filler solution/robot -o heat -o voronoi --map map00 --games 20
    """
    wishes = Wishes(games, _wins(wins, games), seed, seconds)
    with _errors_told(), tempfile.TemporaryDirectory(prefix="tiltyard-audit-") as folder:
        audited = find_entrant(robot, Path(folder))
        pairings = plan([_read_map(name) for name in maps], find_opponents(opponents, Path(folder)), all_pairings)
        if not pairings:
            raise UserError("none of these robots is met on these maps; --all lets every robot be met on every map")
        with find_host() as host:
            results = list(_play(host, audited, pairings, wishes))
            held = host.held
    if as_json_:
        typer.echo(json.dumps(as_json(audited, results, held, seconds), indent=2))
    else:
        typer.echo(report(audited, results, held, seconds), nl=False)
    raise typer.Exit(0 if has_passed(results) else 1)


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to play."""

    games: int
    wins: int
    seed: int
    seconds: float


def _play(host: Host, robot: Entrant, pairings: Sequence[Pairing], wishes: Wishes) -> Iterator[PairingResult]:
    for pairing in pairings:
        result = PairingResult(pairing, wishes.wins)
        for game in play_pairing(host, robot, pairing, wishes.games, wishes.seed, wishes.seconds):
            result.games.append(game)
            if sys.stderr.isatty():
                typer.echo(game_line(robot, result, game), err=True)
        yield result


def _wins(wins: int | None, games: int) -> int:
    """By default as large a share as the subject wants, rounded up."""
    return -(-games * WINS // GAMES) if wins is None else wins


def _read_map(name: str) -> tuple[str, str, FillerMap]:
    """The name, the path and the board of a map file or a shipped map."""
    path = Path(name)
    if path.is_file():
        return path.name, name, read_map(name, path.read_bytes())
    shipped = resources.files("tiltyard_filler").joinpath("shipped_maps")
    names = [file.name for file in shipped.iterdir() if not file.name.startswith((".", "__"))]
    if name not in names:
        if "/" in name:
            raise MapError(f"there is no map file {name}")
        raise NotFoundError("shipped map, and no file,", name, names)
    file = shipped.joinpath(name)
    return name, str(file), read_map(name, file.read_bytes())


@contextmanager
def _errors_told() -> Iterator[None]:
    """A user's mistake becomes one message and exit status 2."""
    try:
        yield
    except UserError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
