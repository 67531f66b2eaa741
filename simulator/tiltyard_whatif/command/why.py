"""``tiltyard why``: the turns at which a team lost a match."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from tiltyard_simulator.output.progress import ProgressBar
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import Workers
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_whatif.explaining import explain
from tiltyard_whatif.stored import TeamChoice, stored_games
from tiltyard_whatif.words import as_json, sentences

app = application()


class Style(StrEnum):
    """How the result is printed."""

    TEXT = "text"
    JSON = "json"


@app.command()
def why(
    *,
    options: TournamentOptions,
    match: Annotated[str, typer.Option("--match", help="The match's number in the schedule, or the start of its key.")],
    team: TeamChoice = None,
    cpu_seconds: Annotated[
        float, typer.Option("--cpu-seconds", min=0.0, help="Try no more answers after so many CPU seconds of all processes.")
    ] = 20.0,
    workers: Workers = 1,
    style: Annotated[Style, typer.Option("--format", "-f", help="Sentences, or JSON for programs.")] = Style.TEXT,
) -> None:
    """Say at which turns a team lost a match.

    Other answers are put into the match one by one, and both programs play on from there. The turn that is named first is the one
    up to which other answers helped, and after which they help no more. What is said holds against this opponent, as both programs
    are. It also says if the team failed, or if nothing helped.

    Results lie in the folder whatif of the tournament's output: the same command continues there, with new time.

    \b
    Examples:
      tiltyard why cup.yaml --match 12 --team acorn
      tiltyard why cup.yaml --match 12 --team acorn --cpu-seconds 120 --workers 4
    """
    with stored_games(options) as games:
        game, folder = games.game(match), games.tournament.folder
    seat = game.seat_of(team)
    with ProgressBar(0) as progress:

        def tell(tried: int, possible: int, spent: float) -> None:
            progress.total = possible
            progress.count(f"{tried} of {possible} answers, {spent:.0f} of {cpu_seconds:.0f} CPU seconds")

        explanation = explain(game, seat, folder, cpu_seconds, workers=workers, tell=tell)
    print(json.dumps(as_json(explanation), indent=2) if style is Style.JSON else "\n".join(sentences(explanation)))
