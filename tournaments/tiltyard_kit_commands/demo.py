"""``tiltyard demo``: a small tournament of what is installed, with its site."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import LEAST_PLAYERS, usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MAP
from tiltyard_kit_commands.new import app as new
from tiltyard_kit_commands.new import write_new
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.own_distributions import GAME_EXTRAS, USUAL_GAME
from tiltyard_simulator.output.reports import say
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import GameName
from tiltyard_tournaments.cli.run import play_file
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.cli.working_folder import DEMO

app = application()

FOLDER: Final = Path(DEMO)
FILE: Final = "cup.yaml"
MOST_TEAMS: Final = 4
MOST_MAPS: Final = 2
"""So few that Tanks is over in seconds. Games whose teams start a process for each move take minutes."""
OWN_GAME: Final = "runners"
"""What is played where no game is installed: 'tiltyard new game' can make it anywhere."""
OWN_KIND: Final = "chance"
"""With dice, so that no game is like another."""
OWN_TEAMS: Final = (f"{OWN_GAME}-random", f"{OWN_GAME}-hunter")
"""The players that a game of that kind comes with."""

CUP: Final = """\
# What 'tiltyard demo' played. Change it, and play it with: tiltyard run {file}
title: Demo cup
game: {game}
teams: [{teams}]
maps: [{maps}]
format: round-robin
{more}publication:
  publishers: site
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The games that the demo plays."""

    game: str
    teams: tuple[str, ...]
    maps: tuple[str, ...]
    more: str = ""
    """Further lines of the tournament file."""
    files: Mapping[str, str]
    """What is written beside the tournament file: path to text."""
    note: str = ""
    """What to tell about the choice."""
    has_team_template: bool = False
    """Whether 'tiltyard new team' can make a team for the game."""


@app.command()
def demo(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="Where to write everything. Default: tiltyard-demo, or a new temporary folder if nothing can be written here.",
            show_default=False,
        ),
    ] = None,
    game: GameName = None,
    show: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Open the site in a browser. Default: in a terminal, if there is a screen."),
    ] = None,
) -> None:
    """Play a small cup of the sample teams, print its table, and make its site, where you can watch every game.

    It takes a few seconds (some games minutes), and needs no network and no files. The teams play in a sandbox where this machine
    has one. Everything is written to one folder, which you can delete. Like every command, it also notes in the cache folder what
    the sandbox can do here. Run it again to show the same cup without playing it again.

    \b
    Examples:
      tiltyard demo
      tiltyard demo try-it --game filler --no-open
      uvx --from 'tiltyard[tanks]' tiltyard demo
    """
    policy = IsolationPolicy.from_environment()
    plan = plan_demo(open_registry(policy), game)
    root = _root(folder)
    file = root / FILE
    _write_once(root, {FILE: _cup_text(plan, file, _sandbox_lines(policy)), **plan.files})
    for note in (plan.note, f"{len(plan.teams)} teams play {plan.game}; everything is written to {root}/"):
        if note:
            say(note)
    play_file(TournamentOptions(file))
    _show_site(root / file.stem / "site" / "index.html", show)
    print(_what_next(file, root, plan))


def plan_demo(registry: Registry, game: str | None) -> Plan:
    """What to play with what is installed: few teams on the smallest maps of a game.

    Raises:
        UserError: there is no such game, or too little of it to play.
    """
    installed = [entry.name for entry in registry.all(GAME)]
    if not installed and game is None:
        return _plan_own_game()
    # The project's own games are known to have sample teams.
    name = game or next((each for each in (*GAME_EXTRAS, *installed) if each in installed), "")
    registry.find(GAME, name)
    players = max(LEAST_PLAYERS, usual_players(registry.game(name)))
    teams = tuple(entry.name for entry in registry.authored(ALGORITHM, name))[: max(MOST_TEAMS, players)]
    smallest = sorted(registry.all(MAP, name), key=lambda entry: (len(entry.contribution.data), entry.name))
    maps = tuple(entry.name for entry in smallest if entry.contribution.seats in (0, players))[:MOST_MAPS]
    if len(teams) < players or not maps:
        counts = f"{len(teams)} teams and {len(maps)} maps for {players} players"
        raise UserError(
            f"a demo of {name} needs at least {players} installed teams and a map, found {counts}; choose another --game"
        )
    template = registry.game(name).teams.template
    more = "" if players == LEAST_PLAYERS else f"players: {players}\n"
    return Plan(game=name, teams=teams, maps=maps, more=more, files={}, has_team_template=template is not None)


def _plan_own_game() -> Plan:
    larger = f"For {USUAL_GAME.capitalize()} and its sample teams: pip install '{GAME_EXTRAS[USUAL_GAME]}'"
    return Plan(
        game=OWN_GAME,
        teams=OWN_TEAMS,
        maps=("small",),
        more=f"games: 6\ntrust: [./{OWN_GAME}]\n",
        files=_files_of_own_game(),
        note=f"no game is installed, so this demo makes a small one. {larger}",
    )


def _files_of_own_game() -> Mapping[str, str]:
    """What 'tiltyard new game' writes, which is found here as on the command line."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-demo-") as folder:
        words = ["game", OWN_GAME, "--kind", OWN_KIND, "--folder", f"{folder}/{OWN_GAME}"]
        with redirect_stdout(io.StringIO()):
            typer.main.get_command(new)(words, standalone_mode=False)
        paths = [path for path in Path(folder).rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}


