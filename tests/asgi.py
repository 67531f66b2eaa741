"""Asks an application without a server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import MutableMapping
from typing import Any

from starlette.applications import Starlette

Message = MutableMapping[str, Any]


def ask(app: Starlette, path: str, body: bytes | None = None, address: str = "192.0.2.1", **headers: str) -> tuple[int, bytes]:
    """The status and the content of an answer; with a body it is a POST."""
    parts: list[Message] = []
    before, _, query = path.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET" if body is None else "POST",
        "scheme": "http",
        "path": before,
        "raw_path": before.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "client": (address, 1),
        "server": ("127.0.0.1", 80),
        "headers": [(name.replace("_", "-").lower().encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": body or b"", "more_body": False}

    async def send(message: Message) -> None:
        parts.append(message)

    def answer() -> None:
        asyncio.run(app(scope, receive, send))

    # In the tests' own thread a loop runs already once a browser was started.
    thread = threading.Thread(target=answer)
    thread.start()
    thread.join()
    status = next(part["status"] for part in parts if part["type"] == "http.response.start")
    return status, b"".join(part.get("body", b"") for part in parts)


def post(app: Starlette, path: str, order: object, address: str = "192.0.2.1") -> tuple[int, Any]:
    """What a page of the site sends, and the answer's values."""
    status, content = ask(app, path, json.dumps(order).encode(), address, Content_Type="application/json")
    return status, json.loads(content)


def refuses_strangers(app: Starlette, path: str) -> None:
    """Check that a route that changes something takes only what a page of the site sends."""
    json_type = {"Content_Type": "application/json"}
    assert ask(app, path, b"a=b", Content_Type="application/x-www-form-urlencoded")[0] == 403
    assert ask(app, path, b"{}", Content_Type="text/plain")[0] == 403
    assert ask(app, path, b"{}", **json_type, Sec_Fetch_Site="cross-site")[0] == 403
    assert ask(app, path, b"{}", **json_type, Origin="http://elsewhere.example")[0] == 403
    assert ask(app, path, b"x" * 30_000, **json_type)[0] == 413
    assert ask(app, path, b"[" * 10_000, **json_type)[0] == 400
    assert ask(app, path, b"[]", **json_type)[0] == 400
    assert ask(app, path)[0] in (404, 405)
