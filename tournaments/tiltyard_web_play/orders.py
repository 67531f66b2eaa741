"""What visitors send: JSON from the site's own page, and nothing else; and how much of the machine each address has used."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tiltyard_engine.errors import UserError
from tiltyard_site.pages.labels import line

LARGEST_BODY: Final = 20_000
HOUR: Final = 3600.0
MACHINE_SECONDS: Final = 300.0
"""In which the machine may explain games, or try answers, for one address within an hour."""
Reader = Callable[[dict[str, Any]], object]


class BusyError(UserError):
    """There is no room for it now."""


class HourlyBudget:
    """Which addresses have used how much of the machine within the last hour.

    Args:
        seconds: that the machine may work for one address; 0: without end.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._uses: dict[str, deque[tuple[float, float]]] = {}

    def charge(self, address: str, seconds: float) -> None:
        """Note what was used."""
        self._uses.setdefault(address, deque()).append((time.monotonic(), seconds))

    def check(self, address: str) -> None:
        """Refuse whoever has used it up.

        Raises:
            BusyError: says so.
        """
        now = time.monotonic()
        for other in [other for other, uses in self._uses.items() if now - uses[-1][0] >= HOUR]:
            del self._uses[other]
        uses = self._uses.get(address, deque())
        while uses and now - uses[0][0] >= HOUR:
            uses.popleft()
        if self._seconds and sum(seconds for _, seconds in uses) > self._seconds:
            raise BusyError(f"requests from your address took more than {self._seconds:g} s of CPU time; try again later")


class Turnstile:
    """Lets few in at once, one from each address, and none that has used up its hour.

    Args:
        most: of all addresses.
        budget: what each address may use.
    """

    def __init__(self, most: int, budget: HourlyBudget) -> None:
        self._most, self._budget = most, budget
        self._inside: set[str] = set()
        self._lock = threading.Lock()

    @contextmanager
    def enter(self, address: str, least: float) -> Iterator[Callable[[float], None]]:
        """Let an address in for as long as the context lasts.

        Args:
            address: the visitor's.
            least: CPU seconds that are counted at least.

        Returns:
            What hears of the CPU seconds that were used.

        Raises:
            BusyError: there is no room, or not for this address.
        """
        with self._lock:
            if address in self._inside:
                raise BusyError("a request from your address is still running: wait until it is done")
            self._budget.check(address)
            if len(self._inside) >= self._most:
                raise BusyError(f"{self._most} visitors are waiting; try again in a moment")
            self._inside.add(address)
        spent = [least]
        try:
            yield lambda seconds: spent.append(seconds - least)
        finally:
            with self._lock:
                self._inside.discard(address)
                self._budget.charge(address, max(least, sum(spent)))


async def take_order(request: Request, change: Reader) -> Response:
    """Answer a request that changes something. Only a script of this site can send JSON here: other sites' forms can't."""
    if request.headers.get("Content-Type", "").partition(";")[0] != "application/json" or not _is_same_site(request):
        return JSONResponse({"error": "only this site's own page may do this"}, 403)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            return JSONResponse({"error": "the request is too large"}, 413)
    try:
        order = json.loads(body)
    except (ValueError, RecursionError):
        order = None
    if not isinstance(order, dict):
        return JSONResponse({"error": "expected a JSON object"}, 400)
    try:
        return JSONResponse(await to_thread.run_sync(change, order))
    except BusyError as error:
        return JSONResponse({"error": str(error)}, 429)
    except UserError as error:
        return JSONResponse({"error": line(str(error), 2000)}, 409)


def whole_numbers(order: dict[str, Any], *names: str) -> list[int]:
    """Values of an order that must be whole numbers.

    Raises:
        UserError: one isn't.
    """
    values = [order.get(name) for name in names]
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9]
    if len(numbers) < len(names):
        raise UserError(f"{', '.join(names)}: expected whole numbers")
    return numbers


def address_of(request: Request) -> str:
    """Where a visitor is."""
    return request.client.host if request.client is not None else ""


def _is_same_site(request: Request) -> bool:
    """Whether the browser says that a page of this site asks; programs that are no browsers don't say."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return False
    origin = request.headers.get("Origin")
    return origin is None or origin.partition("://")[2].lower() == request.headers.get("Host", "").lower()
