"""Running the ``console`` blocks of a Markdown page, in order, in a folder of their own.

    .venv/bin/python tests/docs/console.py PAGE ...     runs the pages and puts what is printed now where it differs

A line of expected output that holds ``...`` is kept where it still fits, so that paths and times stay general. A command of a
``console background`` block, such as a server, runs until the page ends.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import dropwhile
from pathlib import Path

from tiltyard_intake.building.toolchains import find_tool

ROOT = Path(__file__).resolve().parents[2]

KEPT = ("probe-?.json", "libtiltyard_native-*.so", "tiltyard-native-host-*")
"""What tiltyard keeps that is the same for all pages: what this machine can confine, and its own compiled programs."""
KEPT_VARIABLES = ("TILTYARD_ISOLATION", "TILTYARD_CONFINEMENT", "HYPOTHESIS_STORAGE_DIRECTORY")
OPTIONAL = "openspiel"
"""A plugin that not every machine has. What other pages print doesn't depend on it."""

BLOCK = re.compile(
    r"<!-- file: (?P<hidden>\S+)\n(?P<hidden_text>.*?)-->|<!-- needs: (?P<needs>[^\n]*?) -->"
    r"|<!-- run: (?P<run>[^\n]*) -->"
    r"|^```(?P<kind>\S*)(?P<rest>[^\n]*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)

PIP = """\
#!/bin/sh
# Installs beside the project's environment, not into it, and without a network. An editable package is a link.
shift
editable= packages=
for word in "$@"; do case "$word" in -e) editable=yes ;; -*) ;; *) packages="$packages $word" ;; esac; done
{python} -m uv --quiet --offline pip install --python {python} --target {target} \\
    --no-build-isolation --no-deps --no-sources $packages || exit
if [ -n "$editable" ]; then
    for package in $packages; do
        for folder in {target}/*/; do
            name=$(basename "$folder")
            if [ -d "$package/$name" ]; then rm -r {target}/"$name" && ln -s "$(realpath "$package/$name")" {target}/"$name"; fi
        done
    done
fi
"""


@dataclass
class Command:
    """A line after ``$ `` and what it is said to print."""

    line: str
    number: int
    expected: list[str] = field(default_factory=list)

    def shows(self, found: str) -> bool:
        """Whether it has printed what the page shows."""
        return matches("\n".join(line.rstrip() for line in self.expected).rstrip(), found)


@dataclass
class Service(Command):
    """A command that runs until the page ends; it is expected to print the lines that the page shows, and may print others.

    They may come in any order: several processes of a service may print.
    """

    def shows(self, found: str) -> bool:
        printed = found.splitlines()
        for expected in self.expected:
            line = next((line for line in printed if matches(expected.rstrip(), line.rstrip())), None)
            if line is None:
                return False
            printed.remove(line)
        return True


@dataclass
class File:
    """A file that the page shows, or one that it needs and does not show."""

    name: str
    text: str


class MissingToolError(Exception):
    """The rest of a page needs what this machine lacks."""


@dataclass
class Needs:
    """Tools and Python packages that the page's commands need from here on."""

    tools: list[str]

    def missing(self) -> list[str]:
        """Those that this machine lacks."""
        return [tool for tool in self.tools if find_tool(tool) is None and importlib.util.find_spec(tool) is None]


@dataclass
class Preparation:
    """A command that the page needs and does not show. It must succeed."""

    line: str


@dataclass
class Edit:
    """Code that goes into a Python file that is there already."""

    name: str
    text: str


def steps(page: str) -> Iterator[Command | Service | File | Preparation | Edit | Needs]:
    """The commands, files and edits of a page, in order.

    A block of another kind is a file if its first line says so: three backticks, the language, ``title=NAME``; an edit
    has ``into=NAME`` there.
    """
    for match in BLOCK.finditer(page):
        if match["hidden"]:
            yield File(match["hidden"], match["hidden_text"])
        elif match["needs"]:
            yield Needs(match["needs"].split())
        elif match["run"]:
            yield Preparation(match["run"])
        elif match["kind"] == "console":
            kind = Service if match["rest"].strip() == "background" else Command
            yield from _commands(match["text"], page.count("\n", 0, match.start()) + 2, kind)
        elif "title=" in match["rest"]:
            yield File(match["rest"].split("title=")[1].strip(), match["text"])
        elif "into=" in match["rest"]:
            yield Edit(match["rest"].split("into=")[1].strip(), match["text"])


def _commands(text: str, first_line: int, kind: type[Command]) -> Iterator[Command]:
    command: Command | None = None
    for number, line in enumerate(text.splitlines(), start=first_line):
        if line.startswith("$ "):
            if command is not None:
                yield command
            command = kind(line[2:], number)
        elif command is not None:
            command.expected.append(line)
    if command is not None:
        yield command


def _with_functions(text: str, code: str) -> str:
    new, old = _functions(code), _functions(text)
    place = next(old[name] for name in new if name in old)
    added = [source for name, source in new.items() if name not in old]
    for name in new.keys() & old.keys():
        source = new[name] if old[name] != place else "\n\n\n".join([*added, new[name]])
        text = text.replace(old[name], source)
    return text


def _functions(text: str) -> dict[str, str]:
    found = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_source_segment(text, node) or "" for node in found}


