#!/usr/bin/env python3
"""Set the project up and run a job, on a machine that has Python 3.11 or newer, pip and venv.

    python3 dev.py demo       the main job: a round robin of the sample teams on the shipped maps
    python3 dev.py test       all tests, several at a time; more arguments go to pytest
    python3 dev.py test-on 3.13   the tests of engine, kit and formats on another Python; more arguments go to pytest
    python3 dev.py lint       ruff, codespell and mypy
    python3 dev.py docs       the site of the documentation, into build/docs/
    python3 dev.py compile    the compiled build, into .compiled/
    python3 dev.py run ...    any command of the environment, such as: run tiltyard --help
    python3 dev.py setup      only make or mend the environment

The environment is .venv beside this file, with the versions that uv.lock names. It is made again only when uv.lock or a
pyproject.toml changes. Another Python has an environment of its own, such as .venv-3.13.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
NEXT = "Next: 'source .venv/bin/activate', then 'tiltyard', which says what there is to do."
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
LOCK = ROOT / "uv.lock"
COMPILED = ROOT / ".compiled"
COMPILED_WHEELS = COMPILED / "wheels"
COMPILED_PLUGINS = ("tanks", "filler", "penguins", "advance")
KEPT_BUILDS = "TILTYARD_BUILDS"
"""The variable with a folder for compiled wheels: the next build of the same sources with the same tools takes them from there."""
MOST_KEPT = 5
TESTS_ON_EVERY_PYTHON = (
    *("tests/engine", "tests/kit/game_check", "tests/kit/terminal", "tests/kit/test_conformance.py", "tests/kit/test_testing.py"),
    "tests/kit_commands/test_play_game.py",
    "tests/tournaments/formats",
    # They read the code, which is the same on every Python.
    "--ignore=tests/engine/test_imports.py",
)
LEAST = (3, 11)
UV_ENVIRONMENT = os.environ | {"UV_SYSTEM_CERTS": "1"}
"""Like pip, uv is to trust the machine's certificates."""
DEMO_MAPS = ("back-yard", "narrow-pass", "open-field", "minefield", "city-blocks")
"""The smaller shipped maps: all together take more than a minute."""


def rooms() -> list[Path]:
    """Folders of the distributions that every environment has: the engine, the root, and every plugin that is not optional."""
    return [ROOT / "engine", ROOT, *(room for room in plugins() if not is_optional(room))]


def with_extras(room: Path) -> str:
    """The requirement for a folder: the root's commands are to work, those of a league too."""
    return f"{room}[league]" if room == ROOT else str(room)


def plugins() -> list[Path]:
    """Folders of the plugins' distributions."""
    return sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))


def is_optional(room: Path) -> bool:
    """Whether a distribution needs large packages that not every Python has, as its pyproject.toml says."""
    return bool(read_toml(room / "pyproject.toml").get("tool", {}).get("tiltyard", {}).get("optional", False))


