"""Maps: the parameters of a game, as an object in JSON: ``{"rows": 5, "columns": 6}``. ``{}`` is the game as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, Final

from tiltyard_engine.errors import MapError, NotFoundError, kind_of, show
from tiltyard_openspiel.catalogue import Listing, Parameter, listings
from tiltyard_openspiel.playing import import_openspiel, load_game

DEFAULT_MAP: Final = b"{}\n"
TRIAL_SECONDS: Final = 60.0
LEFT_TO_FILES: Final = ("count", "seed")
"""Keys of ``generate`` that have a meaning in every game: parameters of that name can only be given in a map file."""


@dataclass(frozen=True, slots=True)
class SpielMap:
    """A game with its parameters, for a number of players."""

    game: str
    """OpenSpiel's short name."""
    parameters: tuple[tuple[str, Parameter], ...]
    """Those that were given, and the number of players where the game takes one; sorted."""
    most_moves: int | None = None
    """The match ends after so many moves at the latest, with the returns so far; None: OpenSpiel's own bound."""


def read_map(game: str, name: str, data: bytes, seats: int) -> SpielMap:
    """Read a map file.

    Args:
        game: OpenSpiel's short name.
        name: of the map.
        data: the file.
        seats: how many will play.

    Raises:
        MapError: it holds no parameters of the game, or it is not for so many players.
        UserError: OpenSpiel is not installed.
    """
    listing = listings()[game]
    parameters = {key: _parameter(listing, name, key, value) for key, value in _object(name, data).items()}
    is_as_it_is = not parameters
    if listing.players:
        parameters.setdefault(listing.players, seats)
    read = SpielMap(game, tuple(sorted(parameters.items())))
    problem = _problem(listing, parameters) if is_as_it_is else _trial(read)
    if problem:
        raise MapError(f"{name}: OpenSpiel's {game} cannot be played with {_in_words(parameters)}: {problem}")
    players = load_game(listing, parameters).num_players()
    if players != seats:
        raise MapError(f"{name}: {game} is for {players} players with {_in_words(parameters)}, but {seats} are to play")
    return read


def truncate(start: SpielMap, rounds: int) -> SpielMap:
    """A map's file changed so that a match on it ends after at most ``rounds`` moves."""
    return replace(start, most_moves=rounds if start.most_moves is None else min(start.most_moves, rounds))


def _object(name: str, data: bytes) -> dict[str, Any]:
    expected = 'expected the game\'s parameters as an object in JSON, such as {} or {"players": 3}'
    try:
        parameters = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise MapError(f"{name}: {error}; {expected}") from error
    if not isinstance(parameters, dict):
        raise MapError(f"{name}: contains {kind_of(parameters)}, {expected}")
    return parameters


def _parameter(listing: Listing, name: str, key: str, value: object) -> Parameter:
    """A value of the type that the parameter's default has."""
    if key not in listing.parameters:
        raise MapError(f"{name}: {NotFoundError(f'parameter of {listing.name}', key, listing.parameters)}")
    default = listing.parameters[key]
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default) or not isinstance(value, bool | int | float | str):
        raise MapError(f"{name}: {key} is {show(value)}, expected {kind_of(default)}, such as {json.dumps(default)}")
    return value


def _in_words(parameters: Mapping[str, Parameter]) -> str:
    return ", ".join(f"{name} = {json.dumps(value)}" for name, value in sorted(parameters.items())) or "its own parameters"


def _problem(listing: Listing, parameters: Mapping[str, Parameter]) -> str:
    """Why OpenSpiel does not take the parameters, or an empty string."""
    try:
        load_game(listing, parameters)
    except import_openspiel().SpielError as error:
        return _one_line(str(error))
    return ""


@cache
def _trial(candidate: SpielMap) -> str:
    """Why OpenSpiel does not take parameters that somebody wrote, tried in another process: some combinations make it crash."""
    import_openspiel()
    words = [sys.executable, "-P", "-m", "tiltyard_openspiel.trial", candidate.game, json.dumps(dict(candidate.parameters))]
    try:
        process = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=TRIAL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"a random game took more than {TRIAL_SECONDS:.0f} seconds"
    except OSError:
        # In a sandbox that starts no processes; who starts the match has tried them before.
        return _problem(listings()[candidate.game], dict(candidate.parameters))
    if process.returncode == 0:
        return ""
    return _one_line(process.stdout) or f"OpenSpiel crashes in a random game (exit status {process.returncode})"


def _one_line(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


class MapOptions:
    """What a map in a tournament file can be asked for: the parameters of a game. Each game has a dataclass derived from this."""

    # Made without the functions that dataclasses usually get: to compile those for a hundred games takes longer than a match.
    SETTINGS: ClassVar[Mapping[str, bool]] = {"init": False, "repr": False, "eq": False}

    def __init__(self, **options: Parameter) -> None:
        vars(self).update(options)


def options_of(listing: Listing) -> type[MapOptions]:
    """The options of a game's maps."""
    parameters = {name: value for name, value in listing.parameters.items() if name not in LEFT_TO_FILES}
    space: dict[str, Any] = {"__doc__": f"Parameters of {listing.title}.", "__module__": __name__}
    annotations = {name: type(value) for name, value in parameters.items()}
    kind = type("Options", (MapOptions,), {**space, **parameters, "__annotations__": annotations})
    return dataclass(**MapOptions.SETTINGS)(kind)


def generate_map(options: MapOptions, _seed: int, _seats: int) -> bytes:
    """A map file with the parameters that were chosen. There is no chance in it."""
    parameters = {field.name: vars(options)[field.name] for field in fields(options) if field.name in vars(options)}  # type: ignore[arg-type]  # each is a dataclass
    return f"{json.dumps(parameters, sort_keys=True)}\n".encode()
