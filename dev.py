#!/usr/bin/env python3
"""Set the project up and run a job, on a machine that has Python 3.11 or newer, pip and venv.

    python3 dev.py demo       the main job: a round robin of the sample teams on the shipped maps
    python3 dev.py test       all tests, several at a time; more arguments go to pytest
    python3 dev.py lint       ruff and mypy
    python3 dev.py compile    the compiled build, into .compiled/
    python3 dev.py run ...    any command of the environment, such as: run tiltyard --help
    python3 dev.py setup      only make or mend the environment

The environment is .venv beside this file. It is made again only when a pyproject.toml changes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
SCRIPTS = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
COMPILED = ROOT / ".compiled"
COMPILED_PLUGINS = ("tanks", "filler", "penguins", "advance")
LEAST = (3, 11)
DEMO_MAPS = ("back-yard", "narrow-pass", "open-field", "minefield", "city-blocks", "herringbone")
"""The smaller shipped maps: all together take more than a minute."""


def rooms() -> list[Path]:
    """Folders of all distributions: the engine, the root, and every plugin."""
    return [ROOT / "engine", ROOT, *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]


def fingerprint() -> str:
    """A digest of everything that the environment is made from."""
    digest = hashlib.sha256(sys.version.encode())
    for room in rooms():
        digest.update(str(room.relative_to(ROOT)).encode())
        digest.update((room / "pyproject.toml").read_bytes())
    return digest.hexdigest()


def development_tools() -> list[str]:
    """The requirements of the ``dev`` dependency group."""
    import tomllib

    with (ROOT / "pyproject.toml").open("rb") as file:
        groups: dict[str, list[str]] = tomllib.load(file)["dependency-groups"]
    return groups["dev"]


def set_up(with_tools: bool) -> None:
    """Make .venv, or leave it alone if it is already as it should be."""
    stamp = ENVIRONMENT / ("tools.stamp" if with_tools else "rooms.stamp")
    wanted = fingerprint()
    done = [ENVIRONMENT / "tools.stamp"] if with_tools else [stamp, ENVIRONMENT / "tools.stamp"]
    if any(path.is_file() and path.read_text() == wanted for path in done):
        return
    print(f"setting up {ENVIRONMENT.relative_to(ROOT)} ...", file=sys.stderr, flush=True)
    if not (SCRIPTS / "python").exists() and not (SCRIPTS / "python.exe").exists():
        venv.create(ENVIRONMENT, with_pip=True)
    # With the build tools in the environment, pip need not make a build environment for every room.
    pip("install", "hatchling>=1.27", "editables")
    editable = [argument for room in rooms() for argument in ("--editable", str(room))]
    tools = development_tools() if with_tools else []
    pip("install", "--no-build-isolation", *editable, *tools)
    stamp.write_text(wanted)


def pip(*arguments: str) -> None:
    """Run pip of the environment, quietly."""
    run(str(SCRIPTS / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def run(*command: str, environment: dict[str, str] | None = None) -> None:
    """Run a command; if it fails, end with its status."""
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if status:
        print(f"dev.py: this failed with status {status}: {' '.join(command)}", file=sys.stderr)
        sys.exit(status)


def compile_rules() -> None:
    """Build the compiled game plugins beside the pure ones; they are used where PYTHONPATH names them."""
    shutil.rmtree(COMPILED, ignore_errors=True)
    environment = os.environ | {"HATCH_BUILD_HOOKS_ENABLE": "1"}
    python = str(SCRIPTS / "python")
    target = ["--no-build-isolation", "--no-deps", "--quiet", "--target", str(COMPILED)]
    with tempfile.TemporaryDirectory() as folder:
        # From copies: the compiler leaves its products beside the sources, where they would take the sources' place.
        copies = [str(shutil.copytree(ROOT / "plugins" / name, Path(folder) / name)) for name in COMPILED_PLUGINS]
        run(python, "-m", "pip", "--disable-pip-version-check", "install", *target, *copies, environment=environment)
    print(f"compiled; use it with PYTHONPATH={COMPILED.relative_to(ROOT)}")


def in_parallel(rest: list[str]) -> list[str]:
    """Options for several test processes, one more than there are cores: the tests mostly wait for programs."""
    asked = any(word.startswith(("-n", "--numprocesses", "--pdb")) for word in rest)
    return [] if asked else ["-n", str((os.cpu_count() or 1) + 1), "--dist", "worksteal"]


def main(arguments: list[str]) -> None:
    """Run the job that the first argument names."""
    if sys.version_info < LEAST:
        sys.exit(f"dev.py: Python {LEAST[0]}.{LEAST[1]} or newer is needed, this is {sys.version.split()[0]}")
    job, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    if job == "demo":
        set_up(with_tools=False)
        maps = [word for name in DEMO_MAPS for word in ("--maps", name)]
        run(str(SCRIPTS / "tiltyard"), "round-robin", *maps, *rest)
    elif job == "test":
        set_up(with_tools=True)
        run(str(SCRIPTS / "python"), "-m", "pytest", *in_parallel(rest), *rest)
    elif job == "lint":
        set_up(with_tools=True)
        run(str(SCRIPTS / "ruff"), "check")
        run(str(SCRIPTS / "ruff"), "format", "--check")
        run(str(SCRIPTS / "mypy"))
    elif job == "compile":
        set_up(with_tools=True)
        compile_rules()
    elif job == "run" and rest:
        set_up(with_tools=True)
        run(str(SCRIPTS / rest[0]), *rest[1:])
    elif job == "setup":
        set_up(with_tools=True)
    else:
        print(__doc__)
        sys.exit(0 if job in ("help", "-h", "--help") else 2)


if __name__ == "__main__":
    main(sys.argv[1:])
