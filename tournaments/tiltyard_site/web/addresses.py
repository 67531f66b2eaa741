"""What the name of a host says: who can reach a server there, and what people type."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit


def address_to_open(host: str, port: int) -> str:
    """What to type into a browser, without a slash at the end, to reach a server that listens on ``host``."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 -- compared, not listened on
        host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def is_local(host: str) -> bool:
    """Whether only this machine reaches an address to listen on."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def name_in(host: str) -> str:
    """The name or the number in a ``Host`` header, without port and brackets; empty: it has none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
