"""The packages that a server needs, which ``pip install tiltyard`` alone doesn't bring."""

from __future__ import annotations

from importlib import import_module

from tiltyard_engine.errors import UserError

SERVER_PACKAGES = ("anyio", "starlette", "uvicorn")


def need_packages(who: str, extra: str, *packages: str, otherwise: str = "") -> None:
    """Make sure that packages are installed.

    Args:
        who: needs them, with its verb: the beginning of the message.
        extra: of tiltyard, which installs them.
        packages: the names to import.
        otherwise: what works without them, as a clause.

    Raises:
        UserError: one of them is missing; says what to install.
    """
    try:
        for package in packages:
            import_module(package)
    except ImportError as error:
        rest = f"; {otherwise}" if otherwise else ""
        raise UserError(f"{who} more packages: pip install 'tiltyard[{extra}]' ({error}){rest}", see="missing-package") from error
