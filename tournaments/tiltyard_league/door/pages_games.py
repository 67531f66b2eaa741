"""Pages of single games: what came of one, why, and its replay in the viewer of the site."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from starlette.responses import Response

from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry.sources import Origin
from tiltyard_league.door.assets import asset, tagged
from tiltyard_league.door.gate import Page
from tiltyard_league.door.tables import ShownGame, shown_games
from tiltyard_league.door.visit import Door, Visit, missing, whole_number
from tiltyard_league.records.games import Game
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.fault_kits import without_paths
from tiltyard_tournaments.site.http import TYPES
from tiltyard_tournaments.site.labels import harmless
from tiltyard_tournaments.site.match_scripts import CHUNK, Listed, chunks, list_value
from tiltyard_tournaments.site.replay_scripts import encode, replay_problem, script
from tiltyard_tournaments.store import Store, StoredMatch

LONGEST_OUTPUT: Final = 16_000
LISTED: Final = 1000
"""Games in the list from which the viewer offers one to compare with."""
PUBLIC: Final = (Path("/usr"), Path("/usr/local"))
"""Where Python lies on most machines: nothing that has to be kept back."""
HIDDEN: Final = frozenset({"faults", "output"})
"""What of a game only its own team sees."""


def game_of(visit: Visit) -> Game:
    """The game of an address, if this visitor may see it.

    Raises:
        RefusedError: there is none, or it is still kept back.
    """
    game = visit.games.game(whole_number(str(visit.request.path_params["place"])))
    if game is None or not _may_see(visit, game):
        raise missing("game")
    return game


def _may_see(visit: Visit, game: Game) -> bool:
    if not visit.until or game.ended_at <= visit.until:
        return True
    return bool(own_seats(visit, game))


def own_seats(visit: Visit, game: Game) -> list[int]:
    """The seats of the visitor's team; the staff's are all."""
    if visit.is_staff:
        return [1, 2]
    names = visit.shown(set(game.versions))
    return [seat for seat, version in enumerate(game.versions, start=1) if names[version]["own"]]


def stored(door: Door, game: Game) -> StoredMatch:
    """The match of a game.

    Raises:
        RefusedError: it isn't kept, or the machine didn't let it end.
    """
    match, _ = ended(door, game)
    if match is None:
        raise missing("game")
    return match


def ended(door: Door, game: Game) -> tuple[StoredMatch | None, MatchRecord]:
    """The match of a game, and what came of it; without the match if the machine didn't let it end.

    Raises:
        RefusedError: it isn't kept.
    """
    with Store(door.settings.results, writable=False) as store:
        match = store.match(game.key)
        record = match.record if match is not None else store.ended(game.key)
    if record is None:
        raise missing("game")
    return match, record


def hidden_paths(visit: Visit, spec: MatchSpec) -> list[Path]:
    """The folders of this machine of which teams are told nothing: those of the code, of the league and of Python."""
    league = visit.door.folder
    code = [Path(team.source.folder or team.source.value) for team in spec.algorithms if team.source.origin is not Origin.INSTALLED]
    found = [*(path.parent for path in code if path.is_absolute()), league.absolute(), league.resolve()]
    found += [prefix for prefix in map(Path, (sys.prefix, sys.base_prefix)) if prefix not in PUBLIC]
    return [path for path in found if path.name]


def game(visit: Visit) -> Response:
    """A game: who met whom, how it ended and, for the own team, why."""
    found = game_of(visit)
    shown = shown_games(visit, [found], visit.team)[0]
    match, record = ended(visit.door, found)
    seats = own_seats(visit, found)
    hide = [] if match is None else hidden_paths(visit, match.spec)
    faults = [
        {
            "side": shown.sides[fault.seat - 1],
            "kind": fault.termination.value,
            "round": fault.round,
            "message": harmless(without_paths(fault.message, hide), 2000) if fault.seat in seats else "",
            "traceback": harmless(without_paths(fault.traceback, hide), LONGEST_OUTPUT) if fault.seat in seats else "",
            "own": fault.seat in seats,
        }
        for fault in record.outcome.faults
        if fault.seat
    ]
    outputs = [
        (shown.sides[seat - 1], harmless(without_paths(printed.decode("utf-8", "replace"), hide)[-LONGEST_OUTPUT:]))
        for seat in seats
        if seat <= len(record.evidence.accounts) and (printed := record.evidence.accounts[seat - 1].output)
    ]
    twin = next(
        (
            each
            for each in visit.games.between(*found.versions)
            if each.map == found.map and each.place != found.place and _may_see(visit, each)
        ),
        None,
    )
    return visit.page(
        "game.html",
        page="game",
        shown=shown,
        game=found,
        record=record,
        message=found.message,
        keys=visit.door.settings.keys,
        faults=faults,
        outputs=outputs,
        has_replay=match is not None and match.has_replay,
        has_kit=any(fault["own"] for fault in faults),
        twin=twin,
        seats=seats,
        why_void=_why_void(visit, found) if found.voided and seats else "",
    )


def _why_void(visit: Visit, found: Game) -> str:
    """The reason that staff gave when they let a game count for nobody."""
    query = "SELECT why FROM overrides WHERE key = ? AND what = 'void' ORDER BY id DESC LIMIT 1"
    row = visit.database.row(query, found.key)
    return "" if row is None else str(row["why"])


# The viewer of the site, and the scripts that it loads


def viewer(visit: Visit) -> Response:
    """The page with the replay of #match=NUMBER, or two side by side."""
    return visit.page("match.html", page="match")


