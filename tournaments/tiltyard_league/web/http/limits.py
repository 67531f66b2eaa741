"""How much one address or token may ask for, and how long a request may take to come in."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

MOST_BUCKETS: Final = 20_000
"""The oldest are forgotten first."""
BODY_SECONDS: Final = 60.0
"""In which a whole request must have come in."""
LONGEST_FORM: Final = 64 * 1024
"""Bytes of a form without a file."""
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """A bucket of tokens for each name: ``most`` at once, refilled within ``seconds``."""

    def __init__(self, most: float, seconds: float) -> None:
        self._most = most
        self._rate = most / seconds
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, name: str, number: int = 1) -> float:
        """Take a token, or 0 only to look; 0 if there was one, else the seconds until there is."""
        here = time.monotonic()
        bucket = self._buckets.pop(name, None) or _Bucket(self._most, here)
        bucket.tokens = min(self._most, bucket.tokens + (here - bucket.at) * self._rate)
        bucket.at = here
        self._buckets[name] = bucket
        while len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if bucket.tokens < 1:
            return (1 - bucket.tokens) / self._rate
        bucket.tokens -= number
        return 0.0


class BodyTooLargeError(Exception):
    """A request has more bytes than it may."""


class BodyTooSlowError(Exception):
    """A request did not come in within its time."""


def bounded(receive: Receive, most: int, seconds: float = BODY_SECONDS) -> Receive:
    """What receives a request's body of so many bytes at most, within so many seconds.

    The returned function raises BodyTooLargeError or BodyTooSlowError.
    """
    until = time.monotonic() + seconds
    left = most

    async def bounded_receive() -> Message:
        nonlocal left
        try:
            message = await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
        except TimeoutError as error:
            raise BodyTooSlowError from error
        left -= len(message.get("body", b""))
        if left < 0:
            raise BodyTooLargeError
        return message

    return bounded_receive
