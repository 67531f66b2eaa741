"""The program of assignment 2: ``tanks_game MAP [ALGORITHM ...]``."""

from __future__ import annotations

import argparse
import logging
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.exit_status import end_well
from tiltyard_engine.match import Match
from tiltyard_engine.records import TankTeam
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.texts.names import file_name
from tiltyard_engine.texts.sanitize import one_line, quoted
from tiltyard_tanks.defaults import DEFAULT_TEAMS
from tiltyard_tanks.files import print_text, write_file
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, count_players, player_arguments, read_map
from tiltyard_tanks.rules import DIALECTS

DESCRIPTION: Final = """\
Play one map of the tank game and write the output file output_<map>.txt to the current folder. Repairs of the map file are
listed in input_errors.txt in the same folder. If you don't name any algorithms, two built-in ones play."""
EPILOG: Final = """\
A configuration file is TOML with any of these keys. The command line overrides it:
  rules = "reference"            one of the dialects: {dialects}
  players = 2                    2 to 9; default: the number of algorithms, or of digits 1, 2, 3, ... in the map
  algorithms = ["acorn", "my_team.py"]
  log = "game.log"
examples:
  tanks_game narrow-pass.txt
  tanks_game arena.txt acorn bramble my_team.py --log game.log"""
CONFIG_KEYS: Final = ("rules", "players", "algorithms", "log")
INPUT_ERRORS: Final = "input_errors.txt"
OWN_DISTRIBUTIONS: Final = frozenset(
    [
        "tiltyard-tanks",
        "tiltyard-tanks-native",
        "tiltyard-acorn",
        "tiltyard-bramble",
        "tiltyard-coyote",
        "tiltyard-dragoon",
    ]
)
"""Their names come before all others', and files that are no Python are loaded by them alone."""

logger = logging.getLogger("tanks_game")


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be played, from the command line and the configuration file."""

    map: Path
    algorithms: Sequence[str]
    rules: str
    players: int | None
    log: Path | None


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
        "algorithms", nargs="*", default=[], help="one per player: an installed name, a .py file, a folder, or FILE:NAME"
    )
    parser.add_argument("--rules", default="reference", help="the dialect of the rules")
    parser.add_argument("--players", type=int, help="2 to 9")
    parser.add_argument("--config", type=Path, metavar="FILE", help="a configuration file")
    parser.add_argument("--log", type=Path, metavar="FILE", help="write a log of the match to FILE")
    options = parser.parse_args(words)
    if options.config is not None:
        parser.set_defaults(**read_config(options.config))
        options = parser.parse_args(words)
    del options.config
    return Options(**vars(options))


def read_config(path: Path) -> dict[str, Any]:
    """What a configuration file says, by the names of the options.

    Raises:
        UserError: it cannot be read, or a key or value is not as expected.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: not valid TOML: {error}") from error
    for key, value in content.items():
        _check_config(path, key, value)
    return content


def _check_config(path: Path, key: str, value: object) -> None:
    if key not in CONFIG_KEYS:
        raise NotFoundError(f"key of {path}", key, CONFIG_KEYS)
    if key == "algorithms":
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UserError(f"{path}: algorithms must be a list of strings, got {value!r}")
    elif not isinstance(value, int if key == "players" else str) or isinstance(value, bool):
        raise UserError(f"{path}: {key} must be a {'number' if key == 'players' else 'string'}, got {value!r}")


def read_board(options: Options) -> TankMap:
    """The map, for as many players as will play; what was recovered goes to ``input_errors.txt``.

    Raises:
        UserError: the map cannot be read, or the players do not fit.
    """
    name = str(options.map)
    try:
        data = options.map.read_bytes()
    except OSError as error:
        raise UserError(f"{name}: cannot be read: {error.strerror}") from error
    players = options.players or (len(options.algorithms) or count_players(name, data))
    if not 2 <= players <= 9:
        raise UserError(f"{players} players: expected 2 to 9; name one algorithm per player, or none")
    if options.algorithms and len(options.algorithms) != players:
        raise UserError(f"{len(options.algorithms)} algorithms for {players} players: name one per player, or none")
    tank_map = read_map(name, data, players)
    if tank_map.recovered:
        notes = "".join(f"{name}: {note}\n" for note in tank_map.recovered)
        write_file(Path(INPUT_ERRORS), notes.encode(), force=True)
        logger.info("repaired %d errors in the map file, see %s", len(tank_map.recovered), INPUT_ERRORS)
    return tank_map


def choose_teams(options: Options, players: int) -> list[TankTeam]:
    """One team a player.

    Raises:
        UserError: an algorithm that was named cannot be used.
    """
    if not options.algorithms:
        return [DEFAULT_TEAMS[seat % len(DEFAULT_TEAMS)] for seat in range(players)]
    registry = Registry.installed(own=OWN_DISTRIBUTIONS)
    teams: list[TankTeam] = []
    for text in options.algorithms:
        record = choose(text, ALGORITHM, registry, "tanks").load()
        if not isinstance(record, TankTeam):
            raise UserError(f"'{text}' isn't a team with a Player and tanks")
        teams.append(record)
    return teams


def play(options: Options, tank_map: TankMap, teams: Sequence[TankTeam]) -> GameResult:
    """Play the match in this process; faults of teams are told on standard error and in the log."""
    arguments = player_arguments(tank_map)
    seats = [InlineTankSeat(index, team, arguments, "raise") for index, team in enumerate(teams, start=1)]
    logger.info("%s: %d x %d squares, %s", options.map, tank_map.height, tank_map.width, tank_map.title)
    for seat in seats:
        logger.info("player %d is %s", seat.index, seat.name)
    manager = TanksGameManager(DIALECTS[options.rules][0])
    result = manager.run(Match(map=tank_map, map_name=options.map.stem, seats=seats, verbose=True))
    for seat in seats:
        if seat.fault is not None:
            fault = f"player {seat.index} ({seat.name}) failed in round {seat.fault.round}: {one_line(seat.fault.message)}"
            print(f"{fault}\n{quoted(seat.fault.traceback)}", file=sys.stderr)
            logger.warning("%s", fault)
    _log_deaths(result)
    logger.info("after %d rounds: %s", result.rounds, result.message)
    return result


def _log_deaths(result: GameResult) -> None:
    for number, line in enumerate(result.log.splitlines()[:-1], start=1):
        dead = [str(tank) for tank, action in enumerate(line.split(", "), start=1) if action.endswith("(killed)")]
        if dead:
            logger.info("round %d: lost tank %s (in the order of the map)", number, ", ".join(dead))


def run(options: Options) -> int:
    """Play as the options say and write the files."""
    if options.rules not in DIALECTS:
        raise NotFoundError("dialect", options.rules, DIALECTS)
    if options.log is not None:
        write_file(options.log, b"", force=True)
        logging.basicConfig(filename=options.log, level=logging.INFO, format="%(levelname)s %(message)s", force=True)
    tank_map = read_board(options)
    result = play(options, tank_map, choose_teams(options, tank_map.players))
    write_file(Path(file_name(f"output_{options.map.stem}", ".txt")), result.log.encode(), force=True)
    print_text(f"{result.message}\n")
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """The command: 0 when a game was played, 2 for a user's mistake, 130 if interrupted."""
    try:
        return end_well(lambda: run(parse(words)), name="tanks_game")
    finally:
        logging.shutdown()


if __name__ == "__main__":
    sys.exit(main())