METHOD = re.compile(r"^    def (\w+)\(.*?(?=^    def |\Z)", re.DOTALL | re.MULTILINE)
"""A method of a file's last class, with the empty lines after it."""


def edited(text: str, code: str) -> str:
    """A module with ``code`` put in, as a reader of the page would do it.

    Code that begins with a class is methods: each takes the place of the method of its name in that class, or goes to its end.
    Code that begins with a function is functions: each takes the place of the one of its name, or goes before the first that does.
    Other code goes before the class.
    """
    if code.startswith("def "):
        return _with_functions(text, code)
    if not code.startswith("class "):
        place = text.index("\n\nclass ")
        return f"{text[:place].rstrip()}\n\n{code.rstrip()}\n{text[place:]}"
    before, own, after = _around_class(text, code)
    for new in METHOD.finditer(code):
        method = new[0].rstrip()
        old = next((found for found in METHOD.finditer(own) if found[1] == new[1]), None)
        start, end = old.span() if old else (len(own), len(own))
        own = f"{own[:start].rstrip()}\n\n{method}\n\n{own[end:]}".rstrip() + "\n"
    return before + own + after


def _around_class(text: str, code: str) -> tuple[str, str, str]:
    """A module before the class that ``code`` begins with, the class itself, and what comes after it."""
    start = text.index(re.match(r"class \w+", code)[0])  # type: ignore[index]
    end = re.compile(r"^\S", re.MULTILINE).search(text, text.index("\n", start) + 1)
    stop = end.start() if end else len(text)
    own = text[start:stop]
    return text[:start], own, text[start + len(own.rstrip()) + 1 : stop] + text[stop:]


def matches(expected: str, found: str) -> bool:
    """Whether the output is as shown; ``...`` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, found, re.DOTALL) is not None


SERVICE_SECONDS = 60.0
"""How long a service may take until it has printed what the page shows, and until it has ended."""
PORT = "8000"
"""The port of servers on pages. While a page runs, another one stands for it, so that several pages can run at once."""


@contextmanager
def started(command: Service, folder: Path, environment: Mapping[str, str], port: str) -> Iterator[str]:
    """Run a service; what it has printed when it has printed what is expected, or has ended."""
    log = folder / f".service-{command.number}"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {_with_port(command.line, port)}"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        until = time.monotonic() + SERVICE_SECONDS
        while True:
            has_ended = process.poll() is not None
            found = log.read_text(encoding="utf-8").rstrip().replace(port, PORT)
            if has_ended or command.shows(found) or time.monotonic() > until:
                break
            time.sleep(0.05)
        yield found
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(SERVICE_SECONDS)
        finally:
            process.kill()


def _free_port() -> str:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def _with_port(line: str, port: str) -> str:
    return re.sub(rf"\b{PORT}\b", port, line)


def run(command: Command, folder: Path, environment: Mapping[str, str]) -> str:
    """What the command prints, both streams together, without spaces at line ends."""
    done = subprocess.run(
        ["bash", "-c", command.line],
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())


def is_setup(command: Command) -> bool:
    """Commands that set a machine up: the continuous integration runs them, not the tests."""
    words = list(dropwhile(lambda word: "=" in word, shlex.split(command.line)))
    return words[:2] == ["python3", "dev.py"] or words[:1] in (["git"], ["cd"], ["source"])


def needs_openspiel(page: str) -> bool:
    """Whether its commands play games of OpenSpiel, which not every machine has."""
    return any(isinstance(step, Command) and "openspiel" in step.line for step in steps(page))


def environment_for(folder: Path, blocked: str = OPTIONAL) -> Mapping[str, str]:
    """The project's commands first on the path, an installation folder of the page's own, nothing of the terminal's."""
    commands, target = folder / ".commands", folder / ".installed"
    commands.mkdir()
    pip = commands / "pip"
    pip.write_text(PIP.format(python=sys.executable, target=target))
    pip.chmod(0o755)
    if common := _common_cache():
        _copy_kept(common, _cache_of(folder))
    return {
        **{name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ},
        "PATH": os.pathsep.join([str(commands), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(target), os.environ.get("PYTHONPATH", "")])),
        "TILTYARD_BLOCK": blocked,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",  # both streams in the order of a terminal
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        # Readers don't have what is installed beside pytest here, and each start would load it.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def _cache_of(folder: Path) -> Path:
    return folder / ".cache" / "tiltyard"


