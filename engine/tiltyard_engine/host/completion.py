"""What the shell offers where a plugin's own command takes a name.

A plugin says only what its arguments name. tiltyard knows what is installed and what may be imported when a key is pressed. So it
puts a function that finds the names into the context of the command::

    app = typer.Typer()

    @app.command()
    def draw(name: Annotated[str, typer.Argument(autocompletion=names_of("maps", game="tanks"))]) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeAlias

NamedHook: TypeAlias = Literal["algorithms", "game_managers", "games", "maps", "recipes"]
"""The hooks whose records have names that people write."""
Find: TypeAlias = Callable[[Any, NamedHook, str, str], list[tuple[str, str]]]
"""Finds names, each with a text that some shells show beside it.

It is given typer's context, a hook, a game's name, and what is written so far.
"""
FIND: Final = "tiltyard.find-names"
"""Where the ``meta`` of a command's context has that function."""


def names_of(hook: NamedHook, *, game: str, also: Sequence[str] = ()) -> Callable[[Any, str], list[tuple[str, str]]]:
    """What completes an argument or option of a plugin's command, to be given to typer as ``autocompletion``.

    Where no name fits, shells offer files.

    Args:
        hook: which records the argument names.
        game: the name of the game that they are for.
        also: other words that the argument can be; they come first.
    """

    def complete(ctx: Any, incomplete: str) -> list[tuple[str, str]]:
        find: Find | None = ctx.meta.get(FIND)
        words = [] if find is None else find(ctx, hook, game, incomplete)
        return [*((word, "") for word in also if word.startswith(incomplete)), *words]

    return complete
