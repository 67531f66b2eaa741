"""The routes: what they answer, whom they refuse, and how much each visitor may use."""

from __future__ import annotations

import http.client
import json
import zlib
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pytest
from tests.web_play.conftest import MakeVenue, Serve, asked, questions, texts

from tiltyard_engine.errors import UserError
from tiltyard_simulator.replays.encoding import decode
from tiltyard_site.web.answers import HEADERS
from tiltyard_web_play.app import play_routes
from tiltyard_web_play.lobby import Lobby, LobbyLimits
from tiltyard_web_play.orders import BusyError
from tiltyard_web_play.table import GameTableOptions
from tiltyard_web_play.venue import PERSON

JSON = {"Content-Type": "application/json"}
GAME = {"names": [PERSON, "four-random"], "seat": 1, "map": "standard"}


class Client:
    """Asks a server."""

    def __init__(self, port: int) -> None:
        self._port = port

    def ask(self, path: str, body: object = None, method: str = "", **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method or ("GET" if data is None else "POST"), path, data, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def send(self, path: str, body: object) -> tuple[int, Any]:
        status, _, content = self.ask(path, body, **JSON)
        return status, json.loads(content)


@pytest.fixture
def connect(serve: Serve) -> Callable[[Lobby], Client]:
    """A client of a lobby that is served."""
    return lambda lobby: Client(int(serve(lobby).split(":")[2].split("/")[0]))


def test_a_whole_game_by_the_routes(make_venue: MakeVenue, connect: Callable[[Lobby], Client]) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"))
    client = connect(lobby)
    status, headers, page = client.ask("/play/")
    assert status == 200
    assert b'"assets/play.js"' in page
    assert headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert client.ask("/")[1]["Location"] == "/play/"
    about = json.loads(client.ask("/play/lobby")[2])
    assert (about["opponents"], about["maps"], about["seats"]) == (["four-random"], ["standard"], 2)
    status, said = client.send("/play/tables", GAME)
    assert status == 200
    name = said["table"]
    for question in questions(lobby.find(name)):
        state = json.loads(client.ask(f"/play/tables/{name}")[2])
        assert state["question"]["number"] == question.number
        board = decode(zlib.decompress(b64decode(state["board"])), "board")
        assert (board.width, board.height, board.frames) == (7, 6, [])
        status, said = client.send(f"/play/tables/{name}/answer", {"question": question.number, "answers": [texts(question)[0]]})
        assert (status, said) == (200, {})
    lobby.find(name).join(60)
    state = json.loads(client.ask(f"/play/tables/{name}")[2])
    assert "won with four in a line" in state["result"]["message"]
    assert state["question"] is None
    status, headers, content = client.ask(f"/play/tables/{name}/replay")
    assert (status, headers["Content-Disposition"]) == (200, 'attachment; filename="connect-four.replay"')
    assert decode(content, "replay").message == state["result"]["message"]


def test_every_route_that_changes_something_takes_only_what_the_page_sends(
    make_venue: MakeVenue, connect: Callable[[Lobby], Client]
) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"))
    client = connect(lobby)
    changing = [
        route.path.replace("{table}", "x").replace("{action}", "answer")
        for route in play_routes(lobby)
        if "POST" in (route.methods or ())
    ]
    assert len(changing) == 2
    for path in changing:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert client.ask(path, b"a=b", **form)[0] == 403
        assert client.ask(path, b"{}", **{"Content-Type": "text/plain"})[0] == 403
        assert client.ask(path, {}, **JSON, **{"Sec-Fetch-Site": "cross-site"})[0] == 403
        assert client.ask(path, {}, **JSON, Origin="http://elsewhere.example")[0] == 403
        assert client.ask(path, b"x" * 30_000, **JSON)[0] == 413
        assert client.ask(path, b"[" * 10_000, **JSON)[0] == 400
        assert client.ask(path, b"[]", **JSON)[0] == 400
        assert client.ask(path)[0] in (404, 405)
    assert client.ask("/play/lobby", Host="elsewhere.example")[0] == 421


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("tables", {"names": "you"}, "names: expected a list"),
        ("tables", {"names": [PERSON, "four-random"], "seat": "1", "map": "standard"}, "seat and map"),
        (
            "tables",
            {"names": [PERSON, "acorn"], "seat": 1, "map": "standard"},
            "'acorn' doesn't play here; expected one of four-random",
        ),
        ("tables", {"names": [PERSON, "four-random"], "seat": 1, "map": "/etc/passwd"}, "is no map here; expected one of standard"),
        ("tables", {"names": ["four-random", "four-random"], "seat": 1, "map": "standard"}, "one seat is yours"),
        ("tables", {"names": [PERSON, PERSON], "seat": 1, "map": "standard"}, "one seat is yours"),
        ("tables", {"names": [PERSON] + ["four-random"] * 8, "seat": 1, "map": "standard"}, "connect-four"),
        ("tables/nobody/answer", {"question": 1, "answers": ["column 1"]}, "no longer here"),
        ("tables/nobody/dance", {"question": 1}, "no longer here"),
    ],
)
def test_what_cannot_be_is_refused(
    make_venue: MakeVenue, connect: Callable[[Lobby], Client], path: str, body: object, message: str
) -> None:
    status, said = connect(Lobby(make_venue("connect-four", "four-random"))).send(f"/play/{path}", body)
    assert status == 409
    assert message in said["error"]


