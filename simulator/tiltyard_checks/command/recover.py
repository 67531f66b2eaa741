"""``tiltyard recover``: save what can be read of a damaged store."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_checks.runs.recovery import Recovery, misplaced_matches
from tiltyard_checks.runs.recovery import recover as recover_store
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Selection
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.tournament_file.resolution import load_tournament

app = application()


@app.command()
def recover(
    where: Annotated[Path, typer.Argument(metavar="FILE | FOLDER", help="A tournament file, or the output folder of a run.")],
    stage: Annotated[str | None, typer.Option("--stage", help="Only this stage of a file with stages.", show_default=False)] = None,
) -> None:
    """Save everything that is intact in a damaged or edited store.

    Writes a new store with every match that can be read and does not contradict itself, and keeps the damaged file beside it. Run
    the tournament again to play the matches that were lost.

    \b
    Examples:
      tiltyard recover cup.yaml
      tiltyard recover results/cup
    """
    if where.is_dir():
        if stage:
            raise UserError(f"--stage {stage}: is for a tournament file; {where} is a folder: leave --stage out")
        _say(where, recover_store(where))
    else:
        TournamentOptions(where, stage=stage).each_stage(_recover, only_started=True)


def _recover(options: TournamentOptions) -> None:
    # What reads the store to see who may play can't be asked about a damaged one.
    tournament = load_tournament(options.file, Selection.from_environment(), stage=options.stage or "").tournament
    _say(tournament.folder, recover_store(tournament.folder, partial(misplaced_matches, tournament)))


def _say(folder: Path, recovery: Recovery) -> None:
    if recovery.damaged is None:
        print(f"{folder}: the store is not damaged ({_count(recovery.matches, 'match', 'es')}); nothing was changed")
        return
    print(f"saved: {_count(recovery.matches, 'match', 'es')}")
    print(f"lost: {_count(recovery.lost, 'match', 'es')}, {_count(recovery.replays, 'replay', 's')}")
    print(f"the damaged store is now {recovery.damaged}")
    print("Run the tournament again to play the lost matches." if recovery.lost else "No match was lost.")


def _count(number: int, what: str, plural: str) -> str:
    return f"{number} {what}{'' if number == 1 else plural}"
