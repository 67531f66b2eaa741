"""Pages of single games: what came of one, why, and its replay in the viewer of the site."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from starlette.responses import Response

from tiltyard_checks.faults.fault_kits import without_paths
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.replay import Replay
from tiltyard_league.database.games import LeagueGame
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.assets import asset
from tiltyard_league.web.http.context import App, Context, missing, whole_number
from tiltyard_league.web.pages.lost_games import answered_places, asked_about
from tiltyard_league.web.pages.share_pictures import CAN_DRAW, picture_path, share_picture
from tiltyard_league.web.pages.tables import GameView, game_views
from tiltyard_simulator.match.spec import MatchInput
from tiltyard_site.pages.labels import harmless
from tiltyard_site.pages.match_scripts import CHUNK, Listed, chunks, list_value, without_words
from tiltyard_site.pages.replay_scripts import packed_replay, replay_problem, replays_script, script
from tiltyard_site.web.answers import TYPES, marked_answer
from tiltyard_tournaments.store import Store, StoredMatch

LONGEST_OUTPUT: Final = 16_000
NEAR: Final = 20
"""How many games before and after a game are looked at for one that the visitor may see."""
LONGEST_LIST: Final = 1000
"""Games in the list from which the viewer offers one to compare with."""
PUBLIC: Final = (Path("/usr"), Path("/usr/local"))
"""Where Python lies on most machines: nothing that has to be kept back."""
MOST_TWINS: Final = 8
"""Links from a game of more than two to others of the same versions on the same map."""
HIDDEN: Final = frozenset({"faults", "output"})
"""What of a game only its own team sees."""


def game_of(context: Context) -> LeagueGame:
    """The game of an address, if this visitor may see it.

    Raises:
        RefusedError: there is none, or it is still kept back.
    """
    game = context.games.game(whole_number(str(context.request.path_params["place"])))
    if game is None or not _may_see(context, game):
        raise missing("game")
    return game


def _may_see(context: Context, game: LeagueGame) -> bool:
    if not context.until or game.ended_at <= context.until:
        return True
    return bool(own_seats(context, game))


def own_seats(context: Context, game: LeagueGame) -> list[int]:
    """The seats of the visitor's team; the staff's are all."""
    if context.is_staff:
        return list(range(1, len(game.versions) + 1))
    names = context.version_labels(set(game.versions))
    return [seat for seat, version in enumerate(game.versions, start=1) if names[version]["own"]]


def stored(app: App, game: LeagueGame) -> StoredMatch:
    """The match of a game.

    Raises:
        RefusedError: it isn't kept, or the machine didn't let it end.
    """
    match, _ = result_of(app, game)
    if match is None:
        raise missing("game")
    return match


def result_of(app: App, game: LeagueGame) -> tuple[StoredMatch | None, MatchRecord]:
    """The match of a game, and what came of it; without the match if the machine didn't let it end.

    Raises:
        RefusedError: it isn't kept.
    """
    with Store(app.settings.results, writable=False) as store:
        match = store.match(game.key)
        record = match.record if match is not None else store.ended(game.key)
    if record is None:
        raise missing("game")
    return match, record


def hidden_paths(context: Context, match: MatchInput) -> list[Path]:
    """The folders of this machine of which teams are told nothing: those of the code, of the league and of Python."""
    league = context.app.folder
    code = [Path(team.source.folder or team.source.value) for team in match.teams if team.source.origin is not Origin.INSTALLED]
    paths = [*(path.parent for path in code if path.is_absolute()), league.absolute(), league.resolve()]
    paths += [prefix for prefix in map(Path, (sys.prefix, sys.base_prefix)) if prefix not in PUBLIC]
    return [path for path in paths if path.name]


def game(context: Context) -> Response:
    """A game: who met whom, how it ended and, for the own team, why."""
    league_game = game_of(context)
    view = game_views(context, [league_game], context.team)[0]
    match, record = result_of(context.app, league_game)
    seats = own_seats(context, league_game)
    hide = [] if match is None else hidden_paths(context, match.spec.input)
    faults = [
        {
            "side": view.sides[fault.seat - 1],
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
        (view.sides[seat - 1], harmless(without_paths(text.decode("utf-8", "replace"), hide)[-LONGEST_OUTPUT:]))
        for seat in seats
        if seat <= len(record.evidence.accounts) and (text := record.evidence.accounts[seat - 1].output)
    ]
    twins = [each for each in context.games.of_fixture(league_game) if _may_see(context, each)]
    near = [
        each.place
        for each in context.games.games(range(max(1, league_game.place - NEAR), league_game.place + NEAR + 1))
        if _may_see(context, each)
    ]
    return context.page(
        "game.html",
        before=max((place for place in near if place < league_game.place), default=0),
        after=min((place for place in near if place > league_game.place), default=0),
        page="game",
        shown=view,
        game=league_game,
        record=record,
        # Of more, it has the names that their programs give themselves.
        message=league_game.message if len(view.sides) == 2 else "",
        scores=record.outcome.scores,
        keys=context.app.settings.keys,
        faults=faults,
        outputs=outputs,
        has_replay=match is not None and match.has_replay,
        try_at=try_at(context),
        picture=context.absolute(picture_path(league_game)) if match is not None and match.has_replay and CAN_DRAW else "",
        address=context.absolute(f"/games/{league_game.place}"),
        has_kit=any(fault["own"] for fault in faults),
        # A game that was asked for has all rated ones beside it.
        twins=twins[: 1 if context.app.settings.players == 2 else MOST_TWINS],
        seats=seats,
        asked=asked_about(context, league_game, seats, view.sides) if match is not None and match.has_replay else [],
        why_void=_why_void(context, league_game) if league_game.voided and seats else "",
    )


def _why_void(context: Context, league_game: LeagueGame) -> str:
    """The reason that staff gave when they let a game count for nobody."""
    query = "SELECT why FROM overrides WHERE key = ? AND what = 'void' ORDER BY id DESC LIMIT 1"
    row = context.database.row(query, league_game.key)
    return "" if row is None else str(row["why"])


# The viewer of the site, and the scripts that it loads


def viewer(context: Context) -> Response:
    """The page with the replay of #match=NUMBER, or two side by side."""
    return context.page("match.html", page="match", try_at=try_at(context))


