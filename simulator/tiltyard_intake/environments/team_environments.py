"""Makes the environments of teams beside their folder, one for all teams with equal locks, and writes down who runs on which."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.registry.environments import (
    ENVIRONMENTS,
    LOCK_FILE,
    TEAMS_FILE,
    check_environment,
    packages_folder,
    python_line,
    read_teams,
)
from tiltyard_intake.environments.allowed import Allowed, Judged, judge, wheels_in
from tiltyard_intake.environments.installers import Installer, InstallError
from tiltyard_intake.environments.locks import Lock, LockError, read_lock
from tiltyard_intake.environments.requirements import RequirementsError, read_requirements
from tiltyard_simulator.guard.cells.team_venv import interpreter
from tiltyard_simulator.guard.confinement.kernel.process_status import folders_of_ended, own_prefix
from tiltyard_simulator.output.result_files import write_over

LOCKS: Final = "locks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipped:
    """What a team runs on."""

    digest: str = ""
    """Of its environment; empty: it runs on the runner's own."""
    packages: tuple[str, ...] = ()
    """Such as ``numpy 2.4.6``."""
    error: str = ""
    """Why it can't have what it asks for, and the way out."""
    note: str = ""
    """For the report."""


class TeamEnvironments:
    """The environments of one folder of teams. Several threads and processes may use it at once.

    Args:
        into: the folder of teams.
        allowed: what the organiser allows.
        installer: what installs it; None: uv or pip, as soon as it is needed.
        shared: where environments are made that several folders of teams share, which then have links to them; None: beside the
            teams.
    """

    def __init__(self, into: Path, allowed: Allowed, installer: Installer | None = None, shared: Path | None = None) -> None:
        self._into = into
        self._beside = into.resolve() / ENVIRONMENTS
        self._folder = self._beside if shared is None else shared.resolve()
        self._allowed = allowed
        self._installer = installer
        self._guard = threading.Lock()
        self._single: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        """For each set of requirements and each environment: who makes it."""

    def equip(self, tree: Path, names: Sequence[str], root: str, *, is_dry: bool = False) -> Equipped:
        """Give a team what it asks for, if it may have it.

        Args:
            tree: the team's files.
            names: which there are, relative to the tree.
            root: the folder in which its team lies, relative to the tree.
            is_dry: only say what would be done; nothing is written, and no index is asked.

        Raises:
            UserError: there is neither uv nor pip, or the folder can't be written.
        """
        try:
            requirements = read_requirements(tree, names, root)
        except RequirementsError as error:
            return Equipped(error=str(error))
        judged = judge(requirements, self._allowed)
        if judged.refusals:
            return Equipped(error="\n".join(judged.refusals))
        if not judged.to_install:
            return Equipped(note=f"its packages are already installed: {', '.join(judged.there)}" if judged.there else "")
        if is_dry:
            return Equipped(note=f"would install {', '.join(str(each) for each in judged.to_install)}")
        try:
            lock = self._lock(judged)
            self._make(lock)
        except InstallError as error:
            return Equipped(error=str(error))
        return Equipped(digest=lock.digest, packages=lock.names, note=f"its own environment: {', '.join(lock.names)}")

    def assign(self, products: Iterable[Path], digest: str) -> None:
        """Write down on which environment files or folders of teams run; empty: the runner's own.

        Raises:
            UserError: that can't be written.
        """
        names = [path.name for path in products if path.parent == self._into]
        with self._guard:
            digests: dict[str, str] = {}
            # A damaged one is written anew.
            with contextlib.suppress(UserError):
                digests = read_teams(self._into)
            others = {name: other for name, other in digests.items() if name not in names and (self._into / name).exists()}
            assigned = others | dict.fromkeys(names, digest) if digest else others
            if assigned != digests:
                with file_errors(self._beside, "written"):
                    self._beside.mkdir(parents=True, exist_ok=True)
                    self._link(digest)
                write_over(self._beside / TEAMS_FILE, json.dumps(assigned, indent=1, sort_keys=True) + "\n")

    def _link(self, digest: str) -> None:
        """Lead from beside the teams to an environment that lies elsewhere, wherever both are moved to."""
        link = self._beside / digest
        if digest and self._folder != self._beside and not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(os.path.relpath(self._folder / digest, self._beside))

    def stop(self) -> None:
        """End what is being installed."""
        with self._guard:
            installer = self._installer
        if installer is not None:
            installer.stop()

    # Locks

    def _lock(self, judged: Judged) -> Lock:
        """The exact versions: those that were found the first time that somebody asked for the same."""
        key = self._key(judged)
        path = self._folder / LOCKS / f"{key}.txt"
        with self._alone(key):
            with contextlib.suppress(OSError, LockError, UnicodeDecodeError):
                return read_lock(path.read_text(encoding="utf-8"))
            lock = self._installing().find_versions(judged.to_install, judged.constraints)
            self._ready()
            with file_errors(path, "written"):
                path.parent.mkdir(exist_ok=True)
                # Another process may write the same file at this moment.
                new = path.with_name(f".{path.name}.{os.getpid()}.new")
                new.write_text(lock.text, encoding="utf-8")
                new.replace(path)
            return lock

    def _key(self, judged: Judged) -> str:
        parts = [python_line(), *sorted(str(each) for each in judged.to_install), "constraints", *judged.constraints]
        if self._allowed.wheels is not None:
            parts.append("wheels")
            for _, _, file in wheels_in(self._allowed.wheels):
                with file_errors(file, "read"):
                    status = file.stat()
                parts.append(f"{file.name} {status.st_size} {status.st_mtime_ns}")
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:40]

    # Environments

    def _make(self, lock: Lock) -> None:
        """Install what is locked, unless that was done. The folder is there as a whole or not at all."""
        final = self._folder / lock.digest
        with self._alone(lock.digest):
            with contextlib.suppress(UserError):
                check_environment(final)
                return
            self._ready()
            with file_errors(self._folder, "written"):
                shutil.rmtree(final, ignore_errors=True)
                new = Path(tempfile.mkdtemp(prefix=own_prefix(), dir=self._folder))
            try:
                with file_errors(new, "written"):
                    _write_environment(new, lock)
                self._installing().install(new / LOCK_FILE, packages_folder(new))
                with file_errors(new, "written"):
                    # As open to others as the folder that it is in.
                    new.chmod(self._folder.stat().st_mode & 0o777)
                    _put(new, final)
            finally:
                shutil.rmtree(new, ignore_errors=True)

    def _ready(self) -> None:
        """The folder, without what processes left there that were killed."""
        with file_errors(self._folder, "written"):
            self._folder.mkdir(parents=True, exist_ok=True)
            for folder in folders_of_ended(self._folder):
                shutil.rmtree(folder, ignore_errors=True)

    def _installing(self) -> Installer:
        with self._guard:
            if self._installer is None:
                self._installer = Installer(self._allowed.wheels, ways_out=self._allowed.ways_out)
            return self._installer

    def _alone(self, name: str) -> threading.Lock:
        with self._guard:
            return self._single[name]


def _write_environment(folder: Path, lock: Lock) -> None:
    packages_folder(folder).mkdir(parents=True)
    add_interpreter(folder)
    (folder / LOCK_FILE).write_text(lock.text, encoding="utf-8")


def add_interpreter(folder: Path) -> None:
    """What makes a folder with packages a virtual environment. Source: PEP 405.

    Raises:
        OSError: it can't be written.
    """
    python = interpreter()
    (folder / "bin").mkdir()
    for name in ("python", "python3", f"python3.{sys.version_info.minor}"):
        (folder / "bin" / name).symlink_to(python)
    version = ".".join(map(str, sys.version_info[:3]))
    about = f"home = {Path(python).parent}\ninclude-system-site-packages = false\nversion = {version}\n"
    (folder / "pyvenv.cfg").write_text(about, encoding="utf-8")


def _put(new: Path, final: Path) -> None:
    # After a power cut nobody looks whether all of it is there. Of thousands of files, each by itself would take longer.
    os.sync()
    try:
        new.rename(final)
    except OSError:
        # Another process was quicker.
        if not final.is_dir():
            raise