def _sandbox_lines(policy: IsolationPolicy) -> str:
    """What puts the sample teams into the sandbox, as a stranger's would be: they are trusted otherwise."""
    if policy.isolation is not None:
        return ""
    if policy.refusal():
        say("no sandbox works on this machine, so the sample teams play without one; 'tiltyard doctor' tells why")
        return ""
    return f"isolation: {Isolation.SANDBOX}\n"


def _cup_text(plan: Plan, file: Path, sandbox: str) -> str:
    return CUP.format(
        file=file, game=plan.game, teams=", ".join(plan.teams), maps=", ".join(plan.maps), more=f"{plan.more}{sandbox}"
    )


def _root(folder: Path | None) -> Path:
    """The folder to write to."""
    if folder is not None:
        return folder
    if os.access(FOLDER if FOLDER.exists() else Path(), os.W_OK | os.X_OK):
        return FOLDER
    return Path(tempfile.mkdtemp(prefix=f"{FOLDER}-"))


def _write_once(root: Path, files: Mapping[str, str]) -> None:
    """Write the files, unless an earlier demo wrote the same ones.

    Raises:
        UserError: something else is there, or the folder can't be written.
    """
    try:
        if (root / FILE).is_file() and all((root / path).read_text(encoding="utf-8") == text for path, text in files.items()):
            return
    except (OSError, ValueError):
        pass
    if (root / FILE).is_file():
        raise UserError(
            f"{root}: contains another demo. Play it with 'tiltyard run {root / FILE}', or give a new folder: tiltyard demo FOLDER"
        )
    write_new(root, files)


def _show_site(page: Path, show: bool | None) -> None:
    print(f"\nThe site, with every game to watch: {page}")
    if show or (show is None and _has_screen()):
        import webbrowser

        try:
            has_browser = webbrowser.open(page.resolve().as_uri())
        except webbrowser.Error:
            has_browser = False
        if not has_browser:
            say("no browser could be started; open the file above in one")


def _has_screen() -> bool:
    """Whether somebody sits at a terminal, on a machine whose browser has windows: one in the terminal would take it over."""
    if not sys.stdout.isatty() or os.environ.get("SSH_CONNECTION"):
        return False
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _what_next(file: Path, root: Path, plan: Plan) -> str:
    """What can be done with the demo, and in the end the one thing that most people do next."""
    own_tournament = (f"tiltyard new tournament mine.yaml --game {plan.game}", "make a tournament of your own")
    rows = [
        (f"tiltyard watch {file} --match 1", "watch a game here, in the terminal"),
        (f"tiltyard standings {file}", "the tables once more; see --help for others"),
    ]
    if plan.files:
        following = (f"tiltyard new game mine --kind {OWN_KIND}", "make a game like this one, to change")
        rows.append((f"pip install '{GAME_EXTRAS[USUAL_GAME]}'", "get a larger game, and teams that play it"))
    elif plan.has_team_template:
        following = (f"tiltyard new team thunder --game {plan.game}", "make a team of your own, and let it play")
        rows.append(own_tournament)
    else:
        following = own_tournament
    rows.append((f"rm -r {root}", "delete what this demo wrote"))
    width = max(len(command) for command, _ in rows)
    prefix = runner_of(sys.prefix)
    hint = f" (write '{prefix}' before each tiltyard, or install it with pip: this run was without installing it)" if prefix else ""
    command, text = following
    lines = [f"  {command:{width}}  {text}" for command, text in rows]
    return "\n".join(["", f"What you can do with it{hint}:", *lines, "", f"Next, {text}:", f"  {command}"])


def runner_of(prefix: str) -> str:
    """What runs commands without installing them, if this is such a run; ``prefix`` is the folder of its environment."""
    parts = Path(prefix).parts
    if "uv" in parts and any(part.startswith(("archive-v", "builds-v", "environments-v")) for part in parts):
        return "uvx"
    return "pipx run" if "pipx" in parts and ".cache" in parts else ""
