"""What any server of these pages needs to know of HTTP."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


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