def all_games(visit: Visit) -> Response:
    """The address that the viewer has for the list of games."""
    return visit.go("/games/")


def data(visit: Visit) -> Response:
    """A script with data for the viewer."""
    name = str(visit.request.path_params["name"])
    if name == "theme":
        return _script(visit, visit.door.theme())
    if name == "games":
        shown = shown_games(visit, visit.games.last(LISTED, until=visit.until), visit.team)
        listed = [Listed(each.game.place, _short(each), "", True) for each in shown]
        return _script(visit, script("games", list_value(listed, _slugs(shown))))
    number = name.removeprefix("matches-")
    if number == name or not (number.isascii() and number.isdigit() and len(number) < 12):
        raise missing("data")
    first = int(number) * CHUNK
    games = [game for game in visit.games.games(range(first, first + CHUNK)) if _may_see(visit, game)]
    shown = shown_games(visit, games, visit.team)
    listed = []
    with Store(visit.door.settings.results, writable=False) as store:
        for each in shown:
            match = store.match(each.game.key)
            if match is not None:
                named = replace(match.record.outcome, teams=labels(each), place=each.game.place)
                listed.append(Listed(each.game.place, named, f"{each.game.place}" if match.has_replay else "", match.has_replay))
    value = next((make() for _, make in chunks(listed, _slugs(shown), HIDDEN)), {})
    return _script(visit, script(f"matches-{number}", value))


def replay(visit: Visit) -> Response:
    """A replay as a script, under the names that this visitor may see."""
    found = game_of(visit)
    shown = shown_games(visit, [found], visit.team)[0]
    with Store(visit.door.settings.results, writable=False) as store:
        kept = store.replay(found.key)
    if kept is None or replay_problem(kept):
        raise missing("replay")
    names = labels(shown)
    renamed = replace(kept, seats=names, title=f"{' : '.join(names)} on {found.map}")
    if found.fault:
        renamed = replace(renamed, message="")
    return _script(visit, script(f"replays/{found.place}", encode(renamed)))


def labels(shown: ShownGame) -> tuple[str, ...]:
    """What the teams of a game are called where they must be told apart by their names."""
    one, other = (str(side["label"]) for side in shown.sides)
    # The same version of a team may sit on both seats of a game that was asked for.
    return (one, other) if one != other else (one, f"{other} (2)")


def _slugs(shown: list[ShownGame]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in shown:
        for label, side in zip(labels(each), each.sides, strict=True):
            found[label] = str(side["slug"])
    return found


def _short(each: ShownGame) -> Outcome:
    """An outcome of what the list of games shows."""
    game = each.game
    return Outcome(teams=labels(each), map=game.map, winner=game.winner, ranks=(1, 1), place=game.place)


def _script(visit: Visit, content: bytes) -> Response:
    return tagged(visit, content, TYPES[".js"])


def shown_value(shown: ShownGame) -> dict[str, Any]:
    """A game in a few words, for the page that asks for news: for a hall, a GameManager's sentence is too long."""
    return {
        "id": shown.game.place,
        "teams": [side["label"] for side in shown.sides],
        "map": shown.game.map,
        "winner": shown.game.winner,
        "score": shown.score,
        "why": shown.why if shown.game.fault else "",
    }


PAGES: Final = (
    Page("/games/{place}", "public", game, is_kept=True),
    Page("/match.html", "public", viewer),
    Page("/matches.html", "public", all_games),
    Page("/assets/{name}", "public", asset),
    Page("/data/{name}.js", "public", data, is_kept=True),
    Page("/replays/{place}.js", "public", replay, is_kept=True),
)