def test_a_table_refuses_what_is_no_action(make_venue: MakeVenue, connect: Callable[[Lobby], Client]) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"))
    client = connect(lobby)
    name = client.send("/play/tables", GAME)[1]["table"]
    asked(lobby.find(name), 1)
    assert client.send(f"/play/tables/{name}/dance", {"question": 1})[1]["error"] == "'dance': expected answer, undo or resign"
    assert "expected the number" in client.send(f"/play/tables/{name}/answer", {})[1]["error"]
    assert "a list of texts" in client.send(f"/play/tables/{name}/answer", {"question": 1, "answers": [1]})[1]["error"]
    assert "no move of yours" in client.send(f"/play/tables/{name}/undo", {"question": 1})[1]["error"]
    assert client.ask(f"/play/tables/{name}/replay")[0] == 404
    assert client.ask("/play/tables/nobody")[0] == 404
    assert client.ask("/play/assets/../app.py")[0] == 404
    assert client.send(f"/play/tables/{name}/resign", {"question": 1}) == (200, {})


def test_one_game_at_a_time_from_an_address_and_few_in_all(make_venue: MakeVenue, lobbies: list[Lobby]) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"), limits=LobbyLimits(most_tables=2))
    lobbies.append(lobby)
    names = (PERSON, "four-random")
    first = lobby.open("192.0.2.1", names, 1, "standard")
    with pytest.raises(BusyError, match="from your address already"):
        lobby.open("192.0.2.1", names, 1, "standard")
    lobby.open("192.0.2.2", names, 1, "standard")
    with pytest.raises(BusyError, match="all 2 tables are taken"):
        lobby.open("192.0.2.3", names, 1, "standard")
    table = lobby.find(first)
    asked(table, 1)
    table.resign(1)
    table.join(60)
    lobby.open("192.0.2.1", names, 1, "standard")


def test_a_new_game_of_ones_own_ends_the_one_before(make_venue: MakeVenue, lobbies: list[Lobby]) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"), replaces=True)
    lobbies.append(lobby)
    names = (PERSON, "four-random")
    first = lobby.find(lobby.open("here", names, 1, "standard"))
    asked(first, 1)
    second = lobby.find(lobby.open("here", names, 1, "standard"))
    first.join(60)
    assert first.look()[4] == "the game was ended"
    asked(second, 1)


def test_what_the_machine_works_for_an_address_is_bounded(make_venue: MakeVenue, lobbies: list[Lobby]) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"), limits=LobbyLimits(most_an_address=0, machine_seconds=1e-6))
    lobbies.append(lobby)
    names = (PERSON, "four-random")
    table = lobby.find(lobby.open("192.0.2.1", names, 1, "standard"))
    asked(table, 1)
    busy = table.busy_seconds
    assert busy > 0
    assert table.busy_seconds == busy, "waiting for a person is no work"
    with pytest.raises(BusyError, match="of CPU time; try again later"):
        lobby.open("192.0.2.1", names, 1, "standard")
    lobby.open("192.0.2.2", names, 1, "standard")


def test_old_games_are_forgotten(make_venue: MakeVenue, lobbies: list[Lobby]) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"), GameTableOptions(idle_seconds=0.01), LobbyLimits(kept_tables=1))
    lobbies.append(lobby)
    opened = []
    for _ in range(4):
        opened.append(lobby.open("192.0.2.1", (PERSON, "four-random"), 1, "standard"))
        lobby.find(opened[-1]).join(60)
    with pytest.raises(UserError, match="no longer here"):
        lobby.find(opened[0])
    assert lobby.find(opened[-1]).is_over


def test_a_stopped_server_begins_no_game(make_venue: MakeVenue) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"))
    lobby.close()
    with pytest.raises(BusyError, match="being stopped"):
        lobby.open("here", (PERSON, "four-random"), 1, "standard")
