"""``tiltyard new league``: a folder with a league's file that can be started as it is."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.players import check_players
from tiltyard_engine.registry.registry import GAME
from tiltyard_league.league_file.loading import FOR_TWO, LEAGUE_FILE, PLAYERS
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy


def make_league(folder: Path, title: str, game: str) -> None:
    """Write the file.

    Raises:
        UserError: there is one already, it cannot be written, or the game is not for two.
    """
    registry = open_registry(IsolationPolicy.from_environment())
    if any(entry.name == game for entry in registry.all(GAME)):
        # Of another one the file may say whose code it is.
        check_players(registry.game(game), PLAYERS, FOR_TWO)
    path = folder / LEAGUE_FILE
    if path.exists():
        raise UserError(f"{path}: already exists; nothing was written")
    text = files("tiltyard_league.league_file").joinpath("template.yaml").read_text(encoding="utf-8")
    quoted = "'" + title.replace("'", "''") + "'"
    text = text.replace("title: League\n", f"title: {quoted}\n")
    if game != "tanks":
        # Only of the tanks it is known here who the staff's teams could be, and what a map generator takes.
        text = text.replace("game: tanks\n", f"game: {game}\n").replace("teams: [acorn, bramble]", "teams: [all installed]")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{error.filename}: cannot be written: {error.strerror}") from error
