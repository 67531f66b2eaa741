"""The command ``tiltyard new team``, which writes the files of a new team."""

from __future__ import annotations

import keyword
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import MapFile, usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MAP
from tiltyard_engine.registry.sources import Origin, place_of
from tiltyard_engine.rules import Rules
from tiltyard_kit.new_team import rules_team_template
from tiltyard_kit_commands.new import EXPECTED_NAME, MOST_CHARACTERS, TAKEN, TEAM_NAME, as_path, registry_with, write_new
from tiltyard_simulator.match.own_distributions import USUAL_GAME
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TrustNames

app = application()


@app.command()
def team(
    name: Annotated[str, typer.Argument(help="The team's name: letters, digits and single '-', '_' or '.' between them.")],
    game: Annotated[str, typer.Option(help="The game that the team plays.")] = USUAL_GAME,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where to create it. Default: a new folder with the team's name.", show_default=False),
    ] = None,
    trust: TrustNames = None,
) -> None:
    """Create a new team's package: code to build on, tests, and packaging.

    For a game that states its rules, the code says what the team is shown and what it may answer, with the first position.

    \b
    Examples:
      tiltyard new team thunder
      pip install -e ./thunder
      tiltyard round-robin thunder acorn
      tiltyard new team four-of-mine --game connect-four --trust ./connect_four.py
    """
    if len(name) > MOST_CHARACTERS or not TEAM_NAME.fullmatch(name) or keyword.iskeyword(name.lower()):
        raise UserError(f"'{name}' cannot be a team's name: expected {EXPECTED_NAME}")
    root = folder or Path(name)
    registry = registry_with(trust or ())
    files = _files(name, game, root, registry)
    shadowed = sorted(path.split("/")[0] for path in files if path.endswith("/__init__.py") and path.split("/")[0] in TAKEN)
    if shadowed:
        raise UserError(f"a team cannot be called '{name}': the name of its package, {shadowed[0]}, is taken")
    write_new(root, files)
    trusted = "".join(f" --trust {shlex.quote(each)}" for each in trust or ())
    print(f"made {root}/ with the team '{name}'. Next:\n")
    print(f"  pip install -e {as_path(root)}")
    print(f"  tiltyard round-robin {name} {' '.join(_opponents(registry, game, name))}{trusted}")


def _files(name: str, game: str, root: Path, registry: Registry) -> Mapping[str, str]:
    """The files of the team, path to text.

    Raises:
        UserError: there is no such game, or it can't make them.
    """
    record = registry.game(game)
    if record.teams.template is not None:
        return record.teams.template(name)
    if not isinstance(record.rules, Rules):
        raise UserError(f"the game {game} has no team template, and states no rules from which one follows")
    shipped = registry.all(MAP, game)
    if not shipped:
        raise UserError(f"the game {game} has no map, so there is no first position to show to a team")
    first = MapFile(shipped[0].name, game, shipped[0].contribution.data, shipped[0].contribution.seats)
    source = registry.find(GAME, game).reference.source
    path = "" if source.origin is Origin.INSTALLED else os.path.relpath(place_of(source), root.resolve())
    return rules_team_template(name, record, first, path)


def _opponents(registry: Registry, game: str, name: str) -> list[str]:
    """Whom the new team could meet first: simple ones, then whoever else is installed; never one of its own name."""
    record = registry.game(game)
    installed = [entry.name for kind in (registry.authored, registry.all) for entry in kind(ALGORITHM, game)]
    others = [each for each in dict.fromkeys((*record.teams.samples, *installed)) if each in installed and each != name]
    number = max(1, usual_players(record) - 1)
    return [*others, *["OPPONENT"] * number][:number]
