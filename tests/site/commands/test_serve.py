from __future__ import annotations

import gzip
import http.client
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.end_to_end.background import PATIENCE, Start, commands_in, wait_until
from tests.site.packed_replays import replays_in
from tests.tournaments.cli.small_cup import play_small_cup

from tiltyard_tournaments.cli.start import main


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_small_cup(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def start(cup: Path) -> Iterator[Start]:
    with commands_in(cup.parent) as run:
        yield partial(run, "tiltyard")


@pytest.fixture(scope="module")
def port(cup: Path, start: Start) -> int:
    """Where a server of the small cup listens."""
    process = start("serve", "cup.yaml", "--port", "0")
    assert process.stdout is not None
    line = process.stdout.readline()
    return int(line.partition("127.0.0.1:")[2].partition("/")[0])


def ask(
    port: int, path: str, method: str = "GET", headers: Mapping[str, str] | None = None
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """A request as it is: nothing is made simpler on the way."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request(method, path, headers=dict(headers or {}))
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, answer.headers, content


def test_each_file_has_its_type_and_the_policy(port: int) -> None:
    types = {
        "/": "text/html; charset=utf-8",
        "/matches.html?x=1": "text/html; charset=utf-8",
        "/assets/site.css": "text/css; charset=utf-8",
        "/assets/live.js": "text/javascript; charset=utf-8",
        "/assets/icon.svg": "image/svg+xml",
        "/data/games.js": "text/javascript; charset=utf-8",
        "/live.json": "application/json",
    }
    for path, kind in types.items():
        status, headers, content = ask(port, path)
        assert (status, headers["Content-Type"]) == (200, kind), path
        assert len(content) == int(headers["Content-Length"]) > 0
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-cache"
        assert ask(port, path, headers={"If-None-Match": headers["ETag"]})[::2] == (304, b"")
        assert ask(port, path, "HEAD")[::2] == (200, b"")
    state = json.loads(ask(port, "/live.json")[2])
    assert (state["played"], state["planned"], state["complete"], state["text"]) == (4, 4, True, "Complete: 4 games")


def test_texts_are_compressed_for_whoever_can_read_it(port: int) -> None:
    for path in ("/", "/assets/site.css", "/assets/match.js"):
        plain = ask(port, path)
        status, headers, content = ask(port, path, headers={"Accept-Encoding": "br, gzip;q=0.8"})
        assert (status, headers["Content-Encoding"], headers["Vary"]) == (200, "gzip", "Accept-Encoding")
        assert len(content) == int(headers["Content-Length"]) < len(plain[2])
        assert gzip.decompress(content) == plain[2]
        assert headers["ETag"] != plain[1]["ETag"]
        again = {"Accept-Encoding": "gzip", "If-None-Match": headers["ETag"]}
        assert ask(port, path, headers=again)[::2] == (304, b"")
        for refusing in ("gzip;q=0", "identity", ""):
            assert "Content-Encoding" not in ask(port, path, headers={"Accept-Encoding": refusing})[1]
    # What is small stays as it is.
    assert "Content-Encoding" not in ask(port, "/live.json", headers={"Accept-Encoding": "gzip"})[1]


def test_replays_come_from_the_store(port: int, cup: Path) -> None:
    chunk = ask(port, "/data/matches-0.js")[2].decode()
    games = json.loads(chunk.partition(",")[2].rpartition(")")[0])
    file = games["1"]["file"]
    status, _, content = ask(port, f"/replays/{file}.js")
    assert status == 200
    assert list(replays_in(content.decode())) == [file] == [games["1"]["replay"]]
    # What teams print is hidden unless the file allows it.
    assert ask(port, f"/outputs/{file}.js")[0] == 404
    assert sorted(path.name for path in (cup.parent / "cup").iterdir() if not path.name.startswith("tournament.")) == [
        "running.lock"
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/../cup.yaml",
        "/assets/../../cup.yaml",
        "/%2e%2e/cup.yaml",
        "/..%2fcup.yaml",
        "/replays/..%2f..%2fcup.yaml",
        "//etc/passwd",
        "/tournament.sqlite",
        "/assets/",
        "/assets",
        "/nothing.html",
        "/index.html%00",
    ],
)
def test_nothing_else_is_served(port: int, path: str) -> None:
    status, headers, content = ask(port, path)
    assert status == 404
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert content == b"Page not found. The first page is /index.html.\n"


def test_only_reading_is_understood(port: int) -> None:
    for method in ("POST", "DELETE", "PUT"):
        status, headers, _ = ask(port, "/", method)
        assert (status, headers["Content-Security-Policy"].partition(";")[0]) == (405, "default-src 'none'")


def test_a_strangers_name_for_this_machine_is_refused(port: int) -> None:
    """Or a page elsewhere could make its own name mean this machine, and read the site."""
    assert ask(port, "/", headers={"Host": "evil.example"})[0] == 421
    for host in ("localhost", "127.0.0.1:80", "[::1]"):
        assert ask(port, "/", headers={"Host": host})[0] == 200


def test_addresses_that_are_none_are_refused_too(port: int) -> None:
    assert ask(port, "/", headers={"Host": "["})[0] == 421
    assert ask(port, "http://[/index.html", headers={"Host": "localhost"})[0] == 404


def test_mistakes_are_one_message(port: int, cup: Path, run_command: RunCommand) -> None:
    for words, message in (
        (
            ("cup.yaml", "--port", str(port)),
            f"error: 127.0.0.1:{port}: cannot listen on this address: Address already in use; choose a different one",
        ),
        (("nothing.yaml",), "error: nothing.yaml: cannot be read: No such file or directory"),
        (("cup.yaml", "--host", "192.0.2.1"), "error: 192.0.2.1:8000: cannot listen on this address: "),
    ):
        done = run_command("tiltyard", "serve", *words, cwd=cup.parent)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(message)
        assert [line for line in done.stderr.splitlines()[1:] if not line.startswith("help: ")] == []


@pytest.mark.parametrize("package", ["anyio", "starlette", "uvicorn"])
def test_without_its_packages_it_says_what_to_install(
    cup: Path, package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(cup.parent)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(sys, "argv", ["tiltyard", "serve", "cup.yaml"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    message, *helps = capsys.readouterr().err.splitlines()
    assert message.startswith("error: 'tiltyard serve' needs more packages: pip install 'tiltyard[serve]' (")
    assert message.endswith("; 'tiltyard publish' writes pages that need no server")
    assert [line for line in helps if not line.startswith("help: ")] == []


def test_the_whole_network_is_warned_of_and_an_interrupt_is_quiet(start: Start) -> None:
    process = start("serve", "cup.yaml", "--port", "0", "--host", "0.0.0.0")
    assert process.stdout is not None
    assert process.stderr is not None
    line = process.stdout.readline()
    assert line.startswith(f"http://{socket.gethostname()}:")
    assert ask(int(line.partition(" ")[0].rstrip("/").rpartition(":")[2]), "/", headers={"Host": "lab-7.example"})[0] == 200
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    assert process.stderr.read() == (
        "warning: 0.0.0.0: anyone who can reach this machine can see the site; use 'publication: hide' to hide parts of it\n"
    )


def test_an_interrupt_right_after_the_line_is_quiet(start: Start) -> None:
    process = start("serve", "cup.yaml", "--port", "0")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    assert (process.wait(PATIENCE), process.stderr.read()) == (0, "")


def test_a_changed_file_is_taken_in_with_its_first_game(cup: Path, port: int, run_command: RunCommand) -> None:
    cup.write_text(cup.read_text().replace("narrow-pass", "open-field"))
    assert run_command("tiltyard", "run", "cup.yaml", cwd=cup.parent).returncode == 0
    wait_until(lambda: b"open-field" in ask(port, "/")[2])
    assert b"narrow-pass" not in ask(port, "/")[2]