def _common_cache() -> Path | None:
    """The cache of this process, if it was given one, as all tests are."""
    given = os.environ.get("XDG_CACHE_HOME")
    return Path(given, "tiltyard") if given else None


def _copy_kept(source: Path, target: Path) -> None:
    """Copy what the other cache lacks, each file in one step: several pages may be played at once."""
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for file in [found for pattern in KEPT for found in source.glob(pattern)]:
        if not (target / file.name).exists():
            with tempfile.TemporaryDirectory(dir=target, prefix=".copy-") as folder, suppress(FileNotFoundError):
                Path(shutil.copy(file, folder)).replace(target / file.name)


def with_commands(environment: Mapping[str, str], folder: Path) -> Mapping[str, str]:
    """The environment in which the commands of a folder take the place of those of the same name."""
    return {**environment, "PATH": os.pathsep.join([str(folder), environment["PATH"]])}


def play(page: str, folder: Path, quick: Path | None = None) -> Generator[tuple[Command, str], None, None]:
    """Do what a page says, in ``folder``; each command that is run, with what it printed.

    ``quick`` is a folder of commands that take the place of those of the same name, but for services.
    """
    environment = environment_for(folder, "" if needs_openspiel(page) else OPTIONAL)
    has_services = any(isinstance(step, Service) for step in steps(page))
    port = _free_port() if has_services else PORT
    of_commands = environment if quick is None else with_commands(environment, quick)
    with ExitStack() as services:
        if common := _common_cache():
            # The next page needn't make it anew.
            services.callback(_copy_kept, _cache_of(folder), common)
        for step in steps(page):
            if isinstance(step, Service):
                yield step, services.enter_context(started(step, folder, environment, port))
            elif isinstance(step, Command):
                if is_setup(step):
                    continue
                if "DOCS" in step.line and not (folder / "DOCS").exists():
                    shutil.copytree(ROOT / "docs", folder / "DOCS")
                found = run(replace(step, line=_with_port(step.line, port)), folder, of_commands)
                yield step, found.replace(port, PORT)
            elif isinstance(step, Needs):
                if step.missing():
                    raise MissingToolError(f"no {' and no '.join(step.missing())} here")
            elif isinstance(step, Preparation):
                paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), environment["PYTHONPATH"]])}
                words = ["bash", "-c", _with_port(step.line, port)]
                subprocess.run(words, cwd=folder, env={**of_commands, **paths}, check=True)
            else:
                file = folder / step.name
                file.parent.mkdir(parents=True, exist_ok=True)
                text = step.text if isinstance(step, File) else edited(file.read_text(encoding="utf-8"), step.text)
                file.write_text(text, encoding="utf-8")


def refreshed(page: str) -> str:
    """The page with what its commands print today."""
    lines = page.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        played = list(play(page, Path(folder)))
    for command, found in reversed(played):
        if not command.shows(found):
            lines[command.number : command.number + len(command.expected)] = found.splitlines()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
