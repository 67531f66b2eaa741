from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping

import pytest
from starlette.responses import Response
from starlette.types import Message, Scope
from tests.own_loop import in_own_thread

from tiltyard_site.web.answers import mark_of, marked_answer
from tiltyard_site.web.compression import CompressedAnswers, Compression, takes_gzip

TEXT = b"a text that says the same again " * 100
HTML = "text/html; charset=utf-8"


def answered(response: Response, **sent: str) -> tuple[int, Mapping[str, str], bytes]:
    """What somebody gets who asks with these headers."""
    headers = [(name.replace("_", "-").lower().encode(), value.encode()) for name, value in sent.items()]
    messages: list[Message] = []

    async def send(message: Message) -> None:
        messages.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    scope: Scope = {"type": "http", "method": "GET", "headers": headers}
    in_own_thread(lambda: asyncio.run(Compression(response)(scope, receive, send)))
    start, *bodies = messages
    answer = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], answer, b"".join(body.get("body", b"") for body in bodies)


def test_a_compressed_answer_has_a_mark_of_its_own() -> None:
    status, headers, body = answered(marked_answer("", TEXT, HTML), accept_encoding="gzip")
    assert (status, headers["content-encoding"], headers["vary"]) == (200, "gzip", "Accept-Encoding")
    assert (gzip.decompress(body), headers["content-length"]) == (TEXT, str(len(body)))
    assert headers["etag"] == f'{mark_of(TEXT)[:-1]}-gzip"'


@pytest.mark.parametrize(
    ("takes", "mark", "status"), [("gzip", "-gzip", 304), ("", "-gzip", 200), ("", "", 304), ("gzip", "", 304)]
)
def test_who_has_an_answer_gets_none(takes: str, mark: str, status: int) -> None:
    sent = f'{mark_of(TEXT)[:-1]}{mark}"'

    async def page(scope: Scope, receive: object, send: object) -> None:
        known = dict(scope["headers"]).get(b"if-none-match", b"").decode()
        await marked_answer(known, TEXT, HTML)(scope, receive, send)  # type: ignore[arg-type]

    got, headers, body = answered(page, accept_encoding=takes, if_none_match=sent)  # type: ignore[arg-type]
    assert (got, body) == ((304, b"") if status == 304 else (200, TEXT))
    assert headers["etag"] == (sent if status == 304 else mark_of(TEXT))


@pytest.mark.parametrize(
    "response",
    [
        marked_answer("", TEXT, "image/png"),
        marked_answer("", b"little", HTML),
        marked_answer("", TEXT, HTML, cache="private, no-store"),
        Response(TEXT, media_type="text/html"),
        Response(TEXT, 404, {"ETag": '"x"'}, "text/html"),
        Response(TEXT, 200, {"ETag": '"x"', "Set-Cookie": "a=b"}, "text/html"),
        Response(TEXT, 200, {"ETag": '"x"', "Content-Encoding": "br"}, "text/html"),
    ],
    ids=["picture", "little", "private", "no-mark", "no-such-page", "cookie", "compressed-already"],
)
def test_what_stays_as_it_is(response: Response) -> None:
    _, headers, body = answered(response, accept_encoding="gzip")
    assert body == response.body
    assert headers.get("content-encoding") in (None, "br")


@pytest.mark.parametrize(
    ("header", "takes"),
    [("br, gzip;q=0.8", True), ("*", True), ("GZIP", True), ("gzip;q=0", False), ("gzip; q=0.00", False), ("identity", False)],
)
def test_who_takes_gzip(header: str, takes: bool) -> None:
    assert takes_gzip(header) is takes


def test_each_answer_is_compressed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    contents: list[bytes] = []
    compress = gzip.compress

    def counted(content: bytes, **options: int) -> bytes:
        contents.append(content)
        return compress(content, **options)

    monkeypatch.setattr(gzip, "compress", counted)
    answers = CompressedAnswers(most=100)
    first = [answers.of(b"a" * 5000, "a") for _ in range(3)]
    assert (len(contents), len(set(first))) == (1, 1)
    for number in range(10):
        answers.of(bytes([number]) * 5000, str(number))
    # The oldest were forgotten to make room.
    assert answers.of(b"a" * 5000, "a") == first[0]
    assert len(contents) == 12
