"""What the shell offers where a command takes a name: teams, maps, games, formats, matches.

A press of the key must be quick and must do nothing: only the project's own plugins are imported. Of all others the names in their
metadata are offered, and files are the shell's own business, which it offers where nothing here fits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

import typer

from tiltyard_engine.host.completion import NamedHook
from tiltyard_tournaments.cli.working_folder import LEAGUE_FILE, YAML, store_of, tournament_files

Offers: TypeAlias = Iterable[tuple[str, str]]
"""Names, each with a text that some shells show beside it."""
Complete: TypeAlias = Callable[[typer.Context, str], list[tuple[str, str]]]

WORDS: Final = "tiltyard.words"
"""Where a command's context has its words."""
CHECK: Final = "check"
FINALS: Final = "finals"
"""The command whose --format is a tournament's, and not a table's."""
MOST_MATCHES: Final = 1000
SHOWN_KEY: Final = 8


def completer_of(*names: str) -> Complete | None:
    """What completes a command's parameter, if anything does.

    Args:
        names: of an option, such as ``--game``; or of an argument.
    """
    offers = next((OFFERS[name] for name in names if name in OFFERS), None)
    if offers is None:
        return None

    return lambda ctx, incomplete: _fitting(lambda: offers(ctx, incomplete), ctx, incomplete)


def find_names(ctx: typer.Context, hook: NamedHook, game: str, incomplete: str) -> list[tuple[str, str]]:
    """What a plugin's own command offers, as ``tiltyard_engine.host.names_of`` asks for it."""
    return _fitting(lambda: chain(_own(hook, game, incomplete), _others_names() if hook == "algorithms" else ()), ctx, incomplete)


