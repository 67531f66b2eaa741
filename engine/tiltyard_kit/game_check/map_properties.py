"""Properties of a game's maps: those that it ships and those that it generates."""

from __future__ import annotations

from typing import Any, Final

from tiltyard_engine.errors import MapError, UserError
from tiltyard_engine.records import MapFile
from tiltyard_engine.texts.quantities import counted
from tiltyard_kit.game_check.bench.bench import SEED, Bench
from tiltyard_kit.game_check.bench.inputs import for_all, strategies
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, NotShown, Violation, raised

DAMAGED_MAPS: Final = 60
GENERATED_MAPS: Final = 6
LARGEST_SEED: Final = 2**32 - 1
PLAIN: Final = (str, bytes, int, float, bool, tuple, frozenset)
MAP_ERROR_ADVICE: Final = "read() meets files that people wrote: raise MapError, and say what is wrong and in which line"


def maps(bench: Bench) -> str:
    """Every shipped map can be read, always in the same way; a damaged one raises MapError and nothing else."""
    read = 0
    for game_map in bench.parts.maps:
        seats = game_map.seats or bench.seats
        if not game_map.seats and seats not in bench.game.seats:
            continue
        _read_twice(bench, game_map, seats)
        read += 1
    data = bench.map.data
    refused = 0

    def read_damaged(damaged: bytes) -> None:
        nonlocal refused
        refused += _is_refused(bench, damaged)

    st = strategies()
    places = st.integers(0, len(data))
    cut = st.builds(lambda place: data[:place], places)
    replaced = st.builds(
        lambda place, new, length: data[:place] + new + data[place + length :], places, st.binary(max_size=4), places
    )
    for_all(st.one_of(cut, replaced, st.binary(max_size=40)), read_damaged, DAMAGED_MAPS)
    if not refused and not data:
        raise NotApplicable(
            f"the map {bench.map.name} is empty, and whatever else is in a file is not looked at: none can be damaged"
        )
    if not refused:
        raise NotShown(f"none of {DAMAGED_MAPS} damaged maps was refused: that they raise MapError is not shown", MAP_ERROR_ADVICE)
    return f"{counted(read, 'shipped map')} read, {DAMAGED_MAPS} damaged ones"


def _read_twice(bench: Bench, game_map: MapFile, seats: int) -> None:
    read = bench.game.maps.read
    try:
        first, second = (read(game_map.name, game_map.data, seats) for _ in range(2))
    except UserError as error:
        raise Violation(f"the shipped map {game_map.name} cannot be read for {seats} players: {error}", read) from error
    except Exception as error:
        raise raised(f"reading the shipped map {game_map.name}", error) from error
    if _differ(first, second):
        raise Violation(
            f"the map {game_map.name} was read twice, and the two differ", read, "a map may depend on the file and on nothing else"
        )


def _differ(first: Any, second: Any) -> bool:
    kind: Any = type(first)
    if kind.__eq__ is not object.__eq__:
        return bool(first != second)
    # Without an __eq__ of its own, a map only equals itself. What it plainly holds can be compared all the same.
    one, other = getattr(first, "__dict__", {}), getattr(second, "__dict__", {})
    return any(type(one[name]) in PLAIN and one[name] != other.get(name) for name in one)


def _is_refused(bench: Bench, data: bytes) -> bool:
    try:
        bench.game.maps.read("damaged", data, bench.seats)
    except MapError:
        return True
    except Exception as error:
        raise raised(f"reading the damaged map {data!r:.80}", error, MAP_ERROR_ADVICE) from error
    return False


def generated_maps(bench: Bench) -> str:
    """The same options, seed and number of players give the same map file, which can be read."""
    generate = bench.game.maps.generate
    if generate is None:
        raise NotApplicable("the game generates no maps: GameMaps(generate=...) is not given")
    options = bench.game.maps.options()
    st = strategies()
    seeds = st.integers(0, LARGEST_SEED)
    distinct: set[bytes] = set()
    for_all(seeds, lambda seed: distinct.add(_generate_twice(bench, options, seed)), GENERATED_MAPS)
    here = generate(options, SEED, bench.seats)
    there = bench.fresh
    if there is not None and there.generated != here:
        raise Violation(
            f"with seed {SEED}, another process generates a different map",
            generate,
            "don't iterate over sets, whose order differs from process to process; sort them",
        )
    alike = ", all with the same map: it does not depend on the seed" if len(distinct) == 1 else ""
    return f"{GENERATED_MAPS} seeds, each twice{'' if there is None else ', and one in another process'}{alike}"


def _generate_twice(bench: Bench, options: Any, seed: int) -> bytes:
    generate = bench.game.maps.generate
    assert generate is not None
    try:
        first, second = (generate(options, seed, bench.seats) for _ in range(2))
    except MapError as error:
        raise Violation(f"with its default options and seed {seed} it makes no map: {error}", generate) from error
    except Exception as error:
        raise raised(f"generate(options, {seed}, {bench.seats})", error) from error
    if not isinstance(first, bytes):
        raise Violation(f"generate returned {type(first).__name__}, expected bytes: those of a map file", generate)
    if first != second:
        raise Violation(
            f"generate(options, {seed}, {bench.seats}) makes another map each time",
            generate,
            "take all chance from random.Random(seed); nothing else may differ from call to call",
        )
    _read_twice(bench, MapFile(f"generated with seed {seed}", bench.game.name, first, bench.seats), bench.seats)
    return first
