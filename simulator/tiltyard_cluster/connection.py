"""Finding the scheduler of a Dask cluster, encrypted or not, and saying what is wrong where it cannot be found."""

from __future__ import annotations

import importlib
import importlib.util
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError

CONNECT_SECONDS: Final = 10.0
PATIENCE_SECONDS: Final = 600.0
"""For so long a scheduler that was there and is gone is waited for."""
AGAIN_SECONDS: Final = 2.0
"""Between two attempts to reach it."""
TELL_SECONDS: Final = 60.0
"""Between two lines about that."""
LOUD: Final = ("distributed", "dask", "tornado")
"""Packages whose warnings are not for those who run a tournament."""
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


def connect(
    address: str, tls: Tls | None = None, seconds: float = CONNECT_SECONDS, say: Callable[[str], None] = lambda line: None
) -> Any:
    """A client of the scheduler at ``address``, such as ``tcp://HOST:8786`` or, with ``tls``, ``tls://HOST:8786``.

    Args:
        address: of the scheduler.
        tls: the files of an encrypted cluster.
        seconds: to wait for it.
        say: told in a sentence if the scheduler has another version of Dask.

    Raises:
        UserError: dask.distributed is missing, the address or the files cannot be right, or nobody answers.
    """
    check_address(address, tls or Tls())
    # Not above: every ``tiltyard run`` imports this module.
    import asyncio

    distributed = importlib.import_module("distributed")
    _silence()
    security = _security(distributed.Security, tls or Tls()) if address.startswith(ENCRYPTED) else None

    class Client(distributed.Client):  # type: ignore[misc, name-defined] # Dask's has no types.
        """One that leaves no thread and no open files behind if nobody answers, and doesn't wait for who never finishes a word."""

        async def _start(self, **options: Any) -> Any:
            return await asyncio.wait_for(super()._start(**options), seconds + 1)

        def start(self, **options: Any) -> None:
            try:
                super().start(**options)
            except BaseException:
                self._loop_runner.stop()
                self.status = "closed"
                raise

    try:
        client = Client(address, timeout=seconds, security=security, set_as_default=False)
        difference = _other_version(client, distributed.__version__, seconds)
    except ImportError as error:
        raise UserError(
            f"{address}: its Dask scheduler rejects this machine, because their packages differ. Install the same version"
            " of Dask everywhere"
        ) from error
    except (OSError, ValueError, TypeError) as error:
        hint = ". It may need tls://" if address.startswith(PLAIN) else ". The certificates may come from another authority"
        raise UserError(
            f"{address}: no Dask scheduler answers there within {seconds:.0f} s{_reason(error)}. Check that 'dask scheduler' is"
            f" running on that machine and that its port can be reached from this one{hint}"
        ) from error
    if difference:
        say(f"{address}: {difference}")
    return client


def connect_again(address: str, tls: Tls, say: Callable[[str], None], patience: float, reason: UserError) -> Any:
    """A client of a scheduler that was there and is gone.

    Args:
        address: of the scheduler.
        tls: the files of an encrypted cluster.
        say: told that it is waited for, and when it is back.
        patience: seconds to wait for it.
        reason: why it is said to be gone.

    Raises:
        UserError: it doesn't come back.
    """
    start = time.monotonic()
    what, _, hint = str(reason).partition(". ")
    say(f"{what}. Trying to reach it again for {_minutes(patience)}")
    last_line_at = start
    while True:
        tried = time.monotonic()
        try:
            client = connect(address, tls, min(CONNECT_SECONDS, max(1.0, start + patience - tried)), say)
        except UserError:
            now = time.monotonic()
            if now > start + patience:
                raise UserError(f"{what} and did not come back within {_minutes(patience)}. {hint}") from None
            if now > last_line_at + TELL_SECONDS:
                last_line_at = now
                say(f"{address}: still no scheduler; {_minutes(start + patience - now)} left")
            time.sleep(max(0.0, min(AGAIN_SECONDS, start + patience - now)))
        else:
            took = _minutes(time.monotonic() - start)
            say(f"{address}: the scheduler is back after {took}; matches that were running are played again")
            return client


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


def _other_version(client: Any, here: str, seconds: float) -> str:
    """That the scheduler has another version of Dask, in a sentence; empty where it has this one."""
    try:
        there = client.sync(client.scheduler.versions, callback_timeout=seconds)["packages"].get("distributed", here)
    except (TimeoutError, KeyError):
        return ""
    if there == here:
        return ""
    return (
        f"its scheduler runs Dask {there}, this machine {here}. If machines don't answer, install the same version everywhere:"
        f" pip install 'distributed=={here}'"
    )


def _silence() -> None:
    """Turn Dask's logs and warnings off: what people need to know is said here, in a sentence, not as tables and tracebacks."""
    import logging

    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in LOUD]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module=rf"({'|'.join(LOUD)})(\.|$)")


def _reason(error: BaseException) -> str:
    """What the system said, at the bottom of what Dask reports."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    text = error.strerror if isinstance(error, OSError) else None
    return f" ({text})" if text else ""


def check_address(address: str, tls: Tls) -> None:
    """Whether there may be a cluster there, as far as can be known without asking.

    Raises:
        UserError: dask.distributed is missing, or the address or the files cannot be right.
    """
    require_distributed()
    scheme, separator, rest = address.partition("://")
    host, colon, port = rest.rpartition(":")
    if not separator or f"{scheme}://" not in (PLAIN, ENCRYPTED) or not (host and colon and port.isdigit()):
        raise UserError(f"--cluster {address}: expected the address that 'dask scheduler' prints, such as tcp://HOST:8786")
    files = {name: path for name, path in (("ca", tls.ca), ("cert", tls.cert), ("key", tls.key)) if path is not None}
    if files and address.startswith(PLAIN):
        raise UserError(f"--cluster {address}: --cluster-tls-{next(iter(files))} is for an encrypted cluster: tls://{rest}")
    if files and len(files) < 3:
        missing = " and ".join(f"--cluster-tls-{name}" for name in ("ca", "cert", "key") if name not in files)
        raise UserError(f"--cluster {address}: {missing} {'is' if len(files) == 2 else 'are'} missing: TLS needs all three files")
    for name, path in files.items():
        try:
            with path.open("rb"):
                pass
        except OSError as error:
            raise UserError(f"--cluster-tls-{name} {path}: cannot be read: {error.strerror}") from error


def _security(kind: Any, tls: Tls) -> Any:
    """A distributed.Security from the three files; without them from Dask's own configuration."""
    if tls.ca is None:
        security = kind(require_encryption=True)
        if not security.tls_ca_file or not security.tls_client_cert:
            raise UserError(
                "a tls:// cluster needs --cluster-tls-ca, --cluster-tls-cert and --cluster-tls-key (or distributed.comm.tls in"
                " Dask's configuration)"
            )
        return security
    return kind(require_encryption=True, tls_ca_file=str(tls.ca), tls_client_cert=str(tls.cert), tls_client_key=str(tls.key))
