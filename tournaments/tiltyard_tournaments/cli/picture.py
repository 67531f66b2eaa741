"""``tiltyard picture``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.replay import Replay
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.pictures import LOOKS, Picture, film_rounds, gif_film, png_picture, svg_picture
from tiltyard_simulator.pictures.thinning import DEFAULT_SPEED
from tiltyard_tournaments.cli.options import Block, Only, TrustNames, application, holding, registry
from tiltyard_tournaments.cli.replay_source import Asked, MapOfOutput, MatchChoice, PlayersOfOutput, RulesOfOutput, open_source
from tiltyard_tournaments.cli.tournament_options import say

app = application()

KINDS: Final = ("gif", "png", "svg")


@app.command()
def picture(
    what: Annotated[
        Path,
        typer.Argument(
            metavar="REPLAY",
            help="A replay file (.jsonl, .jsonl.zst), a tournament file with --match, or an output file with --map.",
        ),
    ],
    match: MatchChoice = None,
    gif: Annotated[bool, typer.Option("--gif", help="A film.")] = False,
    png: Annotated[bool, typer.Option("--png", help="A round, of pixels.")] = False,
    svg: Annotated[bool, typer.Option("--svg", help="A round, of shapes; sharp at every size.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file; its ending can say the kind. By default named after the replay.", show_default=False
        ),
    ] = None,
    round_number: Annotated[
        int | None, typer.Option("--round", help="Of PNG and SVG: the round; 0 is the start.", show_default="the last")
    ] = None,
    first: Annotated[int, typer.Option("--from", help="Of a film: its first round.")] = 0,
    last: Annotated[int | None, typer.Option("--to", help="Of a film: its last round.", show_default="the last")] = None,
    speed: Annotated[float, typer.Option("--speed", "-s", help="Of a film: rounds a second.")] = DEFAULT_SPEED,
    scale: Annotated[float, typer.Option("--scale", help="2 is twice as wide and high.")] = 1.0,
    look: Annotated[str, typer.Option("--look", help="Colours around the pieces: dark or light.")] = "dark",
    game_map: MapOfOutput = None,
    manager: RulesOfOutput = "reference",
    players: PlayersOfOutput = 2,
    trust: TrustNames = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """Draw a replay: a round as PNG or SVG, or the game as a film (GIF).

    PNG and GIF need Pillow: pip install 'tiltyard[pictures]'. Of a long game the film shows each second round, or each
    third and so on, and says so. A film that goes to the game's end tells the result in its last frame.

    \b
    Examples:
      tiltyard picture cup.yaml --match 12 --gif
      tiltyard picture final.jsonl --png --round 40 -o final.png
      tiltyard picture final.jsonl.zst --from 20 --to 60 --speed 4 -o final.gif
      tiltyard picture output_arena.txt --map arena.txt --svg
    """
    kind = _kind({"gif": gif, "png": png, "svg": svg}, output)
    _check_options(kind, round_number, first, last)
    if look not in LOOKS:
        raise UserError(f"--look {look}: expected {' or '.join(LOOKS)}")

    def plugins() -> Registry:
        held: Holding = holding(None, False, None, trust)
        return registry(held, block, only)

    source = open_source(Asked(what, match, game_map, manager, players, block, only), plugins)
    if source.replay is None:
        raise UserError(source.problem)
    if source.theme is None:
        say(f"note: the game '{source.replay.game}' is not installed: its pieces are drawn as characters")
    drawn = Picture(source.replay, source.theme, scale, LOOKS[look])
    if kind == "gif":
        data = _film(drawn, speed, first, last)
    else:
        shown = len(source.replay.frames) if round_number is None else round_number
        data = png_picture(drawn, shown) if kind == "png" else svg_picture(drawn, shown).encode("utf-8")
    path = output or Path(f"{source.name or 'replay'}.{kind}")
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    print(f"{path}: {drawn.sheet.width} x {drawn.sheet.height}, {len(data):,} bytes")
    if source.problem:
        print(f"error: {source.problem}", file=sys.stderr)
        raise typer.Exit(1)


def _kind(wanted: Mapping[str, bool], output: Path | None) -> str:
    """The kind that an option names, or else the ending of the file."""
    named = [kind for kind, chosen in wanted.items() if chosen]
    if len(named) > 1:
        raise UserError(f"--{' and --'.join(named)}: expected one of them")
    if named:
        return named[0]
    ending = output.suffix.lower().removeprefix(".") if output is not None else ""
    if ending in KINDS:
        return ending
    where = f"{output}: " if output is not None else ""
    raise UserError(f"{where}which kind of picture? say --gif, --png or --svg, or end the file's name so")


def _check_options(kind: str, round_number: int | None, first: int, last: int | None) -> None:
    if kind == "gif" and round_number is not None:
        raise UserError("--round: is for PNG and SVG; a film goes --from a round --to a round")
    if kind != "gif" and (first or last is not None):
        raise UserError(f"--from and --to: are for films; a round of {kind.upper()} is said by --round")


def _film(drawn: Picture, speed: float, first: int, last: int | None) -> bytes:
    replay: Replay = drawn.replay
    plan = film_rounds(replay, speed, first, last)
    if plan.every > 1:
        # 2 and 3 have endings of their own in English; "round in" needs none.
        say(f"note: one round in {plan.every} is shown; --from, --to and a lower --speed show more of them")
    return gif_film(drawn, plan)