def fingerprint(python: str) -> str:
    """A digest of everything that the environment is made from."""
    digest = hashlib.sha256(python.encode() + LOCK.read_bytes())
    for room in [ROOT / "engine", ROOT, *plugins()]:
        digest.update(str(room.relative_to(ROOT)).encode())
        digest.update((room / "pyproject.toml").read_bytes())
    return digest.hexdigest()


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds."""
    import tomllib  # Not above: an older Python is to be told what it lacks.

    with path.open("rb") as file:
        return tomllib.load(file)


def requirements(group: str) -> list[str]:
    """The requirements of a dependency group, with those of the groups that it includes."""
    groups: dict[str, list[str | dict[str, str]]] = read_toml(ROOT / "pyproject.toml")["dependency-groups"]
    found: list[str] = []
    for entry in groups[group]:
        found += [entry] if isinstance(entry, str) else requirements(entry["include-group"])
    return found


def locked_versions() -> list[str]:
    """The versions in uv.lock, as constraints that pip understands.

    A package that has several versions there has one for each of some environments, which its markers name.
    """
    lines: list[str] = []
    for package in read_toml(LOCK)["package"]:
        if "registry" in package["source"]:
            markers = " or ".join(f"({marker})" for marker in package.get("resolution-markers", ()))
            lines.append(f"{package['name']}=={package['version']}" + (f" ; {markers}" if markers else ""))
    return lines


def set_up(*groups: str, folder: Path = ENVIRONMENT, python: str = sys.executable) -> None:
    """Make the environment ``folder`` with some dependency groups, or leave it alone if it is already as it should be.

    What has the group ``dev`` has all that is ever asked for.
    """
    wanted = fingerprint(sys.version if python == sys.executable else python)
    rooms_stamp = folder / "rooms.stamp"
    stamp = folder / f"{'-'.join(groups)}.stamp" if groups else rooms_stamp
    if any(path.is_file() and path.read_text() == wanted for path in (stamp, folder / "dev.stamp")):
        return
    has_rooms = rooms_stamp.is_file() and rooms_stamp.read_text() == wanted
    print(f"setting up {folder.relative_to(ROOT)} ...", file=sys.stderr, flush=True)
    if folder != ENVIRONMENT and set_up_with_uv(*groups, folder=folder, python=python):
        stamp.write_text(wanted)
        return
    if not any((folder / SCRIPTS / name).exists() for name in ("pip", "pip.exe")):
        run(python, "-m", "venv", "--clear", str(folder))
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{line}\n" for line in locked_versions()))
    pip = [command("python", folder), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    pip += ["--constraint", str(constraints)]
    install = with_uv(pip, folder, constraints)
    # With the build tools in the environment, no build environment is needed for every room.
    run(*install, *requirements("build"), environment=UV_ENVIRONMENT)
    editable = [] if has_rooms else [argument for room in rooms() for argument in ("--editable", with_extras(room))]
    packages = [requirement for group in groups for requirement in requirements(group)]
    run(*install, "--no-build-isolation", *editable, *packages, environment=UV_ENVIRONMENT)
    if "dev" in groups:
        for room in filter(is_optional, plugins()):
            install_optional(install, room)
    # Commands, cells and tests start from byte code. Python writes none for some who forbid it, and a sandbox can't.
    sources = [str(room) for room in rooms() if room != ROOT] + [str(ROOT / name) for name in ("simulator", "tournaments")]
    run(command("python", folder), "-m", "compileall", "-q", "-j", "0", *sources)
    if not groups:
        # Unlike pip, uv compiles nothing of what it installs. It is what teams import too.
        others = [str(path) for pattern in ("lib/*/site-packages", "Lib/site-packages") for path in folder.glob(pattern)]
        words = ["-m", "compileall", "-qq", "-j", "0", "-x", r"[/\\](tests|lexers|styles)[/\\]", *others]
        subprocess.run([command("python", folder), *words], check=False)
    stamp.write_text(wanted)


def with_uv(pip: list[str], folder: Path, constraints: Path) -> list[str]:
    """How packages are best installed: by uv if pip finds it and it reaches an index, which takes a fifth of pip's time."""
    if folder != ENVIRONMENT:
        return pip
    if working_uv() is None:
        own = [requirement for requirement in requirements("dev") if requirement.startswith("uv>")]
        tried = subprocess.run([*pip, "--only-binary", ":all:", *own], cwd=ROOT, stderr=subprocess.DEVNULL, check=False)
        if tried.returncode:
            return pip
        working_uv.cache_clear()
    uv = working_uv()
    return pip if uv is None else [*uv, "pip", "install", "--python", command("python", folder), "--constraint", str(constraints)]


