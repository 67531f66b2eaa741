"""The commands by their names; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """For authors and for whoever begins."""
    yield Command("demo", "Play a small cup of the sample teams, and show its site.", "tiltyard_kit_commands.demo:app")
    yield Command("new", "Create a team's package, a tournament file or a league.", "tiltyard_kit_commands.new:app")
    yield Command("check-game", "Check that a game has the properties of all games.", "tiltyard_kit_commands.check_game:app")
    about = "Create a new game's package: a complete small game to change into your own."
    yield Command("play", "Play a game yourself, in the terminal.", "tiltyard_kit_commands.play_group:app")
    yield Command(
        "new team", "Create a new team's package: code to build on, tests, and packaging.", "tiltyard_kit_commands.new_team:app"
    )
    yield Command("new game", about, "tiltyard_kit_commands.new_game:app")
