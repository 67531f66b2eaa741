"""Leagues for tests: a folder with tiny maps, teams that are entered without a check, and games that are really played."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message
from tests.conftest import DUEL, map_text
from tests.fork_server import call_at_exit
from tests.intake.making import TANK_PLUGIN
from tests.own_loop import in_own_thread

from tiltyard_engine.registry import Reference, Registry, Selection
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_intake.exports.roster import parse_roster
from tiltyard_league.database.database import Database
from tiltyard_league.database.rosters import apply_roster
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import make_token
from tiltyard_league.database.versions import CheckReport, add_version, begin_check, end_check
from tiltyard_league.league_file.loading import League, load_league
from tiltyard_league.service.main import Service
from tiltyard_league.service.setup import set_up
from tiltyard_league.submissions.checker import TEAMS, folder_of
from tiltyard_league.submissions.upload import receive_upload
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.executor import InlineExecutor

STUDENTS = "name,id,group\nAnn Ash,0017,Red\nBob Birch,0018,Red\nCid Cedar,0019,Blue\nDot Dogwood,0020,\n"
FILE = """\
title: Course
game: tanks
teams: [acorn, bramble]
maps: [maps/*.txt]
workers: 1
quarantine: 100
analysis: {cpu_seconds: 60}
league:
  uploads-a-day: 500
  join-limit: 1000
"""
THREE = """\
title: Three
game: tanks
players: 3
teams: [acorn, bramble, coyote]
maps: [maps/three.txt]
workers: 1
"""
BAY = """\
title: Bay
game: penguins
players: 4
teams: [penguins-greedy, penguins-random, {team: penguins-greedy, name: second}, {team: penguins-random, name: third}]
maps: [{generate: {count: 1, seed: 1, rows: 5, columns: 5, penguins: 1}}]
workers: 1
quarantine: 100
"""
CLUMSY = """\
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class Clumsy(TurnAlgorithm):
    def __init__(self, seat):
        pass

    def choose(self, position):
        raise RuntimeError("my own mistake")

@hookimpl
def algorithms():
    yield TurnTeam(name="clumsy", game="penguins", create=Clumsy)
"""
STEADY = CLUMSY.replace(
    'raise RuntimeError("my own mistake")',
    """board = position.board()
        if not has_something_to_do(position, board):
            return PASS
        if position.phase == PLACEMENT:
            return Move(next(iter(board.placements())))
        origin, target = next(iter(board.moves(position.player)))
        return Move(target, origin)""",
).replace("\nclass", "\nfrom tiltyard_penguins.positions import PASS, PLACEMENT, Move, has_something_to_do\n\nclass")
IDLE = TANK_PLUGIN.replace("NAME", "idle").replace("ActionRequest.SHOOT", "ActionRequest.DO_NOTHING")
CRASHING = TANK_PLUGIN.replace("NAME", "crashing").replace(
    "return ActionRequest.SHOOT", "print('my secret plan'); raise RuntimeError('my own mistake')"
)


def make_folder(folder: Path, *, maps: int = 2, file: str = FILE) -> Path:
    """The folder of a league that was never started."""
    (folder / "maps").mkdir(parents=True)
    for number in range(maps):
        (folder / "maps" / f"duel{number}.txt").write_text(map_text(DUEL, 20 + number, 5))
    if "three.txt" in file:
        (folder / "maps" / "three.txt").write_text(map_text(("     ", "1 2 3", "     "), 20, 5))
    (folder / "league.yaml").write_text(file)
    return folder


def make_league(folder: Path, *, maps: int = 2, file: str = FILE, students: str = STUDENTS) -> League:
    """A league with its databases and teams."""
    league = load_league(make_folder(folder, maps=maps, file=file))
    set_up(league)
    with Database(folder) as database, database.writing():
        apply_roster(database, parse_roster(students, Path("students.csv")), "test")
    return league


def enter(league: League, team: str, source: str) -> int:
    """Enter a version of a student team as if its check had ended well: an installed team, or the text of a file."""
    folder = league.settings.folder
    data = f"{source} of {team}".encode()
    with receive_upload(folder, len(data), 0) as upload:
        upload.write(data)
    with Database(folder) as database:
        row = find_team(database, team)
        with database.writing():
            number, _ = add_version(
                database, row["id"], upload=upload.digest, name="x.py", size=len(data), member=None, note="", late=False
            )
            version = database.number("SELECT id FROM versions WHERE team = ? AND number = ?", row["id"], number)
            begin_check(database, version)
        reference = _reference(league, version, source)
        report = CheckReport(accepted=True, code=code_digest(reference.source), entry=reference)
        with database.writing():
            end_check(database, version, report)
    return version


def _reference(league: League, version: int, source: str) -> Reference:
    if "\n" not in source:
        return choose(source, ALGORITHM, league.registry, league.tournament.game.name)
    path = folder_of(league.settings.folder, version) / TEAMS / "team.py"
    path.parent.mkdir(parents=True)
    path.write_text(source)
    return choose(str(path), ALGORITHM, _trusting_registry(), league.tournament.game.name)


@cache
def _trusting_registry() -> Registry:
    """It loads a team in this process: to start one that loads it in a cell takes longer than the rest of an entry."""
    return Registry.installed(Selection(), own=OWN_DISTRIBUTIONS)


class KeptExecutor(InlineExecutor):
    """One for all leagues of a test process: what cells are forked from takes longer to start than the games of most tests.

    It stays on no core, and can see what lies in any test's folder.
    """

    def __init__(self) -> None:
        super().__init__()
        self._arena = Arena(readable=(tempfile.gettempdir(),))


@cache
def _executor() -> KeptExecutor:
    executor = KeptExecutor()
    call_at_exit(executor.close)
    return executor


def play(league: League, most: int = 10_000) -> int:
    """Play until there is nothing more to play, or so many games more were played; how many there are then."""
    with closing(Service(league, _executor(), 1)) as service:
        service.begin()
        first = service.games.totals()[0]
        while service.games.totals()[0] < first + most:
            before = service.games.totals()[0]
            service.step(0.0)
            playing = service.playing
            if service.games.totals()[0] == before and not (playing.in_flight or playing.return_games or playing.reruns):
                break
        service.refit()
        return service.games.totals()[0]


_NUMBERS = count()


@dataclass(frozen=True)
class Answer:
    """What the pages answered."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name.lower()), "")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Visitor:
    """Somebody with a browser, or a program with a token; all in this process."""

    app: ASGIApp
    cookies: dict[str, str] = field(default_factory=dict)
    token: str = ""
    host: str = "localhost"

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | Sequence[bytes] = b"",
        headers: Mapping[str, str] | None = None,
        client: str = "",
    ) -> Answer:
        """Ask for a page; each time from an address of its own if none is named, since many requests of one are slowed down."""
        client = client or f"10.0.{'.'.join(map(str, divmod(next(_NUMBERS), 256)))}"
        return in_own_thread(lambda: asyncio.run(self._ask(method, path, body, dict(headers or {}), client)))

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, csrf: str | None = None, headers: Mapping[str, str] | None = None, **fields: str) -> Answer:
        """Send a form as a page of the league does."""
        from urllib.parse import urlencode

        values = {**fields, "csrf": self.csrf() if csrf is None else csrf}
        plain = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": f"http://{self.host}",
            "Sec-Fetch-Site": "same-origin",
        }
        return self.ask("POST", path, urlencode(values).encode(), {**plain, **(headers or {})})

    def csrf(self) -> str:
        page = self.get("/me").text + self.get("/staff").text
        match = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
        return match[1] if match else ""

    def upload(self, data: bytes, name: str = "team.py", **headers: str) -> Answer:
        return self.ask(
            "PUT", "/api/versions", data, {"X-Name": name, **{key.replace("_", "-"): value for key, value in headers.items()}}
        )

    async def _ask(self, method: str, path: str, body: bytes | Sequence[bytes], headers: dict[str, str], client: str) -> Answer:
        plain, _, query = path.partition("?")
        all_headers = {"Host": self.host, **headers}
        if self.cookies:
            all_headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if self.token:
            all_headers["Authorization"] = f"Bearer {self.token}"
        scope = {
            "type": "http",
            # With this version a client that waits for a file says nothing meanwhile.
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": plain,
            "raw_path": plain.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in all_headers.items()],
            "client": (client, 1),
            "server": ("localhost", 80),
        }
        pieces = [body] if isinstance(body, bytes) else list(body)
        coming: list[Message] = [
            {"type": "http.request", "body": piece, "more_body": place < len(pieces) - 1} for place, piece in enumerate(pieces)
        ]
        status, content = 0, b""
        answer_headers: list[tuple[str, str]] = []

        async def receive() -> Message:
            return coming.pop(0) if coming else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal status, content
            if message["type"] == "http.response.start":
                status = message["status"]
                answer_headers.extend((name.decode(), value.decode("latin-1")) for name, value in message["headers"])
            else:
                content += message.get("body", b"")

        await self.app(scope, receive, send)
        for name, value in answer_headers:
            if name == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0].strip('"')
        return Answer(status, answer_headers, content)


def sign_in(app: ASGIApp, folder: Path, team: str | None) -> Visitor:
    """A visitor of a team, or of the staff for None, with a session and, of a team, an upload token."""
    with Database(folder) as database, database.writing():
        number = None if team is None else int(find_team(database, team)["id"])
        session = make_token(database, "session", number)
        token = "" if number is None else make_token(database, "upload", number)
    visitor = Visitor(app, {"tiltyard_session": session})
    visitor.token = token
    return visitor
