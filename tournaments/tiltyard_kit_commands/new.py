"""``tiltyard new``: the first files of a team, a game, a tournament or a league."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.records import LEAST_PLAYERS, Game, players_in_words, usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.match.own_distributions import USUAL_GAME
from tiltyard_simulator.registry.guarded_registry import check_trusted, open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.open_group import OpenGroup
from tiltyard_tournaments.cli.options import TrustNames


class NewGroup(OpenGroup):
    """What can be made: packages and plugins add to it."""

    words = "new"
    order = ("team", "tournament", "league")


app = application(NewGroup)

TEAM_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_.]?[A-Za-z0-9]+)*")
"""Also a valid name of a distribution."""

MOST_CHARACTERS = 40
EXPECTED_NAME = (
    "a letter, then letters and digits with single '-', '_' or '.' between them, "
    f"at most {MOST_CHARACTERS} characters, and no word of Python"
)

TAKEN = {*sys.stdlib_module_names, "tests", "tiltyard", "tiltyard_engine", "tiltyard_kit"}
"""Packages that a team's or a game's own would hide, or be hidden by."""


@app.callback()
def new() -> None:
    """Create a team's or a game's package, a tournament file or a league, to build on."""


def as_path(root: Path) -> str:
    """A folder, so that no command takes it for a name."""
    return str(root) if root.is_absolute() else f"./{root}"


def write_new(root: Path, files: Mapping[str, str]) -> None:
    """Write all files below ``root``, or none.

    Raises:
        UserError: the folder isn't empty, or can't be written.
    """
    fresh = not root.exists()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root}: already exists and isn't an empty folder; nothing was written", see="folder-not-empty")
    try:
        for path, text in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        for path in files if not fresh else ():
            (root / path).unlink(missing_ok=True)
        if fresh:
            shutil.rmtree(root, ignore_errors=True)
        raise UserError(f"{error.filename}: cannot be written: {error.strerror}; no file was left behind") from error


@app.command()
def tournament(
    file: Annotated[Path, typer.Argument(help="The file to write, such as cup.yaml.", metavar="FILE")] = Path("tournament.yaml"),
    title: Annotated[str, typer.Option(help="The tournament's name.")] = "Tournament",
    game: Annotated[str, typer.Option(help="The game that is played.")] = USUAL_GAME,
    teams: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays: an installed name, a file, or a folder such as that of 'tiltyard intake'. Can be repeated."
            " Default: all installed teams.",
            show_default=False,
        ),
    ] = None,
    trust: TrustNames = None,
) -> None:
    """Write a commented tournament file that runs as it is, and next to it a JSON Schema for editors.

    The command says what is still missing, such as teams, and how many games the tournament has. If they are many, it plays a few
    trial games to see how long they take, and the file proposes maps and a format that finish within minutes.

    \b
    Examples:
      tiltyard new tournament cup.yaml
      tiltyard new tournament cup.yaml --game filler --teams teams/
      tiltyard run cup.yaml
    """
    from tiltyard_kit_commands.first_file import FEW_GAMES, choose_for_many, games_of_everybody, in_words, tournament_template
    from tiltyard_tournaments.tournament_file.parts import SCHEMA_FILE, shipped_schema
    from tiltyard_tournaments.tournament_file.resolution import load_tournament

    if not title.isprintable() or not 0 < len(title) <= 200:
        raise UserError("the title must be one line of printable characters, at most 200")
    if file.exists():
        raise UserError(f"{file}: already exists; nothing was written")
    registry = registry_with(trust or ())
    record = _game_of(game, registry)
    own = [entry for entry in registry.all(ALGORITHM, game) if not entry.contribution.is_partner]
    # Where nobody's algorithm is installed, 'all installed' stands for the sparring partners.
    partners = max(0, usual_players(record) - len(own)) if own else 0
    team_texts, trusted = _seen_from(file, teams), _seen_from(file, trust)
    schema = file.with_name(SCHEMA_FILE)
    with file_errors(file, "written"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(tournament_template(title, record, team_texts, trusted, partners=partners), encoding="utf-8")
        schema.write_text(shipped_schema(), encoding="utf-8")
    try:
        loaded = load_tournament(file).tournament
        if (games := games_of_everybody(loaded)) > FEW_GAMES:
            print(f"{counted(len(loaded.teams), 'team')}: playing a few trial games, to see how long they take", file=sys.stderr)
        else:
            print(f"for {counted(len(loaded.teams), 'team')}: {counted(games, 'game')}")
        choice = choose_for_many(loaded)
    except UserError as error:
        # It may be written before there are teams.
        print(f"note: {file} can't be run yet:\n{error}", file=sys.stderr)
        choice = None
    if choice is not None:
        with file_errors(file, "written"):
            file.write_text(
                tournament_template(title, record, team_texts, trusted, partners=partners, choice=choice), encoding="utf-8"
            )
        print(f"for {choice.teams} teams: {in_words(choice.proposal)}")
        if choice.proposal != choice.everything:
            print(f"all teams against each other on all maps: {in_words(choice.everything)}")
        print(f"for fewer games, name fewer maps in {file}, or a shorter format such as swiss")
    print(f"wrote {file}, and {schema} for editors. Next:\n\n  tiltyard plan {file}\n  tiltyard run {file}")


def _seen_from(file: Path, texts: Sequence[str] | None) -> list[str]:
    """Names as they are, and paths as a file in another folder has to write them."""
    if file.parent.resolve() == Path.cwd():
        return list(texts or ())
    return [os.path.relpath(text, file.parent) if Path(text).exists() else text for text in texts or ()]


def registry_with(trust: Sequence[str]) -> Registry:
    """What is installed, and the games of what is trusted beside."""
    check_trusted(trust)
    return open_registry(IsolationPolicy.from_environment(trust))


def _game_of(game: str, registry: Registry) -> Game[Any]:
    """The game. A mistake is told now and not by the first run.

    Raises:
        UserError: there is no such game, or nobody meets anybody in it.
    """
    record: Game[Any] = registry.game(game)
    if usual_players(record) < LEAST_PLAYERS:
        raise UserError(f"{game} is for {players_in_words(record)}: a tournament needs a game for at least {LEAST_PLAYERS}")
    return record
