"""``tiltyard play``: games with a terminal of their own by their plugins' commands, and every other one by its rules."""

from __future__ import annotations

from typing import Any

from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.open_group import OpenGroup

ANY_GAME = "GAME"
TARGET = "tiltyard_kit_commands.play_game:app"


class PlayGroup(OpenGroup):
    """A word that is no command of a plugin's is a game's name."""

    words = "play"

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.stub(ANY_GAME, TARGET, "Any game that states its rules, by its name.")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of a plugin, or the one for all games with the game as its argument; in the browser all games are alike."""
        self.list_commands(ctx)
        if args and not args[0].startswith("-") and (args[0] not in self.commands or "--web" in args):
            args = [ANY_GAME, *args]
        return super().resolve_command(ctx, args)


app = application(PlayGroup)


@app.callback()
def play() -> None:
    """Play a game yourself, in the terminal."""
