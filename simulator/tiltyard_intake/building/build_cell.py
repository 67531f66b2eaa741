"""The cell in which the steps of a build run: what lies there, what it has made, and why a step failed.

A build is a stranger's program: a Makefile may do anything. So it runs as an external program does, with more time, memory and
files, and may execute what it has made in its own scratch folder. It reads compilers and its own sources, and nothing of other
teams.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramError, signal_name
from tiltyard_engine.recipes import Step
from tiltyard_engine.results import Termination
from tiltyard_intake.building.expansion import Places
from tiltyard_intake.building.first_error import first_error
from tiltyard_intake.building.second_tries import FOLDER, Allowance, first_allowance
from tiltyard_intake.building.toolchains import Tool
from tiltyard_intake.environments.package_folder import BuildPackages
from tiltyard_intake.environments.package_requests import PackageRequest
from tiltyard_intake.recipes.product_choice import Candidate
from tiltyard_intake.trees.file_names import file_stem
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.policy import CLEAN, Level
from tiltyard_simulator.guard.programs.build_client import BuildClient, BuildFile
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

EPOCH: Final = "315619200"
"""1980-01-02: what compilers take for now, and the earliest that archives can hold."""
TEMPORARY: Final = "temporary"
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]")


class BuildFailedError(Exception):
    """A build did not lead to its product; the message says why."""


@dataclass(kw_only=True)
class BuildCell:
    """The cell of one build. It is opened when it is first needed."""

    team: str
    root: str
    """The folder of the build below that of the sources; empty if it is the same."""
    sources: Mapping[str, BuildFile]
    headers: Mapping[str, BuildFile]
    """The recipe's own files."""
    files: Sequence[str]
    """The names of the sources below the root."""
    tools: Mapping[str, Tool]
    limits: Limits
    policy: IsolationPolicy
    pool: CellPool | None
    """Whose cells are used; None: a new one."""
    packages: BuildPackages
    """The organiser's, such as crates."""
    requests: Callable[[], Sequence[PackageRequest]]
    """The packages that the work asks for."""
    log: list[str] = field(default_factory=list)
    """The commands and what they printed."""
    last_output: str = ""
    """Of the command that was run last."""

    def __post_init__(self) -> None:
        self._client: BuildClient | None = None
        self._stack = contextlib.ExitStack()
        self._allowance = self._first = first_allowance(self.sources)
        self._is_second_try = False

    def close(self) -> None:
        """Kill all that runs there."""
        self._stack.close()

    @property
    def is_open(self) -> bool:
        """Whether anything was asked of it."""
        return self._client is not None

    @property
    def is_alive(self) -> bool:
        """Whether more can be asked of it."""
        return self._client is not None and self._client.error is None

    @property
    def is_second_try(self) -> bool:
        """Whether this is a second try."""
        return self._is_second_try

    @property
    def allowance(self) -> Allowance:
        """What its compilers do differently."""
        return self._allowance

    @contextlib.contextmanager
    def second_try(self, allowance: Allowance) -> Iterator[None]:
        """A second try: a new cell, with other compilers."""
        # From new: what was configured before knows the compiler by its path.
        self._client, self._allowance, self._is_second_try = None, allowance, True
        try:
            yield
        finally:
            self._allowance, self._is_second_try = self._first, False

    def run(self, step: Step) -> str:
        """Run a step; why it failed, or an empty string."""
        client = self._open()
        self._stop_if_abandoned()
        tool = self.tools[step.tool]
        where = client.scratch
        places = Places(
            f"{where}/{self._source}", f"{where}/out", f"{where}/headers", file_stem(self.team), self.files, str(self.packages.view)
        )
        words = [*places.words(step), *self.packages.options(step.tool, step.words)]
        command = ["/usr/bin/env", "-C", places.folder(step), tool.path, *words]
        environment = dict(self._environment(where))
        for name, value in places.environment(step).items():
            environment[name] = f"{value}:{environment[name]}" if name == "PATH" else value
        self.log.append(self._cleaned(f"$ {' '.join([step.tool, *words])}\n"))
        try:
            with self._explained():
                call = client.run(command, environment, self.limits.move_seconds, step.tool)
        except BuildFailedError as failed:
            self.log.append(f"{failed}\n")
            raise
        output = self._cleaned(
            (call.stdout + b"\n" * (not call.stdout.endswith(b"\n")) + call.stderr).decode("utf-8", "backslashreplace")
        )
        self.last_output = output
        self.log.append(output.strip("\n") + "\n")
        if not call.signal and not call.exit_code:
            return ""
        how = f"was killed by {signal_name(call.signal)}" if call.signal else f"exited with code {call.exit_code}"
        self.log.append(f"{step.tool} {how}\n")
        return first_error(output) or f"{step.tool} {how}"

    def outputs(self) -> list[Candidate]:
        """What is in the build's folders, what it has made beside the sources included."""
        client = self._open()
        with self._explained():
            listing = client.list_files(["out", self._source])
        candidates: list[Candidate] = []
        for file in listing:
            for top in ("out", self._source):
                if file.name.startswith(f"{top}/"):
                    candidates.append(Candidate(file.name.removeprefix(f"{top}/"), file.name, file.head))
                    break
        return candidates

    def take(self, places: Sequence[str]) -> Mapping[str, bytes]:
        """The files at these places."""
        client = self._open()
        with self._explained():
            return client.take_files(places, self.limits.file_bytes, self.limits.reply_bytes)

    @property
    def _source(self) -> str:
        return f"source/{self.root}".rstrip("/")

    def _open(self) -> BuildClient:
        if self._client is not None:
            return self._client
        isolation = self.policy.isolation or Isolation.SANDBOX
        # A pool of the caller's may confine at a lower level than this machine can.
        weak = self.pool is None or self.pool.confinement.level is Level.C
        refusal = self.policy.refusal() if isolation is Isolation.SANDBOX and weak else ""
        if refusal:
            raise UserError(f"builds run the teams' code: {refusal}", see="no-sandbox")
        pool = self.pool if self.pool is not None else self._stack.enter_context(CellPool(reserve=0))
        self._stack.callback(pool.end_match)
        readable = [path for tool in self.tools.values() for path in tool.readable] + self.packages.make()
        with self._explained():
            client = pool.open_build(list(dict.fromkeys(readable)), self.limits, isolation)
            files = {f"source/{name}": file for name, file in self.sources.items()}
            files |= {f"headers/{name}": file for name, file in self.headers.items()}
            if self.packages.kinds:
                files |= {f"home/{name}": file for name, file in self.packages.settings(self.requests()).items()}
            if self._allowance != Allowance():
                files |= self._allowance.scripts()
            client.write_files(files, ["out", "headers", "home", TEMPORARY, self._source])
        self._client = client
        return client

    def _environment(self, scratch: str) -> Mapping[str, str]:
        home = f"{scratch}/home"
        folders = [str(Path(tool.path).parent) for tool in self.tools.values()]
        elsewhere = [folder for folder in dict.fromkeys(folders) if folder not in CLEAN["PATH"].split(":")]
        variables = {
            name: value.replace("{home}", home) for tool in self.tools.values() for name, value in tool.environment.items()
        }
        return {
            "PATH": ":".join([*([f"{scratch}/{FOLDER}"] if self._allowance != Allowance() else []), *elsewhere, CLEAN["PATH"]]),
            "HOME": home,
            "TMPDIR": f"{scratch}/{TEMPORARY}",
            "LC_ALL": "C.UTF-8",
            "SOURCE_DATE_EPOCH": EPOCH,
            "ZERO_AR_DATE": "1",
            **variables,
            **self.packages.environment(home, self.files),
        }

    def _cleaned(self, text: str) -> str:
        """A text for people: without the names of the scratch folder and of that of packages, and what terminals would obey."""
        if self.packages.packages:
            text = text.replace(f"{self.packages.view}/", "packages/")
        if self._client is not None:
            scratch = self._client.scratch
            text = (
                text.replace(f"{scratch}/{self._source}/", "").replace(f"{scratch}/{self._source}", ".").replace(f"{scratch}/", "")
            )
        return _ESCAPES.sub("", text.replace("\r\n", "\n"))

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the guard says about a build into why it failed."""
        try:
            yield
        except ProgramError as error:
            self._stop_if_abandoned()
            if error.termination is Termination.VOID:
                raise UserError(f"the build of {self.team} could not be run: {error.message}") from error
            message = error.message.replace(": no answer within", " did not end within")
            raise BuildFailedError(f"the build was stopped: {message}") from error
        except ZygoteLostError as error:
            raise UserError(f"the build of {self.team} could not be run: {error}") from error

    def _stop_if_abandoned(self) -> None:
        """Say nothing of the team if it was we who killed its build."""
        if self.pool is not None and self.pool.is_abandoned:
            raise UserError(f"the build of {self.team} was stopped")
