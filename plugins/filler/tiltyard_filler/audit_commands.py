"""``tiltyard audit filler``: the subject's audit at the command line. Needs typer, which ``tiltyard`` brings."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import MapError, NotFoundError, UserError
from tiltyard_engine.exit_status import errors_told
from tiltyard_engine.host import Host, find_host, names_of
from tiltyard_filler.audit import GAMES, MAPS, WINS, Entrant, PairingResult, find_entrant, find_opponents, plan, play_pairing
from tiltyard_filler.audit_report import as_json, game_line, has_passed, report
from tiltyard_filler.map_files import FillerMap, read_map, shipped_maps
from tiltyard_filler.robot_files import ROBOTS

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)

RUN_BY_A_LINE = ("", ".sh", ".py")
"""Endings of files that only lack the permission to be executed."""
ROBOT_HELP = (
    "The robot: a program, an archive, a file or folder of sources, or one of the built-in robots nearest, heat, voronoi, champion."
)
OPPONENTS_HELP = "A program, a folder of programs, or a built-in robot. Can be repeated."
MAPS_HELP = "A map file or the name of a shipped map. Can be repeated."


@app.callback()
def audit() -> None:
    """Run a course's audit on a program."""


@app.command()
def filler(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help=ROBOT_HELP, autocompletion=lambda: ROBOTS)],
    *,
    opponents: Annotated[
        list[str], typer.Option("--opponents", "-o", metavar="DIR", help=OPPONENTS_HELP, autocompletion=lambda: ROBOTS)
    ],
    maps: Annotated[
        list[str],
        typer.Option("--map", "--maps", "-m", metavar="MAP", help=MAPS_HELP, autocompletion=names_of("maps", game="filler")),
    ] = list(MAPS),  # noqa: B006 -- typer copies it
    games: Annotated[int, typer.Option(min=1, help="Games per map and opponent.")] = GAMES,
    wins: Annotated[int | None, typer.Option(min=0, help=f"Wins needed to pass. Default: {WINS} in {GAMES}, rounded up.")] = None,
    seed: Annotated[int, typer.Option(help="Seed for the pieces of the first game, the same in every pairing.")] = 1,
    seconds: Annotated[float, typer.Option("--time", "-t", min=0.001, help="Seconds of real time per answer.")] = 10.0,
    all_pairings: Annotated[bool, typer.Option("--all", help="Play the subject's robots on every map.")] = False,
    as_json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Run the audit of the subject Filler on a robot.

    The robot plays five games per map and opponent, in alternating seats. It must win at least four of them.

    Of the subject's robots, it plays wall_e on map00, h2_d2 on map01 and bender on map02. It plays terminator on all maps,
    for the bonus. It plays any other robot on all maps. The exit status is 1 if the robot does not pass.

    \b
    Examples:
      tiltyard audit filler solution/robot --opponents robots
      tiltyard audit filler ann.zip --opponents robots
      tiltyard audit filler solution/robot -o heat -o voronoi --map map00 --games 20
    """
    # By default as large a share as the subject wants, rounded up.
    wins_needed = -(-games * WINS // GAMES) if wins is None else wins
    with errors_told(), tempfile.TemporaryDirectory(prefix="tiltyard-audit-") as folder:
        pairings = plan([_read_map(name) for name in maps], find_opponents(opponents, Path(folder)), all_pairings)
        if not pairings:
            raise UserError("none of these robots plays on these maps; use --all to play every robot on every map")
        with find_host() as host:
            audited = _find_robot(host, robot, Path(folder))
            host.preload([audited.team, *(pairing.opponent.team for pairing in pairings)])
            results = [PairingResult(pairing, wins_needed) for pairing in pairings]
            for result in results:
                for game in play_pairing(host, audited, result.pairing, games=games, seed=seed, seconds=seconds):
                    result.games.append(game)
                    if sys.stderr.isatty():
                        typer.echo(game_line(audited, result, game), err=True)
            isolation = host.isolation_words
    if as_json_:
        typer.echo(json.dumps(as_json(audited, results, isolation, seconds), indent=2))
    else:
        typer.echo(report(audited, results, isolation, seconds), nl=False)
    raise typer.Exit(0 if has_passed(results) else 1)


def _find_robot(host: Host, word: str, folder: Path) -> Entrant:
    """The robot: a program as it is, or one that is built from what was handed in.

    Raises:
        UserError: there is no such robot, or it cannot be built.
    """
    path = Path(word)
    is_program = path.is_file() and (os.access(path, os.X_OK) or path.suffix in RUN_BY_A_LINE)
    if is_program or not path.exists():
        return find_entrant(word, folder)
    teams = host.take_in(word, "filler", folder / "handed-in", tell=lambda text: typer.echo(text, err=True))
    programs = [(label, player.program) for label, player in teams.players if player.program is not None]
    if len(programs) != 1:
        reasons = "; ".join(teams.left_out) or f"contains {len(programs)} robots"
        raise UserError(f"{word}: {reasons}; expected one robot's program, or what it can be built from")
    ((label, program),) = programs
    return Entrant(label, word, program)


def _read_map(name: str) -> tuple[str, str, FillerMap]:
    """The name, the path and the board of a map file or a shipped map."""
    path = Path(name)
    if path.is_file():
        return path.name, name, read_map(name, path.read_bytes())
    maps = shipped_maps()
    if name not in maps:
        if "/" in name:
            raise MapError(f"the map file {name} does not exist")
        raise NotFoundError("file or shipped map", name, maps)
    return name, str(maps[name]), read_map(name, maps[name].read_bytes())
