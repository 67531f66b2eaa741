"""``tiltyard hand-in`` in this process, with the pages of a league at a real address, and with servers that are none."""

from __future__ import annotations

import getpass
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.league.made_league import CLUMSY, FILE, make_folder
from tests.league.serving import served
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_league.cli import hand_in as command
from tiltyard_league.cli import league_client
from tiltyard_league.cli.league_client import LeagueClient, address_of
from tiltyard_league.cli.packing import pack
from tiltyard_league.database import staff
from tiltyard_league.database.database import Database, make_database
from tiltyard_league.database.teams import add_team
from tiltyard_league.database.tokens import make_token, revoke
from tiltyard_league.database.versions import newest_of
from tiltyard_league.league_file.loading import read_settings
from tiltyard_league.submissions.sizes import shown_size
from tiltyard_league.web.app import make_app

UPLOADS = 3


class Place:
    """A league without a service: what is handed in waits for ever."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address

    def token(self) -> str:
        """A new token, in the place of all others."""
        with Database(self.folder) as database, database.writing():
            revoke(database, 1, "upload")
            return make_token(database, "upload", 1)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    file = FILE.replace("500", str(UPLOADS)) + "  largest-upload: 2000\n"
    folder = make_folder(tmp_path_factory.mktemp("league") / "course", file=file)
    make_database(folder)
    with Database(folder) as database, database.writing():
        add_team(database, "Red")
    with served(make_app(read_settings(folder))) as address:
        yield Place(folder, address)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where tokens are kept; nobody is there to be asked for one."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(command.TOKEN_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    return tmp_path / "config" / "tiltyard" / command.TOKENS


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Somebody who types this when asked for a token."""

    def typed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
        monkeypatch.setattr(getpass, "getpass", lambda prompt: text)

    return typed


@contextmanager
def scripted(*answers: tuple[int, str | dict[str, Any], str]) -> Iterator[str]:
    """The address of a server that gives these answers one after the other: a status (0: none at all), a body, a place to go to."""
    left = list(answers)

    class Scripted(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body, location = left.pop(0)
            if not status:
                return
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            if location:
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Scripted) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
    assert not left


def hands_in(place: Place, work: Path) -> str:
    """What the command prints."""
    result = CliRunner().invoke(command.app, [str(work), "--to", place.address, "--no-check", "--no-wait"])
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_a_folder_is_packed_without_what_tools_make_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "thunder"
    for name in ("player.py", "data/map.txt", "bin/run", ".git/HEAD", "data/.DS_Store", "__pycache__/player.pyc", "data/obj/a.o"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "elsewhere").symlink_to(tmp_path)
    hollow = tmp_path / "obj"
    hollow.mkdir()
    (hollow / ".hidden").write_text("")
    packed = pack(folder)
    assert (packed.name, packed.files) == ("thunder.zip", 2)
    assert sorted(packed.left_out) == [".git/", "bin/", "data/.DS_Store", "data/obj/", "elsewhere/"]
    assert packed.data == pack(folder).data
    single = pack(folder / "player.py")
    assert (single.data, single.name, single.files) == (b"player.py", "player.py", 0)
    with pytest.raises(UserError, match=r"obj: contains no files except \.hidden, which would be left out"):
        pack(hollow)


def test_sizes_are_rounded_up() -> None:
    assert [shown_size(size) for size in (1, 999, 1000, 1001, 999_001, 5_000_000, 5_000_001, 12_345_678)] == [
        *("1 byte", "999 bytes", "1 kB", "2 kB", "1000 kB", "5 MB", "5.1 MB", "12.4 MB")
    ]


@pytest.mark.parametrize(
    ("to", "address", "token"),
    [
        ("https://league.example.edu/", "https://league.example.edu", ""),
        ("https://example.edu/2026/join/abc/", "https://example.edu/2026", "abc"),
        (" https://example.edu/2026/me/versions/3?x#y", "https://example.edu/2026", ""),
        ("http://localhost:8000/me", "http://localhost:8000", ""),
        ("https://example.edu/media", "https://example.edu/media", ""),
    ],
)
def test_addresses_are_taken_as_people_copy_them(to: str, address: str, token: str) -> None:
    assert address_of(to) == (address, token)


@pytest.mark.parametrize("to", ["league.example.edu", "ftp://example.edu", "http://[::1", "https://example.edu:port", ""])
def test_what_is_no_address_is_told(to: str) -> None:
    with pytest.raises(UserError, match=r"expected the league's address, such as https://league\.example\.edu"):
        address_of(to)


def test_nobody_is_asked_for_a_token_before_there_is_a_league(place: Place, types: Callable[[str], None]) -> None:
    types("must not be asked for")
    with pytest.raises(UserError, match="there is no league at this address"):
        command.sign_in(f"{place.address}/rules")
    with scripted((200, "<p>Welcome</p>", "")) as other, pytest.raises(UserError, match="doesn't answer like a league"):
        command.sign_in(other)