def set_up_with_uv(*groups: str, folder: Path, python: str) -> bool:
    """Make an environment with the uv of the main one, which takes a fifth of pip's time; whether that worked."""
    uv = working_uv()
    if uv is None:
        return False

    def works(*words: str) -> bool:
        return subprocess.run([*uv, *words], cwd=ROOT, env=UV_ENVIRONMENT, stderr=subprocess.DEVNULL, check=False).returncode == 0

    if not works("venv", "--clear", "--seed", "--python", python, str(folder)):
        return False
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{line}\n" for line in locked_versions()))
    install = ["pip", "install", "--python", command("python", folder), "--constraint", str(constraints)]
    editable = [argument for room in rooms() for argument in ("--editable", str(room))]
    wanted = [requirement for group in groups for requirement in requirements(group)]
    return works(*install, *requirements("build")) and works(*install, "--no-build-isolation", *editable, *wanted)


@functools.cache
def working_uv() -> list[str] | None:
    """The uv of the main environment, if there is one that reaches an index: it doesn't know what pip is set to."""
    uv = command("uv")
    if not any(Path(uv + end).is_file() for end in ("", ".exe")):
        return None
    with tempfile.TemporaryDirectory() as folder:
        words = [uv, "--quiet", "pip", "install", "--dry-run", "--no-deps", "--refresh", "--target", folder, "editables"]
        reached = subprocess.run(words, cwd=ROOT, env=UV_ENVIRONMENT, stderr=subprocess.DEVNULL, check=False)
    return [uv, "--quiet"] if reached.returncode == 0 else None


def install_optional(install: list[str], room: Path) -> None:
    """Install a distribution if there are wheels of what it needs; its tests skip where it is missing."""
    words = [*install, "--no-build-isolation", "--only-binary", ":all:", "--editable", str(room)]
    tried = subprocess.run(words, cwd=ROOT, env=UV_ENVIRONMENT, capture_output=True, text=True, errors="replace", check=False)
    if tried.returncode:
        lines = map(str.strip, tried.stderr.splitlines())
        reasons = [line for line in lines if line.startswith(("ERROR", "error", "cause"))] or ["no reason was told"]
        print(f"{room.relative_to(ROOT)} is not installed, and its tests will be skipped: {reasons[-1]}", file=sys.stderr)


def command(name: str, folder: Path = ENVIRONMENT) -> str:
    """The path of a command of the environment."""
    return str(folder / SCRIPTS / name)


def run(*words: str, environment: dict[str, str] | None = None) -> None:
    """Run a command; if it fails, end with its status."""
    status = subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode
    if status:
        print(f"dev.py: this failed with status {status}: {' '.join(words)}", file=sys.stderr)
        sys.exit(status)


def compile_rules() -> None:
    """Build the compiled game plugins beside the pure ones; they are used where PYTHONPATH names them."""
    shutil.rmtree(COMPILED, ignore_errors=True)
    pip = [command("python"), "-m", "pip", "--disable-pip-version-check"]
    kept = Path(os.environ[KEPT_BUILDS]) / build_fingerprint() if os.environ.get(KEPT_BUILDS) else None
    if kept is not None and kept.is_dir():
        shutil.copytree(kept, COMPILED_WHEELS)
        kept.touch()
    else:
        build_compiled_wheels(pip)
        if kept is not None:
            keep(COMPILED_WHEELS, kept)
    wheels = [str(path) for path in COMPILED_WHEELS.glob("*.whl")]
    run(*pip, "install", "--no-deps", "--quiet", "--target", str(COMPILED), *wheels)
    print(f"compiled; use it with PYTHONPATH={COMPILED.relative_to(ROOT)}")


def build_compiled_wheels(pip: list[str]) -> None:
    """Compile the game plugins."""
    with tempfile.TemporaryDirectory() as folder:
        # From copies: the compiler leaves its products beside the sources, where they would take the sources' place.
        copies = [str(shutil.copytree(ROOT / "plugins" / name, Path(folder) / name)) for name in COMPILED_PLUGINS]
        build = ["wheel", "--no-build-isolation", "--no-deps", "--quiet", "--wheel-dir", str(COMPILED_WHEELS)]
        run(*pip, *build, *copies, environment=os.environ | {"HATCH_BUILD_HOOKS_ENABLE": "1"})