def try_at(context: Context) -> str:
    """Where this visitor may try other answers in a replay; empty: nowhere."""
    return context.path("/play/try/") if context.team and context.app.settings.keys.play else ""


def all_games(context: Context) -> Response:
    """The address that the viewer has for the list of games."""
    return context.go("/games/")


def data(context: Context) -> Response:
    """A script with data for the viewer."""
    name = str(context.request.path_params["name"])
    if name == "theme":
        return _script(context, context.app.theme())
    if name == "games":
        views = game_views(context, context.games.last(LONGEST_LIST, until=context.until), context.team)
        rows = [Listed(each.game.place, _short(each), "", str(each.game.place)) for each in views]
        return _script(context, script("games", list_value(rows, _slugs(views))))
    number = name.removeprefix("matches-")
    if number == name or not (number.isascii() and number.isdigit() and len(number) < 12):
        raise missing("data")
    first = int(number) * CHUNK
    games = [game for game in context.games.games(range(first, first + CHUNK)) if _may_see(context, game)]
    views = game_views(context, games, context.team)
    rows = []
    with Store(context.app.settings.results, writable=False) as store:
        for each in views:
            match = store.match(each.game.key)
            if match is not None:
                outcome = replace(match.record.outcome, teams=labels(each), place=each.game.place)
                files = str(each.game.place) if match.has_replay else ""
                rows.append(Listed(each.game.place, outcome, files, files))
    explained = {place for place, _ in answered_places(context, games)}
    value = next((make() for _, make in chunks(rows, _slugs(views), HIDDEN, explained)), {})
    return _script(context, script(f"matches-{number}", value))


def replay(context: Context) -> Response:
    """A replay as a script, under the names that this visitor may see."""
    league_game = game_of(context)
    name = str(league_game.place)
    return _script(context, replays_script(name, {name: packed_replay(shown_replay(context, league_game))}))


def shown_replay(context: Context, league_game: LeagueGame) -> Replay:
    """The replay of a game under the names that this visitor may see.

    Raises:
        RefusedError: it has none, or none that can be shown.
    """
    view = game_views(context, [league_game], context.team)[0]
    with Store(context.app.settings.results, writable=False) as store:
        stored_replay = store.replay(league_game.key)
        record = store.ended(league_game.key) if league_game.fault else None
    if stored_replay is None or replay_problem(stored_replay):
        raise missing("replay")
    names = labels(view)
    renamed = replace(stored_replay, seats=names, title=f"{' : '.join(names)} on {league_game.map}")
    if league_game.fault or len(names) > 2:
        renamed = replace(renamed, message="")
    if record is not None:
        # That is for its own team.
        renamed = replace(renamed, frames=[without_words(frame, record.outcome.faults) for frame in renamed.frames])
    return renamed


def picture(context: Context) -> Response:
    """The last turn of a game, for whoever shows a preview of a link to it."""
    content = share_picture(shown_replay(context, game_of(context)), context.app.theme())
    if content is None:
        raise missing("picture")
    return marked_answer(context.etag, content, TYPES[".png"])


def labels(view: GameView) -> tuple[str, ...]:
    """What the teams of a game are called where they must be told apart by their names."""
    names: list[str] = []
    for side in view.sides:
        # The same version of a team may sit on both seats of a game that was asked for.
        names.append(f"{side['label']} ({len(names) + 1})" if side["label"] in names else str(side["label"]))
    return tuple(names)


def _slugs(views: list[GameView]) -> dict[str, str]:
    slugs: dict[str, str] = {}
    for each in views:
        for label, side in zip(labels(each), each.sides, strict=True):
            slugs[label] = str(side["slug"])
    return slugs


def _short(each: GameView) -> Outcome:
    """An outcome of what the list of games shows."""
    game = each.game
    return Outcome(teams=labels(each), map=game.map, winner=game.winner, ranks=(1,) * len(game.versions), place=game.place)


def _script(context: Context, content: bytes) -> Response:
    return marked_answer(context.etag, content, TYPES[".js"])


def hall_value(view: GameView) -> dict[str, Any]:
    """A game in a few words, for the page that asks for news: for a hall, a GameManager's sentence is too long."""
    return {
        "id": view.game.place,
        "teams": [view.sides[seat - 1]["label"] for seat in view.hall_seats],
        "map": view.game.map,
        "winner": view.game.winner and view.hall_seats.index(view.game.winner) + 1,
        "score": view.score,
        "why": view.why if view.game.fault else "",
    }


PAGES: Final = (
    Page("/games/{place}", "public", game, is_cached=True),
    Page("/games/{place}/picture.png", "public", picture, is_cached=True),
    Page("/match.html", "public", viewer),
    Page("/matches.html", "public", all_games),
    Page("/assets/{name}", "public", asset),
    Page("/data/{name}.js", "public", data, is_cached=True),
    Page("/replays/{place}.js", "public", replay, is_cached=True),
)
