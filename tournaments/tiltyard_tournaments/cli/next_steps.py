"""What ``tiltyard`` alone prints: what there is to do next in this folder, as commands that can be copied."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.match.own_distributions import GAME_EXTRAS
from tiltyard_tournaments.cli.working_folder import LeagueHere, PluginHere, TournamentHere, WorkingFolder, look_around

MOST_OF_A_KIND: Final = 3
INDENT: Final = "  "
GAMES: Final = ", ".join(GAME_EXTRAS)
"""Of the project. Others are installed by those who know their names."""
WIDEST: Final = 70
"""Characters of a command that others are aligned with."""


@dataclass(frozen=True, slots=True)
class NextSteps:
    """Something that was found, and what can be done with it: commands, and what each does."""

    title: str
    steps: tuple[tuple[str, str], ...]


BEGINNINGS: Final = (
    ("tiltyard demo", "play a small cup of the sample teams, and look at its site"),
    ("tiltyard new team NAME", "make a team of your own, to let it play"),
    ("tiltyard new tournament cup.yaml", "describe a tournament, to run and publish it"),
    ("tiltyard new league course/", "run a league in which teams hand in all term"),
    ("tiltyard new game NAME", "make a game of your own"),
    ("tiltyard intake FOLDER", "turn what a class has handed in into teams"),
)


def next_steps(folder: Path) -> str:
    """The text for a folder, which is the current one: all paths are told relative to it."""
    parts = list(_parts(look_around(folder)))
    if not parts:
        parts = [NextSteps("tiltyard runs tournaments between algorithms that teams write. To begin:", BEGINNINGS)]
        ending = "All commands: tiltyard --help. Not sure where to begin? Type: tiltyard demo"
    else:
        ending = "To begin something else: tiltyard demo, tiltyard new. All commands: tiltyard --help."
    return "\n\n".join([*map(_text, parts), ending])


def _text(part: NextSteps) -> str:
    width = max((len(command) for command, _ in part.steps if len(command) <= WIDEST), default=0)
    return "\n".join([part.title, "", *(f"{INDENT}{command:{width}}  {text}" for command, text in part.steps)])


def _parts(folder: WorkingFolder) -> Iterator[NextSteps]:
    yield from map(_tournament, folder.tournaments[:MOST_OF_A_KIND])
    yield from _more(folder.tournaments, "tournaments")
    yield from map(_league, folder.leagues[:MOST_OF_A_KIND])
    yield from map(_plugin, folder.plugins[:MOST_OF_A_KIND])
    yield from _more(folder.plugins, "teams and games")
    yield from map(_taken_in, folder.taken_in[:MOST_OF_A_KIND])
    if folder.handed_in and not folder.taken_in:
        yield _handed_in(folder.handed_in)


def _more(things: Sequence[object], kind: str) -> Iterator[NextSteps]:
    if len(things) > MOST_OF_A_KIND:
        yield NextSteps(f"There are {len(things) - MOST_OF_A_KIND} more {kind} here.", ())


def _tournament(tournament: TournamentHere) -> NextSteps:
    file = _word(tournament.file)
    if not tournament.has_results:
        return NextSteps(
            f"{file} is a tournament that hasn't been played yet:",
            ((f"tiltyard plan {file}", "show its games, and how long they take"), (f"tiltyard run {file}", "play it")),
        )
    return NextSteps(
        f"{file} is a tournament with results:",
        (
            (f"tiltyard status {file}", "what has been played, and what is left"),
            (f"tiltyard standings {file}", "print its tables"),
            (f"tiltyard run {file}", "play what is missing"),
            (f"tiltyard publish {file}", "write its site, with every game to watch"),
            (f"tiltyard serve {file}", "serve the site, live during a run"),
        ),
    )


def _league(league: LeagueHere) -> NextSteps:
    folder = _word(league.folder)
    serve = (f"tiltyard league serve {folder}", "run it until you stop it")
    invite = (f"tiltyard league invite {folder}", "make a sign-in link for the staff or, with a team's name, for that team")
    if not league.has_begun:
        roster = (f"tiltyard league roster {folder} students.csv", "read who is in which team")
        return NextSteps(f"{folder} is a league that hasn't been started yet:", (roster, serve))
    status = (f"tiltyard league status {folder}", "show who plays, and what is waiting")
    return NextSteps(f"{folder} is a league:", (status, serve, invite))


def _plugin(plugin: PluginHere) -> NextSteps:
    path, name = _word(plugin.path), one_line(plugin.name)
    if plugin.is_game:
        trusted = f"--trust {path}"
        return NextSteps(
            f"{path} is the package of the game {name}:",
            (
                (f"tiltyard check-game {path} {trusted}", "look for what is wrong with it"),
                (f"tiltyard round-robin --game {shlex.quote(name)} {trusted}", "let its algorithms play"),
                (f"tiltyard new tournament cup.yaml --game {shlex.quote(name)} {trusted}", "run and publish a tournament"),
            ),
        )
    return NextSteps(
        f"{path} is the team {name}:",
        (
            (f"tiltyard check {path}", "check it step by step, as it will play later"),
            (f"tiltyard round-robin {path} installed", "let it play against all installed teams of its game"),
        ),
    )


def _taken_in(folder: Path) -> NextSteps:
    teams = shlex.quote(one_line(f"{folder}/"))
    make = f"tiltyard new tournament cup.yaml --game GAME --teams {teams}"
    return NextSteps(
        f"{teams} contains the teams from an intake:",
        ((make, f"describe a tournament of them; GAME is {GAMES}"),),
    )


def _handed_in(paths: Sequence[Path]) -> NextSteps:
    where, what = (".", f"{len(paths)} archives") if len(paths) > 1 else (_word(paths[0]), _word(paths[0]))
    return NextSteps(
        f"If a class has handed in these works ({what}):",
        ((f"tiltyard intake {where} --game GAME", f"turn it into a folder of teams that play; GAME is {GAMES}"),),
    )


def _word(path: Path) -> str:
    """As a word of a command; a folder looks like one, so that no command takes it for a name."""
    text = str(path)
    if path.is_dir() and path.parts and not path.is_absolute() and path.parts[0] != "..":
        text = f"./{text}"
    return shlex.quote(one_line(text))