def _fitting(offers: Callable[[], Offers], ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Those that go on with what is written, and that the command doesn't have already."""
    words = _words(ctx)
    try:
        return [offer for offer in offers() if offer[0].startswith(incomplete) and offer[0] not in words]
    except Exception:
        # Whoever presses a key wants no traceback between two words. What is wrong is told when the command runs.
        return []


def _words(ctx: typer.Context) -> tuple[str, ...]:
    """What stands before the word that is completed."""
    words: tuple[str, ...] = ctx.meta.get(WORDS, ())
    return words


# What plugins contribute


def _teams(ctx: typer.Context, incomplete: str) -> Offers:
    yield from _own("algorithms", _game(ctx), incomplete)
    yield from _others_names()


def _checked_team(ctx: typer.Context, incomplete: str) -> Offers:
    # A league's teams are others.
    return _teams(ctx, incomplete) if ctx.info_name == CHECK else ()


def _maps(ctx: typer.Context, incomplete: str) -> Offers:
    return _own("maps", _game(ctx), incomplete)


def _managers(ctx: typer.Context, incomplete: str) -> Offers:
    return _own("game_managers", _game(ctx), incomplete)


def _games(ctx: typer.Context, incomplete: str) -> Offers:
    # Those in which nobody meets anybody are parts of a course's marking.
    return _own("games", None, incomplete, lambda game: game.seats.stop > 2)


def _recipes(ctx: typer.Context, incomplete: str) -> Offers:
    return _own("recipes", None, incomplete)


def _publishers(ctx: typer.Context, incomplete: str) -> Offers:
    return _own("publishers", None, incomplete)


def _plugins(ctx: typer.Context, incomplete: str) -> Offers:
    return [(source.name, source.distribution) for source in _sources()]


def _own(
    hook: str, game: str | None, incomplete: str, accepts: Callable[[Any], bool] = lambda record: True
) -> Iterator[tuple[str, str]]:
    """The records of the project's own plugins for one hook; of those with a game only those for ``game``, if it is known."""
    from tiltyard_engine.registry.checks import game_of
    from tiltyard_engine.registry.loading import load_source
    from tiltyard_engine.registry.sources import is_of
    from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

    names: set[str] = set()
    for source in _sources():
        if not is_of(source, OWN_DISTRIBUTIONS):
            continue
        for record in load_source(source, (hook,)).records:
            family, slash, _ = game_of(record).partition("/")
            if slash and not (game or incomplete).startswith(family):
                # A family may have a hundred games: they are offered only to those who have begun its name.
                continue
            if game_of(record) in ("", game or game_of(record)) and record.name not in names and accepts(record):
                names.add(record.name)
                yield record.name, str(getattr(record, "description", "") or game_of(record))


def _others_names() -> Iterator[tuple[str, str]]:
    """The names under which other distributions are installed: a team's is its own by custom."""
    from tiltyard_engine.registry.sources import is_of
    from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

    for source in _sources():
        if not (source.error or is_of(source, OWN_DISTRIBUTIONS)):
            yield source.name, source.distribution


def _sources() -> Sequence[Any]:
    from tiltyard_engine.registry.registry import Selection
    from tiltyard_engine.registry.sources import installed_sources
    from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

    selection = Selection.from_environment()
    return [source for source in installed_sources(own=OWN_DISTRIBUTIONS) if not selection.refusal(source)]


def _game(ctx: typer.Context) -> str | None:
    """The game of the command so far: the one that is named, or else the only one that all the named teams play."""
    names = _words(ctx)
    for option, value in pairwise(names):
        if option in ("--game", "-g"):
            return value
    from tiltyard_engine.registry.checks import game_of
    from tiltyard_engine.registry.loading import load_source
    from tiltyard_engine.registry.sources import is_of
    from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

    games: set[str] = set()
    for source in _sources() if names else ():
        if is_of(source, OWN_DISTRIBUTIONS):
            games |= {game_of(record) for record in load_source(source, ("algorithms",)).records if record.name in names}
    return games.pop() if len(games) == 1 else None


# What files tell


def _tournament_files(ctx: typer.Context, incomplete: str) -> Offers:
    return [(str(path), "a tournament") for path in tournament_files(_folder_of(incomplete))]


def _teams_or_files(ctx: typer.Context, incomplete: str) -> Offers:
    yield from _tournament_files(ctx, incomplete)
    yield from _teams(ctx, incomplete)


def _folder_of(incomplete: str) -> Path:
    """The folder in which a path that was begun goes on: ``cups/`` and ``cups/spr`` in ``cups``."""
    return Path(incomplete.rpartition("/")[0] or ("/" if incomplete.startswith("/") else "."))


def _leagues(ctx: typer.Context, incomplete: str) -> Offers:
    return [(str(path.parent), "a league") for path in sorted(_folder_of(incomplete).glob(f"*/{LEAGUE_FILE}"))]


def _matches(ctx: typer.Context, incomplete: str) -> Offers:
    """Keys of a tournament's games: their numbers are known only to who reads all of the tournament file."""
    import sqlite3

    stores = (store_of(Path(word)) for word in _words(ctx) if word.endswith(YAML))
    store = next(filter(None, stores), None)
    if store is None:
        return []
    try:
        with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT key, teams, map FROM matches ORDER BY map, teams LIMIT ?", (MOST_MATCHES,)).fetchall()
    except sqlite3.Error:
        return []
    return [(key[:SHOWN_KEY], f"{', '.join(json.loads(teams))} on {game_map}") for key, teams, game_map in rows]


# What is always the same


def _table_formats(ctx: typer.Context, incomplete: str) -> Offers:
    if ctx.info_name == FINALS:
        return _own("formats", None, incomplete)
    from tiltyard_simulator.output.tables import FORMATS

    return [(name, "") for name in FORMATS]


def _tables(ctx: typer.Context, incomplete: str) -> Offers:
    from tiltyard_tournaments.ratings import beyond_ratings
    from tiltyard_tournaments.running.tables import TABLES

    return [(name, "") for name in (*TABLES, *getattr(beyond_ratings(), "TABLES", ()))]


OFFERS: Final[Mapping[str, Callable[[typer.Context, str], Offers]]] = {
    "algorithms": _teams,
    "algorithm1": _teams,
    "algorithm2": _teams,
    "team": _checked_team,
    "--against": _teams,
    "what": _teams_or_files,
    "--maps": _maps,
    "game_map": _maps,
    "--map": _maps,
    "--manager": _managers,
    "managers": _managers,
    "--game": _games,
    "--recipe": _recipes,
    "--publisher": _publishers,
    "--format": _table_formats,
    "--table": _tables,
    "--match": _matches,
    "--block": _plugins,
    "--only": _plugins,
    "file": _tournament_files,
    "folder": _leagues,
}
"""By the name of an option, or of an argument."""
