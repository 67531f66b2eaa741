"""The program of assignment 2: ``tanks_game MAP [ALGORITHM ...]``."""

from __future__ import annotations

import argparse
import logging
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.inline import InlineTankSeat
from tiltyard_engine.match import Match
from tiltyard_engine.records import TankTeam
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.choosing import choose
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.results import GameResult
from tiltyard_tanks.defaults import DEFAULT_TEAMS
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, count_players, player_arguments, read_map
from tiltyard_tanks.rules import DIALECTS
from tiltyard_tanks.standard_output import write_out

DESCRIPTION: Final = """\
Play one map of the tank game and write its output file, output_<map>.txt, into the current folder. What had to be put
right in the map file is listed in input_errors.txt there. Without algorithms two shipped ones play."""
EPILOG: Final = """\
A configuration file is TOML with any of these keys; the command line goes first:
  rules = "reference"            one of the dialects: {dialects}
  players = 2                    2 to 9; by default as many as algorithms, or as the map has digits 1, 2, 3, ...
  algorithms = ["acorn", "my_team.py"]
  log = "game.log"
examples:
  tanks_game narrow-pass.txt
  tanks_game arena.txt acorn bramble my_team.py --log game.log"""
INPUT_ERRORS: Final = "input_errors.txt"

logger = logging.getLogger("tanks_game")


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be played, from the command line and the configuration file."""

    game_map: Path
    algorithms: tuple[str, ...] = ()
    rules: str = "reference"
    players: int | None = None
    log: Path | None = None


def parse(words: Sequence[str] | None) -> Options:
    """The options.

    Raises:
        UserError: the configuration file is unusable.
    """
    parser = argparse.ArgumentParser(
        "tanks_game",
        description=DESCRIPTION,
        epilog=EPILOG.format(dialects=", ".join(DIALECTS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("map", type=Path, help="a map file")
    parser.add_argument(
        "algorithms", nargs="*", default=[], help="one a player: an installed name, a .py file, a folder, or FILE:NAME"
    )
    parser.add_argument("--rules", help="the dialect to play by")
    parser.add_argument("--players", type=int, help="2 to 9")
    parser.add_argument("--config", type=Path, metavar="FILE", help="a configuration file")
    parser.add_argument("--log", type=Path, metavar="FILE", help="write what happened, in words, to FILE")
    given = parser.parse_args(words)
    options = read_config(Options(given.map), given.config) if given.config else Options(given.map)
    changes = {key: value for key in ("rules", "players", "log") if (value := getattr(given, key)) is not None}
    if given.algorithms:
        changes["algorithms"] = tuple(given.algorithms)
    return replace(options, **changes)


def read_config(options: Options, path: Path) -> Options:
    """Options with what a configuration file says.

    Raises:
        UserError: it cannot be read, or a key or value is not as expected.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: not valid TOML: {error}") from error
    checked = {key: _config_value(path, key, value) for key, value in content.items()}
    return replace(options, **checked)


def _config_value(path: Path, key: str, value: Any) -> Any:
    if key not in ("rules", "players", "algorithms", "log"):
        raise NotFoundError(f"key of {path}", key, ("rules", "players", "algorithms", "log"))
    if key == "algorithms":
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise UserError(f"{path}: algorithms must be a list of strings, found {value!r}")
    expected: type = int if key == "players" else str
    if not isinstance(value, expected) or isinstance(value, bool):
        raise UserError(f"{path}: {key} must be a {'number' if expected is int else 'string'}, found {value!r}")
    return Path(str(value)) if key == "log" else value


def read_board(options: Options) -> TankMap:
    """The map, for as many players as will play; what was recovered goes to ``input_errors.txt``.

    Raises:
        UserError: the map cannot be read, or the players do not fit.
    """
    name = str(options.game_map)
    try:
        data = options.game_map.read_bytes()
    except OSError as error:
        raise UserError(f"{name}: cannot be read: {error.strerror}") from error
    players = options.players or (len(options.algorithms) or count_players(name, data))
    if not 2 <= players <= 9:
        raise UserError(f"{players} players: the game is for 2 to 9; name one algorithm a player, or none")
    if options.algorithms and len(options.algorithms) != players:
        raise UserError(f"{len(options.algorithms)} algorithms for {players} players: name one a player, or none")
    tank_map = read_map(name, data, players)
    if tank_map.recovered:
        write(Path(INPUT_ERRORS), "\n".join(f"{name}: {note}" for note in tank_map.recovered) + "\n")
        logger.info("%d oddities of the map file were put right, see %s", len(tank_map.recovered), INPUT_ERRORS)
    return tank_map


def choose_teams(options: Options, players: int) -> list[TankTeam]:
    """One team a player.

    Raises:
        UserError: an algorithm that was named cannot be used.
    """
    if not options.algorithms:
        return [DEFAULT_TEAMS[seat % len(DEFAULT_TEAMS)] for seat in range(players)]
    registry = Registry.installed()
    teams: list[TankTeam] = []
    for text in options.algorithms:
        record = choose(text, ALGORITHM, registry, "tanks").load()
        if not isinstance(record, TankTeam):
            raise UserError(f"'{text}' is no team with a Player and tanks")
        teams.append(record)
    return teams


def play(options: Options, tank_map: TankMap, teams: Sequence[TankTeam]) -> GameResult:
    """Play the match in this process; faults of teams are told on standard error and in the log."""
    arguments = player_arguments(tank_map)
    seats = [InlineTankSeat(index, team, arguments, "raise") for index, team in enumerate(teams, start=1)]
    logger.info("%s: %d x %d squares, %s", options.game_map, tank_map.height, tank_map.width, tank_map.title)
    for seat in seats:
        logger.info("player %d is %s", seat.index, seat.name)
    manager = TanksGameManager(DIALECTS[options.rules][0])
    result = manager.run(Match(tank_map, options.game_map.stem, seats, verbose=True))
    for seat in seats:
        if seat.fault is not None:
            fault = f"player {seat.index} ({seat.name}) failed in round {seat.fault.round}: {seat.fault.message}"
            print(f"{fault}\n{seat.fault.traceback}", file=sys.stderr)
            logger.warning("%s", fault)
    _log_deaths(result)
    logger.info("after %d rounds: %s", result.rounds, result.message)
    return result


def _log_deaths(result: GameResult) -> None:
    for number, line in enumerate(result.log.splitlines()[:-1], start=1):
        dead = [str(tank) for tank, action in enumerate(line.split(", "), start=1) if action.endswith("(killed)")]
        if dead:
            logger.info("round %d: lost tank %s (in the order of the map)", number, ", ".join(dead))


def write(path: Path, text: str) -> None:
    """Write a file of the current folder anew.

    Raises:
        UserError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error


def run(options: Options) -> None:
    """Play as the options say and write the files."""
    if options.rules not in DIALECTS:
        raise NotFoundError("dialect", options.rules, DIALECTS)
    if options.log is not None:
        write(options.log, "")
        logging.basicConfig(filename=options.log, level=logging.INFO, format="%(levelname)s %(message)s", force=True)
    tank_map = read_board(options)
    result = play(options, tank_map, choose_teams(options, tank_map.players))
    write(Path(f"output_{options.game_map.stem}.txt"), result.log)
    write_out(f"{result.message}\n")


def main(words: Sequence[str] | None = None) -> int:
    """The command: 0 when a game was played, 2 for a user's mistake, 130 if interrupted."""
    try:
        run(parse(words))
    except UserError as error:
        print(f"tanks_game: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("tanks_game: interrupted; no output file was written", file=sys.stderr)
        return 130
    finally:
        logging.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
