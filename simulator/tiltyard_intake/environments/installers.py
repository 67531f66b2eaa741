"""uv, or pip where there is none: what finds the versions of packages, and installs wheels. Neither ever builds anything.

Sources: ``uv pip compile --help``, ``uv pip install --help``; pip's user guide, "Installation Report" and "Secure installs".
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_intake.environments.allowed import WaysOut
from tiltyard_intake.environments.locks import Lock, LockError, read_lock, read_pip_report

LOCK_SECONDS: Final = 300.0
INSTALL_SECONDS: Final = 900.0
WHEELS_ONLY: Final = ("--only-binary", ":all:")
_UNREACHABLE: Final = (
    *("failed to fetch", "error sending request", "dns error", "tcp connect", "timed out", "connection refused"),
    *("newconnectionerror", "max retries exceeded", "could not connect", "temporary failure in name resolution"),
)
"""What uv and pip say where there is no network, in small letters."""
LONGEST: Final = 600
"""Characters of what they say that are shown."""


class InstallError(Exception):
    """Packages can't be had; the message says why, and what to do."""


@dataclass
class Installer:
    """Runs uv or pip. Several threads may use it at once.

    Args:
        command: how either is run; empty: the one that is found.
        wheels: a folder that packages come from, and from nowhere else; None: the index that uv or pip is set to.
        ways_out: what teams are told that can't have what they ask for.
    """

    wheels: Path | None = None
    command: Sequence[str] = ()
    ways_out: WaysOut = field(default_factory=WaysOut)
    _running: set[subprocess.Popen[str]] = field(default_factory=set)
    _stopped: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.command = [*(self.command or find_installer())]

    @property
    def is_uv(self) -> bool:
        """Whether it is uv."""
        return Path(self.command[0]).name.startswith("uv")

    def find_versions(self, requirements: Iterable[Requirement], constraints: Iterable[str]) -> Lock:
        """The exact versions that fit, of these packages and of all that they need.

        Raises:
            InstallError: there are none, or the index can't be reached.
        """
        with tempfile.TemporaryDirectory(prefix="tiltyard-lock-") as folder:
            request_file, limits = Path(folder, "requirements.in"), Path(folder, "constraints.txt")
            request_file.write_text("".join(f"{each}\n" for each in requirements), encoding="utf-8")
            limits.write_text("".join(f"{each}\n" for each in constraints), encoding="utf-8")
            files = [str(request_file), "-c", str(limits)]
            if self.is_uv:
                words = ["pip", "compile", files[0], *files[1:], "--no-header", "--no-annotate", "--generate-hashes"]
                words += ["--python", sys.executable, "--no-python-downloads", "--quiet"]
            else:
                words = ["install", "-r", *files, "--dry-run", "--ignore-installed", "--report", "-", "--no-input", "--quiet"]
            answer = self._run([*words, *WHEELS_ONLY, *self._from()], LOCK_SECONDS)
        try:
            return read_lock(answer) if self.is_uv else read_pip_report(answer)
        except LockError as error:
            raise InstallError(f"{Path(self.command[0]).name} gave no versions with hashes: {error}") from error

    def install(self, lock: Path, folder: Path) -> None:
        """Install what a lock names into a folder, checked against its hashes.

        Raises:
            InstallError: it can't be had any more.
        """
        words = ["install", "--target", str(folder), "--no-deps", "--require-hashes", "-r", str(lock), "--quiet"]
        if self.is_uv:
            words = ["pip", *words, "--python", sys.executable, "--no-python-downloads", "--compile-bytecode"]
        else:
            words.append("--no-input")
        self._run([*words, *WHEELS_ONLY, *self._from()], INSTALL_SECONDS)

    def stop(self) -> None:
        """End what runs; nothing more can be run."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()

    def _from(self) -> list[str]:
        if self.wheels is None:
            return []
        return ["--no-index", "--find-links", str(self.wheels), *(["--no-config"] if self.is_uv else [])]

    def _environment(self) -> dict[str, str]:
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        variables["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        if self.wheels is not None:
            # Somebody's settings may name other places.
            variables = {name: value for name, value in variables.items() if not name.startswith(("PIP_", "UV_"))}
            variables["PIP_CONFIG_FILE"] = os.devnull
        return variables

    def _run(self, words: Sequence[str], seconds: float) -> str:
        with self._lock:
            if self._stopped:
                raise InstallError("stopped")
            process = subprocess.Popen(
                [*self.command, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=self._environment(),
                cwd=tempfile.gettempdir(),
            )
            self._running.add(process)
        try:
            answer, complaint = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise InstallError(f"{self._name} did not end within {seconds:.0f} s: {self.ways_out.slow}") from None
        finally:
            with self._lock:
                self._running.discard(process)
        if process.returncode:
            raise InstallError(self._in_words(complaint or answer))
        return answer

    @property
    def _name(self) -> str:
        return "uv" if self.is_uv else "pip"

    def _in_words(self, complaint: str) -> str:
        lines = [line.strip() for line in complaint.splitlines() if line.strip() and not line.lower().startswith("warning")]
        message = one_line(" ".join(lines) or "it ended without a word")
        message = message if len(message) <= LONGEST else f"{message[: LONGEST - 4]} ..."
        if self.wheels is None and any(sign in message.lower() for sign in _UNREACHABLE):
            return f"the package index can't be reached: {self.ways_out.not_now} ({self._name}: {message})"
        where = f"the wheels in {self.wheels}" if self.wheels is not None else "the wheels of the package index"
        return f"{where} don't give what is asked for ({self._name}: {message})"


def find_installer() -> list[str]:
    """How uv is run, or else pip.

    Raises:
        UserError: this machine has neither.
    """
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.is_file() else shutil.which("uv")
    if uv:
        return [uv]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-P", "-m", "pip"]
    raise UserError("installing packages of teams takes uv or pip, and neither is here: run 'python -m pip install uv'")
