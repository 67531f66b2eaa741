"""The command ``tiltyard picture``: a round of a replay as a picture, or all of it as a film."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_pictures.film import DEFAULT_SPEED, film_rounds, gif_film
from tiltyard_pictures.marks import COLOR_SCHEMES
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.raster import png_picture
from tiltyard_pictures.svg import svg_picture
from tiltyard_simulator.output.reports import say
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions
from tiltyard_viewer.command.replay_source import (
    MapOfOutput,
    MatchChoice,
    PlayersOfOutput,
    RulesOfOutput,
    SourceOptions,
    StageChoice,
    open_source,
)

app = application()

KINDS: Final = ("gif", "png", "svg")
BEGINNINGS: Final = (b"GIF8", b"\x89PNG", b"<svg", b"<?xml")
"""Of files of these kinds."""


@app.command()
def picture(
    *,
    what: Annotated[
        Path,
        typer.Argument(
            metavar="REPLAY",
            help="A replay file (.jsonl, .jsonl.zst), a tournament file with --match, or an output file with --map.",
        ),
    ],
    match: MatchChoice = None,
    stage: StageChoice = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write. Its ending decides: .gif makes a film, .png draws a round, .svg a round, sharp at any size.",
            show_default=False,
        ),
    ] = None,
    gif: Annotated[bool, typer.Option("--gif", hidden=True)] = False,
    png: Annotated[bool, typer.Option("--png", hidden=True)] = False,
    svg: Annotated[bool, typer.Option("--svg", hidden=True)] = False,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round", help="For PNG and SVG: the round to draw; 0 is the start.", rich_help_panel="Rounds", show_default="the last"
        ),
    ] = None,
    first: Annotated[int, typer.Option("--from", help="First round of the film.", rich_help_panel="Rounds")] = 0,
    last: Annotated[
        int | None, typer.Option("--to", help="Last round of the film.", rich_help_panel="Rounds", show_default="the last")
    ] = None,
    speed: Annotated[
        float, typer.Option("--speed", "-s", help="Rounds per second in the film.", rich_help_panel="Rounds")
    ] = DEFAULT_SPEED,
    scale: Annotated[float, typer.Option("--scale", help="2 is twice as wide and high.")] = 1.0,
    look: Annotated[str, typer.Option("--look", help="Colours around the pieces: dark or light.")] = "dark",
    legend: Annotated[bool, typer.Option("--legend", help="Explain the tokens below the board.")] = False,
    game_map: MapOfOutput = None,
    manager: RulesOfOutput = None,
    players: PlayersOfOutput = 2,
    plugins: PluginOptions,
) -> None:
    """Draw a replay: a round as PNG or SVG, or the game as a film (GIF).

    PNG and GIF need Pillow: pip install 'tiltyard[pictures]'. A film of a long game shows only every second round, or every third,
    and so on; the command says so. A film that runs to the end of the game shows the result in its last frame.

    \b
    Examples:
      tiltyard picture cup.yaml --match 12 -o final.gif
      tiltyard picture final.jsonl --round 40 -o final.png
      tiltyard picture final.jsonl.zst --from 20 --to 60 --speed 4 -o final.gif
      tiltyard picture output_arena.txt --map arena.txt -o arena.svg
    """
    old_option = _old_option({"gif": gif, "png": png, "svg": svg})
    kind = old_option or _kind(output)
    _check_options(kind, round_number, first, last)
    if look not in COLOR_SCHEMES:
        raise UserError(f"--look {look}: expected {' or '.join(COLOR_SCHEMES)}")
    source = open_source(
        SourceOptions(path=what, match=match, stage=stage, game_map=game_map, manager=manager, players=players, plugins=plugins),
        IsolationOptions().policy(plugins.trust),
    )
    if source.replay is None:
        raise UserError(source.problem)
    path = output or Path(f"{source.name or 'replay'}.{kind}")
    check_output(path, "a picture", lambda head: head.startswith(BEGINNINGS))
    if old_option:
        new = path.with_suffix(f".{kind}")
        say(f"note: --{kind} is an old option; instead, let the name of the file end in .{kind}: --output {new}")
    if source.theme is None:
        say(f"note: the game '{source.replay.game}' is not installed, or has no theme: its pieces are drawn as characters")
    picture = MatchPicture(source.replay, source.theme, scale, COLOR_SCHEMES[look], legend=legend)
    if kind == "gif":
        data = _film(picture, speed, first, last)
    else:
        number = len(source.replay.frames) if round_number is None else round_number
        data = png_picture(picture, number) if kind == "png" else svg_picture(picture, number).encode("utf-8")
    with file_errors(path, "written"):
        path.write_bytes(data)
    print(f"{path}: {picture.layout.width} x {picture.layout.height}, {len(data):,} bytes")
    if source.problem:
        print(f"error: {one_line(source.problem)}", file=sys.stderr)
        raise typer.Exit(1)


def _old_option(options: Mapping[str, bool]) -> str:
    """The kind that one of the options names which the ending of the file has replaced; empty where none is used."""
    kinds = [kind for kind, is_used in options.items() if is_used]
    if len(kinds) > 1:
        raise UserError(f"use only one of --{' and --'.join(kinds)}")
    return "".join(kinds)


def _kind(output: Path | None) -> str:
    """The kind that the ending of the file says."""
    if output is None:
        raise UserError("name the file to write: --output NAME.gif for a film, NAME.png or NAME.svg for a round")
    ending = output.suffix.lower().removeprefix(".")
    if ending not in KINDS:
        raise UserError(f"{output}: expected a name that ends in .gif, .png or .svg")
    return ending


def _check_options(kind: str, round_number: int | None, first: int, last: int | None) -> None:
    if kind == "gif" and round_number is not None:
        raise UserError("--round is for PNG and SVG; for a film use --from and --to")
    if kind != "gif" and (first or last is not None):
        raise UserError(f"--from and --to are for films; for a {kind.upper()}, choose the round with --round")


def _film(picture: MatchPicture, speed: float, first: int, last: int | None) -> bytes:
    plan = film_rounds(picture.replay, speed, first, last)
    if plan.every > 1:
        # 2 and 3 have endings of their own in English; "round in" needs none.
        say(f"note: one round in {plan.every} is shown; use --from, --to or a lower --speed to show more")
    return gif_film(picture, plan)