def test_a_redirection_is_told_and_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    league = "https://league.example.edu/2026"
    monkeypatch.setenv(command.TOKEN_VARIABLE, "secret")
    with scripted((301, "", f"{league}/api/team"), (302, "", "https://login.example.edu/?from=league")) as old:
        with pytest.raises(UserError, match=f"this league is at {league}: use that address"):
            command.sign_in(old)
        with pytest.raises(UserError, match=r"leads to https://login\.example\.edu/\?from=league, and there is no league"):
            command.sign_in(old)


def test_a_token_that_ended_is_asked_for_again(
    place: Place, home: Path, types: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="no token for"):
        command.sign_in(place.address)
    first = place.token()
    types(first)
    command.sign_in(place.address)
    # From now on it is kept, and nobody is asked.
    types("not a token")
    command.sign_in(place.address)
    second = place.token()
    types("wrong")
    with pytest.raises(UserError, match="unknown token"):
        command.sign_in(place.address)
    # People paste the whole link as well.
    types(f"{place.address}/join/{second}/")
    command.sign_in(place.address)
    assert json.loads(home.read_text()) == {place.address: second}
    with pytest.raises(UserError, match="this invite link is no longer valid"):
        command.sign_in(f"{place.address}/join/{first}")
    with pytest.raises(UserError, match="this is not a token"):
        LeagueClient(place.address, "two words")
    monkeypatch.setenv(command.TOKEN_VARIABLE, first)
    with pytest.raises(UserError, match="TILTYARD_TOKEN isn't a valid token of this league"):
        command.sign_in(place.address)


def test_a_program_for_another_game_is_told_before_it_is_sent(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(command.TOKEN_VARIABLE, place.token())
    for name in ("clumsy.py", "clumsy/__init__.py"):
        work = tmp_path / name
        work.parent.mkdir(exist_ok=True)
        work.write_text(CLUMSY)
        given = work if work.parent == tmp_path else work.parent
        other = "contributes no algorithm for tanks; 'clumsy' is for penguins"
        with pytest.raises(UserError, match=f"^this league plays tanks: {given}: {other}; nothing was handed in$"):
            CliRunner().invoke(command.app, [str(given), "--to", place.address], catch_exceptions=False)
    with pytest.raises(UserError, match=r"--game penguins: this league plays tanks; leave --game out"):
        CliRunner().invoke(command.app, [str(work), "--to", place.address, "--game", "penguins"], catch_exceptions=False)
    with Database(place.folder) as database:
        assert newest_of(database, 1) is None
    assert command._checks_out(work, None, "chess")
    assert capsys.readouterr().err.endswith("the game chess isn't installed here; the league checks it\n")


def test_what_is_not_taken_is_told_first_and_what_is_there_is_taken_at_any_time(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(command.TOKEN_VARIABLE, place.token())
    work = tmp_path / "player.py"
    work.write_bytes(bytes(2001))
    with pytest.raises(UserError, match=r"player\.py: 3 kB, but this league accepts at most 2 kB"):
        hands_in(place, work)
    for number in range(UPLOADS):
        work.write_text(f"print({number})")
        hands_in(place, work)
    other = tmp_path / "other.py"
    other.write_text("print()")
    with pytest.raises(UserError, match=rf"handed in {UPLOADS} times within 24 hours\. It can hand in again at .* UTC"):
        hands_in(place, other)
    with Database(place.folder) as database:
        staff.set_closed(database, True, "test")
    try:
        with pytest.raises(UserError, match="The league is over"):
            hands_in(place, other)
        assert hands_in(place, work) == f"handed in to Course: version {UPLOADS} of Red\n"
    finally:
        with Database(place.folder) as database:
            staff.set_closed(database, False, "test")


def test_a_league_that_goes_away_is_waited_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(league_client, "PAUSE_SECONDS", 0.0)
    waits, accepted = {"state": "received"}, {"state": "accepted"}
    with scripted((200, waits, ""), (0, "", ""), (502, "Bad Gateway", ""), (200, waits, ""), (200, accepted, "")) as address:
        assert LeagueClient(address, "x").wait_for(7) == accepted
    text = capsys.readouterr().err
    assert text.count("it waits for its check") == text.count("waiting for the league to come back") == 1
    monkeypatch.setattr(league_client, "PATIENCE_SECONDS", 1e-9)
    with pytest.raises(
        UserError, match=r"can't be reached.*\nversion 7 was handed in; its report will be at http://x/me/versions/7"
    ):
        command._wait_for(LeagueClient(address, "x"), 7, "http://x/me/versions/7")


WITHOUT_UNIX = """
import sys
from pathlib import Path
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
import tiltyard_tournaments.cli.start
from tiltyard_league.cli import hand_in
sys.platform = "win32"
print(hand_in._checks_out(Path("player.py"), None))
"""


def test_it_starts_where_there_are_no_modules_of_unix_and_leaves_the_check_to_the_league() -> None:
    process = subprocess.run([sys.executable, "-c", WITHOUT_UNIX], capture_output=True, text=True, timeout=120, check=True)
    assert process.stdout == "True\n"
    said = r"it isn't checked on this machine: the check needs Linux \(Windows has no (fcntl|resource)\); .*\n"
    assert re.fullmatch(said, process.stderr)
