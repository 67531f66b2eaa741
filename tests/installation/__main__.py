"""Install all distributions as strangers do, outside the checkout, and use them.

python -m tests.installation                    on every Python from 3.11 to 3.13 that is here
python -m tests.installation 3.12               on one
python -m tests.installation --keep FOLDER      leave the wheels and the environments in a new folder

The wheels are built and checked. In each environment, third parties' packages come from the index and the project's own from the
wheels alone; the README's first commands are followed; nothing is left after all is uninstalled. On the first Python, a user who is
not root does this, without bubblewrap, and again with compiled wheels if ``python3 dev.py compile`` has made some. On the last one,
what older versions left is read.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import dev
from release.builds import build
from release.checks import check
from release.errors import ReleaseError
from release.metadata import ROOT, project
from tests.installation.environments import (
    STRANGER,
    WANTED,
    Installation,
    InstallationError,
    own_names,
    python_for,
    third_parties,
)
from tests.installation.readme import follow
from tests.installation.upgrade import upgrade

PYTHONS: Final = ("3.11", "3.12", "3.13")
DEMO: Final = "tournaments/tiltyard_kit_commands/demo.py"
"""What ``tiltyard demo`` is; it needs no more than an installation."""


def main(arguments: list[str]) -> int:
    """Try everything.

    Returns:
        The exit status.
    """
    keep = Path(arguments[arguments.index("--keep") + 1]) if "--keep" in arguments else None
    versions = [word for word in arguments if word in PYTHONS] or PYTHONS
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with _folder(keep) as scratch:
        try:
            installations(versions, scratch)
        except (InstallationError, ReleaseError) as error:
            print(error, file=sys.stderr)
            return 1
    return 0


def installations(versions: tuple[str, ...] | list[str], scratch: Path) -> None:
    """Build and check, and try on each of these versions of Python.

    Raises:
        InstallationError, ReleaseError: what a stranger would stumble over.
    """
    wheels = scratch / "wheels"
    with _told("build and check all distributions") as told:
        build(wheels)
        check(wheels)
        told.append(f"{len(list(wheels.iterdir()))} files")
    optional = {project.name for project in dev.plugins() if dev.is_optional(project)}
    own = [path for path in sorted(wheels.glob("*.whl")) if not any(f"_{name}-" in path.name for name in optional)]
    packages = third_parties(own)
    for number, version in enumerate(versions):
        stranger = STRANGER if number == 0 and os.geteuid() == 0 and python_for(version, STRANGER) else None
        python = python_for(version, stranger)
        if python is None:
            print(f"no Python {version}: not tried", flush=True)
            continue
        installation = Installation(scratch / version, python, stranger, with_bubblewrap=number > 0)
        who = f"{stranger or 'this user'}, {'with' if number else 'without'} bubblewrap"
        with _told(f"Python {version}, {who}") as told:
            installation.make()
            installation.install(*packages)
            before = installation.files()
            if number == len(versions) - 1:
                told.append(upgrade(installation, wheels, scratch / "past"))
            else:
                installation.install("--no-index", "--find-links", str(wheels), WANTED)
            told.append(f"commands of the README: {follow(installation)}")
            if number == 0 and (ROOT / DEMO).exists():
                installation.run("tiltyard demo && ls tiltyard-demo/*/site/index.html")
                told.append("tiltyard demo")
            installation.run("python -m tiltyard run --help")
            told.append(doctor(installation, "pure Python"))
            installation.uninstall(own_names(own))
            if left := installation.files() ^ before:
                raise InstallationError(f"after all is uninstalled, these files are left or missing: {sorted(left)}")
            if fits(version, dev.COMPILED_WHEELS):
                installation.install("--no-index", "--find-links", str(wheels), "--find-links", str(dev.COMPILED_WHEELS), WANTED)
                doctor(installation, "compiled")
                told.append("compiled wheels are preferred")


def fits(version: str, folder: Path) -> bool:
    """Whether there are compiled wheels of what is released, for this version of Python."""
    tag = f"-{project()['version']}-cp{version.replace('.', '')}-"
    return len([path for path in folder.glob("*.whl") if tag in path.name]) == len(dev.COMPILED_PLUGINS)


def doctor(installation: Installation, build_of_rules: str) -> str:
    """What the doctor says, held against what there is.

    Args:
        installation: where it is asked.
        build_of_rules: what it must say of each game's rules.

    Returns:
        The level of isolation.

    Raises:
        InstallationError: it says something else.
    """
    said = installation.run("tiltyard doctor --format plain")
    level = next(line.split()[1] for line in said.splitlines() if line.startswith("level"))
    if not installation.with_bubblewrap and (level == "A" or "install bubblewrap" not in said):
        raise InstallationError(f"there is no bubblewrap, and 'tiltyard doctor' says\n{said}")
    rules = [line for line in said.splitlines() if line.startswith("rules:")]
    if len(rules) != len(dev.COMPILED_PLUGINS) or not all(build_of_rules in line for line in rules):
        raise InstallationError(f"the installed rules are {build_of_rules}, and 'tiltyard doctor' says\n{said}")
    return f"level {level}"


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """A folder outside the checkout that every user may enter."""
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="tiltyard-installed-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def _told(what: str) -> Iterator[list[str]]:
    """Say what was done, and what it took."""
    told: list[str] = []
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    yield told
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what}: {'; '.join(told)} ({time.monotonic() - begun:.0f} s, {cpu:.0f} s of CPU)", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