def build_fingerprint() -> str:
    """A digest of all that compiled wheels are made from: sources with the types that they import, and the tools."""
    compiler = [*(os.environ.get("CC") or "cc").split(), "--version"]
    tools = subprocess.run(compiler, capture_output=True, check=False).stdout if shutil.which(compiler[0]) else b""
    digest = hashlib.sha256(sys.version.encode() + tools + LOCK.read_bytes() + Path(__file__).read_bytes())
    for folder in (ROOT / "engine", *(ROOT / "plugins" / name for name in COMPILED_PLUGINS)):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(ROOT)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def keep(made: Path, kept: Path) -> None:
    """Keep what was just made, whole or not at all, and forget what was not used for longest."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".") as folder:
        copy = shutil.copytree(made, Path(folder) / "copy")
        if not kept.exists():
            copy.rename(kept)
    for old in sorted(kept.parent.glob("[0-9a-f]*"), key=lambda path: path.stat().st_mtime)[:-MOST_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def in_parallel(rest: list[str]) -> list[str]:
    """Options for several test processes, two a core: the tests often wait for programs."""
    asked = any(word.startswith(("-n", "--numprocesses", "--pdb")) for word in rest)
    return [] if asked else ["-n", str(2 * (os.cpu_count() or 1)), "--dist", "worksteal"]


def find_python(version: str) -> str | None:
    """An interpreter of that version that can make environments: one on the PATH, or one of pyenv's.

    pyenv puts a command for every version on the PATH, but only those that its user switched on do anything.
    """
    installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python{version}")
    for found in (shutil.which(f"python{version}"), *sorted(map(str, installed), reverse=True)):
        if found and subprocess.run([found, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode == 0:
            return found
    return None


def test_on(version: str, rest: list[str]) -> None:
    """Run tests on another version of Python, where this machine has it."""
    python = find_python(version)
    if python is None:
        print(f"no Python {version}: it is not tested")
        return
    folder = ROOT / f".venv-{version}"
    set_up("test", folder=folder, python=python)
    tests = [] if any(Path(word.partition("::")[0]).exists() for word in rest) else TESTS_ON_EVERY_PYTHON
    run(command("python", folder), "-m", "pytest", *in_parallel(rest), *tests, *rest)


def main(arguments: list[str]) -> None:
    """Run the job that the first argument names."""
    if sys.version_info < LEAST:
        sys.exit(f"dev.py: Python {LEAST[0]}.{LEAST[1]} or newer is needed, this is {sys.version.split()[0]}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    job, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    if job == "demo":
        set_up()
        maps = [word for name in DEMO_MAPS for word in ("--maps", name)]
        run(command("tiltyard"), "round-robin", *maps, *rest)
        print(f"\n{NEXT}", file=sys.stderr)
    elif job == "test":
        set_up("dev")
        run(command("python"), "-m", "pytest", *in_parallel(rest), *rest)
    elif job == "test-on" and rest:
        test_on(rest[0], rest[1:])
    elif job == "lint":
        set_up("dev")
        run(command("ruff"), "check")
        run(command("ruff"), "format", "--check")
        run(command("codespell"))
        run(command("mypy"))
    elif job == "docs":
        set_up("dev")
        # Anew each time: Sphinx warns only of the pages that it reads.
        options = ["--fresh-env", "--fail-on-warning", "--quiet", "--doctree-dir", "build/doctrees"]
        run(command("python"), "-m", "sphinx", *options, *rest, "docs", "build/docs")
    elif job == "compile":
        set_up("dev")
        compile_rules()
    elif job == "run" and rest:
        set_up("dev")
        run(command(rest[0]), *rest[1:])
    elif job == "setup":
        set_up("dev")
        print(f"{ENVIRONMENT.relative_to(ROOT)} is ready. {NEXT}", file=sys.stderr)
    else:
        print(__doc__)
        sys.exit(0 if job in ("help", "-h", "--help") else 2)


if __name__ == "__main__":
    main(sys.argv[1:])
