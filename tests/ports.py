"""A port for a server of a test."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A port that nobody listened on a moment ago."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
