"""The command ``tiltyard new game``, which writes the files of a new game."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.registry import GAME
from tiltyard_kit.new_game import KINDS, GameKind, game_template, package_of
from tiltyard_kit_commands.new import EXPECTED_NAME, MOST_CHARACTERS, TAKEN, TEAM_NAME, as_path, write_new
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application

app = application()

KINDS_HELP: Final = "; ".join(f"{kind} ({about.help})" for kind, about in KINDS.items()) + "."


@app.command()
def game(
    name: Annotated[str, typer.Argument(help="The game's name: letters, digits and single '-', '_' or '.' between them.")],
    kind: Annotated[GameKind, typer.Option(help="What the game shows how to do: " + KINDS_HELP)] = GameKind.TURNS,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where to create it. Default: a new folder with the game's name.", show_default=False),
    ] = None,
) -> None:
    """Create a new game's package: a complete small game to change into your own.

    It has rules, two algorithms, a map, a test and packaging. Its code runs in tiltyard's own process, so
    tiltyard uses it only if you trust it: with --trust, the variable TILTYARD_TRUST, or 'trust' in a tournament file.

    \b
    Examples:
      tiltyard new game connect-four
      tiltyard new game poker --kind hidden
    """
    if len(name) > MOST_CHARACTERS or not TEAM_NAME.fullmatch(name) or keyword.iskeyword(package_of(name)):
        raise UserError(f"'{name}' cannot be a game's name: expected {EXPECTED_NAME}")
    files = game_template(name, kind)
    if package_of(name) in TAKEN:
        raise UserError(f"a game cannot be called '{name}': the name of its package, {package_of(name)}, is taken")
    if name in _installed_games():
        raise UserError(f"a game called '{name}' is installed already: choose another name")
    root = folder or Path(name)
    write_new(root, files)
    first, second = (f"{name}-{player}" for player in ("random", KINDS[kind].second))
    print(f"made {root}/ with the game '{name}': {KINDS[kind].summary}. Next:\n")
    print(f"  tiltyard watch {first} {second} --map small --trust {as_path(root)}")
    print(f"  tiltyard play {name} --trust {as_path(root)}")
    print(f"  tiltyard round-robin {first} {second} --trust {as_path(root)}")
    print(f"  tiltyard check-game {as_path(root)} --trust {as_path(root)}")
    print(f"  tiltyard new tournament cup.yaml --game {name} --trust {as_path(root)}")


def _installed_games() -> list[str]:
    registry = open_registry(IsolationPolicy.from_environment())
    return [entry.name for entry in registry.all(GAME)]
