"""Finding the scheduler of a Dask cluster, encrypted or not, and saying what is wrong where it cannot be found."""

from __future__ import annotations

import importlib
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError

CONNECT_SECONDS: Final = 10.0
PLAIN: Final = "tcp://"
ENCRYPTED: Final = "tls://"


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of an encrypted cluster, in PEM."""

    ca: Path | None = None
    """The certificate authority."""
    cert: Path | None = None
    """This side's certificate."""
    key: Path | None = None
    """The key of that certificate."""


def require_distributed() -> None:
    """Raises a UserError that says how to install it, where dask.distributed is missing."""
    if importlib.util.find_spec("distributed") is None:
        raise UserError(
            "--cluster needs dask.distributed, which is not installed: pip install 'tiltyard[cluster]'", see="missing-package"
        )


def connect(address: str, tls: Tls | None = None, seconds: float = CONNECT_SECONDS) -> Any:
    """A client of the scheduler at ``address``, such as ``tcp://HOST:8786`` or, with ``tls``, ``tls://HOST:8786``.

    Raises:
        UserError: dask.distributed is missing, the address or the files cannot be right, or nobody answers.
    """
    check_address(address, tls or Tls())
    distributed = importlib.import_module("distributed")
    _silence()
    security = _security(distributed.Security, tls or Tls()) if address.startswith(ENCRYPTED) else None
    try:
        return distributed.Client(address, timeout=seconds, security=security, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        hint = ". It may need tls://" if address.startswith(PLAIN) else ". The certificates may come from another authority"
        raise UserError(
            f"{address}: no Dask scheduler answers there within {seconds:.0f} s{_reason(error)}. Check that 'dask scheduler' is"
            f" running on that machine and that its port can be reached from this one{hint}"
        ) from error


def _silence() -> None:
    """Turn Dask's loggers off: errors are reported here, in one message, not as tracebacks."""
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _reason(error: BaseException) -> str:
    """What the system said, at the bottom of what Dask made of it."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    said = error.strerror if isinstance(error, OSError) else None
    return f" ({said})" if said else ""


def check_address(address: str, tls: Tls) -> None:
    """Whether there may be a cluster there, as far as can be known without asking.

    Raises:
        UserError: dask.distributed is missing, or the address or the files cannot be right.
    """
    require_distributed()
    scheme, found, rest = address.partition("://")
    host, colon, port = rest.rpartition(":")
    if not found or f"{scheme}://" not in (PLAIN, ENCRYPTED) or not (host and colon and port.isdigit()):
        raise UserError(f"--cluster {address}: expected the address that 'dask scheduler' prints, such as tcp://HOST:8786")
    given = {name: path for name, path in (("ca", tls.ca), ("cert", tls.cert), ("key", tls.key)) if path is not None}
    if given and address.startswith(PLAIN):
        raise UserError(f"--cluster {address}: --cluster-tls-{next(iter(given))} is for an encrypted cluster: tls://{rest}")
    if given and len(given) < 3:
        missing = " and ".join(f"--cluster-tls-{name}" for name in ("ca", "cert", "key") if name not in given)
        raise UserError(f"--cluster {address}: {missing} {'is' if len(given) == 2 else 'are'} missing: TLS needs all three files")
    for name, path in given.items():
        try:
            with path.open("rb"):
                pass
        except OSError as error:
            raise UserError(f"--cluster-tls-{name} {path}: cannot be read: {error.strerror}") from error


def _security(kind: Any, tls: Tls) -> Any:
    """A distributed.Security from the three files; without them from Dask's own configuration."""
    if tls.ca is None:
        found = kind(require_encryption=True)
        if not found.tls_ca_file or not found.tls_client_cert:
            raise UserError(
                "a tls:// cluster needs --cluster-tls-ca, --cluster-tls-cert and --cluster-tls-key (or distributed.comm.tls in"
                " Dask's configuration)"
            )
        return found
    return kind(require_encryption=True, tls_ca_file=str(tls.ca), tls_client_cert=str(tls.cert), tls_client_key=str(tls.key))
