"""Environments that have nothing of the checkout, and the users who work in them."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from pathlib import Path
from typing import Final

import dev
from release.checks import contents

WANTED: Final = "tiltyard[all]"
TOOLS: Final = ("bash", "cat", "cut", "grep", "head", "ls", "sed", "tail", "wc", "which")
"""What commands on pages use besides Python's. bubblewrap is not among them."""
STRANGER: Final = "nobody"
CACHES: Final = "__pycache__"


class InstallationError(Exception):
    """What a stranger would stumble over."""


@dataclass(frozen=True)
class Installation:
    """A virtual environment, and a user who runs its commands in a folder outside the checkout."""

    folder: Path
    python: str
    user: str | None = None
    """Who runs commands; None: who runs this."""
    with_bubblewrap: bool = True
    extra: dict[str, str] = field(default_factory=dict)
    """More environment variables."""

    @property
    def commands(self) -> Path:
        """Where its commands are."""
        return self.folder / "venv" / "bin"

    @property
    def home(self) -> Path:
        """The user's home, where commands are run."""
        return self.folder / "home"

    def make(self) -> None:
        """Make the environment, empty, and the home. A user of its own gets both, as a venv is its user's."""
        self.home.mkdir(parents=True)
        if dev.working_uv() is None:
            succeed(self.python, "-m", "venv", str(self.folder / "venv"))
        else:
            uv("venv", "--python", self.python, str(self.folder / "venv"))
        tools = self.folder / "tools"
        tools.mkdir()
        for name in TOOLS:
            if found := shutil.which(name, path=os.defpath):
                (tools / name).symlink_to(found)
        self.hand_over()

    def hand_over(self) -> None:
        """Give all files to the user."""
        if self.user is not None:
            owner = pwd.getpwnam(self.user)
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)

    def install(self, *words: str) -> None:
        """Install packages; files are copied if they are to be somebody else's, and linked to uv's cache if not."""
        if dev.working_uv() is None:
            succeed(*self._pip, "install", *words)
        else:
            mode = ["--link-mode", "copy"] if self.user is not None else []
            # uv takes a wheel of an earlier build from its cache when a new one lies at the same path.
            mode += ["--refresh"] if "--no-index" in words else []
            uv("pip", "install", "--python", str(self.commands / "python"), *mode, *words)
        self.hand_over()

    def uninstall(self, names: Iterable[str]) -> None:
        """Remove packages."""
        if dev.working_uv() is None:
            succeed(*self._pip, "uninstall", "--yes", *names)
        else:
            uv("pip", "uninstall", "--python", str(self.commands / "python"), *names)

    @property
    def _pip(self) -> list[str]:
        return [str(self.commands / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]

    def files(self) -> set[str]:
        """All files of the environment but byte code, and all folders that hold one."""
        root = self.folder / "venv"
        return {str(path.relative_to(root)) for path in root.rglob("*") if CACHES not in path.parts and path.is_file()}

    def variables(self) -> dict[str, str]:
        """The environment variables of its commands."""
        path = [str(self.commands), str(self.folder / "tools"), *([os.defpath] if self.with_bubblewrap else [])]
        return {"PATH": os.pathsep.join(path), "HOME": str(self.home), "LC_ALL": "C.UTF-8", "COLUMNS": "100", **self.extra}

    def run(self, line: str) -> str:
        """What a line of shell prints, both streams together, without spaces at line ends.

        Raises:
            InstallationError: it fails.
        """
        shell = shutil.which("bash") or "bash"
        owner = pwd.getpwnam(self.user) if self.user is not None else None
        done = subprocess.run(
            [shell, "-o", "pipefail", "-c", line],
            cwd=self.home,
            env=self.variables(),
            user=owner.pw_uid if owner else None,
            group=owner.pw_gid if owner else None,
            extra_groups=[] if owner else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        found = "\n".join(each.rstrip() for each in done.stdout.rstrip().splitlines())
        # A reader such as "head" may leave early: the writer then ends by SIGPIPE.
        if done.returncode not in (0, 128 + 13) or "Traceback" in found:
            raise InstallationError(f"$ {line}\n{found}\nended with status {done.returncode}")
        return found


def uv(*words: str) -> None:
    """Run uv, which is much faster than pip.

    Raises:
        InstallationError: it fails.
    """
    succeed(*(dev.working_uv() or ()), *words)


def succeed(*words: str) -> None:
    """Run a command that prints nothing of interest.

    Raises:
        InstallationError: it fails.
    """
    done = subprocess.run(words, env=dev.UV_ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InstallationError(f"{' '.join(words)}\n{done.stderr}".rstrip())


def third_parties(wheels: Iterable[Path]) -> list[str]:
    """What our wheels need of others for ``tiltyard[all]``, at the versions of uv.lock."""
    needed: set[str] = set()
    for wheel in wheels:
        metadata = message_from_bytes(next(text for name, text in contents(wheel) if name.endswith(".dist-info/METADATA")))
        for requirement in metadata.get_all("Requires-Dist", []):
            name, _, marker = requirement.partition(";")
            if not name.startswith("tiltyard") and (not marker or "'all'" in marker):
                needed.add(name.strip())
    names = {re.split(r"[<>=!~ \[]", each)[0].lower().replace("_", "-") for each in needed}
    return sorted(line for line in dev.locked_versions() if line.split("==")[0] in names)


def python_for(version: str, user: str | None) -> str | None:
    """A Python of a version that a user can run, or None."""
    owner = pwd.getpwnam(user) if user is not None else None
    candidates = [dev.find_python(version), *(f"{folder}/python{version}" for folder in ("/usr/local/bin", "/usr/bin"))]
    for found in filter(None, candidates):
        words = ["-c", "import sys; print(sys.executable)"]
        try:
            done = subprocess.run(
                [str(Path(found)), *words],
                user=owner.pw_uid if owner else None,
                cwd="/",
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError:
            continue
        if done.returncode == 0 and Path(done.stdout.strip()).exists():
            return done.stdout.strip()
    return None


def own_names(wheels: Sequence[Path]) -> list[str]:
    """The names of the distributions in wheels."""
    return sorted({wheel.name.split("-")[0].replace("_", "-") for wheel in wheels})
