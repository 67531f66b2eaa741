"""Builds what a team handed in, by the recipe that it was recognised by, in a cell of the guard.

A build is a stranger's program: a Makefile may do anything. So it runs as an external program does, with more time, memory and
files, and may execute what it has made in its own scratch folder. It reads compilers and its own sources, and nothing of other
teams.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramError, signal_name
from tiltyard_engine.recipes import Part, Product, Recipe, Step, Way
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.zygote import ZygoteLostError
from tiltyard_simulator.guard.confinement import CLEAN, Level
from tiltyard_simulator.guard.programs.held_build import BuildFile, HeldBuild
from tiltyard_simulator.intake.allowed_warnings import FOLDER, compilers, fails_by_warnings
from tiltyard_simulator.intake.expansion import Places
from tiltyard_simulator.intake.first_error import first_error
from tiltyard_simulator.intake.kept_builds import KeptBuilds, build_digest, kept_of
from tiltyard_simulator.intake.kept_builds import results_of as results_of_kept
from tiltyard_simulator.intake.patterns import matches
from tiltyard_simulator.intake.products import (
    Found,
    Result,
    choose,
    expected,
    file_stem,
    names_beside,
    places,
    put,
    results_of,
    why_not,
)
from tiltyard_simulator.intake.recognition import Recognised
from tiltyard_simulator.intake.source_files import names_in, read_file, read_sources
from tiltyard_simulator.intake.toolchains import find_tool, missing_tools
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import MEBIBYTE, Limits
from tiltyard_simulator.play.isolation_policy import IsolationPolicy

BUILD_LIMITS: Final = Limits(
    startup_seconds=10.0,
    move_seconds=240.0,
    match_seconds=600.0,
    wall_factor=2.0,
    memory_bytes=2048 * MEBIBYTE,
    file_bytes=256 * MEBIBYTE,
    scratch_bytes=1024 * MEBIBYTE,
    output_bytes=512 * 1024,
    reply_bytes=128 * MEBIBYTE,
)
"""What a build may use. ``move_seconds`` are for one command, ``match_seconds`` for the whole build, ``reply_bytes`` for
all products."""
EPOCH: Final = "315619200"
"""1980-01-02: what compilers take for now, and the earliest that archives can hold."""
HEAD_BYTES: Final = 64
IN_TREE: Final = "tree/"
"""How the places of files begin that are taken as they were handed in; the build's own folders have other names."""
TEMPORARY: Final = "temporary"
HANDED_IN: Final = "handed in"
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What came of a build."""

    team: str
    recipe: str = ""
    ways: tuple[str, ...] = ()
    """How each part was made, in the recipe's words."""
    products: tuple[Path, ...] = ()
    """What plays: files, and folders as a whole. Empty if the build failed."""
    seconds: float = 0.0
    """Wall time."""
    log: str = ""
    """The commands and what they printed."""
    error: str = ""
    """Why nothing plays; empty if something does. Of a compiler, its first error with file and line."""
    notes: tuple[str, ...] = ()
    """What the team should know although it plays, such as that its Makefile failed and the recipe's own commands were taken."""
    digest: str = ""
    """Of sources, recipe and compilers."""
    is_reused: bool = False
    """Whether an earlier build was taken, since nothing has changed."""

    @property
    def plays(self) -> bool:
        """Whether there is a team now."""
        return not self.error


class _FailedError(Exception):
    """A way did not lead to its product; the message says why."""


class _AbsentError(_FailedError):
    """Nothing like it was handed in."""


def build(
    recognised: Recognised,
    into: Path,
    limits: Limits = BUILD_LIMITS,
    *,
    team: str,
    game: str = "",
    policy: IsolationPolicy | None = None,
    pool: CellPool | None = None,
    kept: KeptBuilds | None = None,
    warnings_fail: bool = False,
    foretold: Callable[[Sequence[str]], None] = lambda _: None,
) -> Built:
    """Build a team and put it into the folder of teams. What a team does wrong becomes the error of the result.

    Several threads or processes may build at once, each with a pool of its own or none.

    Args:
        recognised: the tree and its recipe.
        into: the folder of teams; it is made if it is not there.
        limits: what the build may use.
        team: the team's name.
        game: what it plays, where the recipe is for every game.
        policy: how code of strangers is isolated; by default in a sandbox.
        pool: whose cells are used. It must not play a match meanwhile.
        kept: where builds are kept, and taken from if nothing has changed.
        warnings_fail: whether a build that fails only because its flags make errors of warnings has failed.
        foretold: called with what will be put into the folder of teams, relative to it, before that is done.

    Raises:
        UserError: this machine cannot confine builds, the tree cannot be read, or ``into`` cannot be written.
    """
    begun = time.monotonic()
    recipe = recognised.recipe
    if recipe is None:
        return Built(team=team, error=recognised.reason)
    job = _Job(recognised, recipe, team, recipe.game or game, limits, policy or IsolationPolicy(), pool, warnings_fail)
    digest = job.digest()
    found = kept.find(digest) if kept is not None else None
    error = ""
    if found is not None:
        results, job.ways, job.notes, log = results_of_kept(found), found.ways, found.notes, found.log
        error = found.error
    else:
        results, error = job.run()
        log = "".join(job.log)
        if kept is not None:
            kept.keep(digest, kept_of(results, job.ways, job.notes, log, error))
    products: Sequence[Path] = ()
    if not error:
        try:
            foretold(places(results))
            products = put(results, into)
        except OSError as problem:
            raise UserError(f"{into}: cannot be written: {problem.strerror}") from problem
    return Built(
        team=team,
        recipe=recipe.name,
        ways=tuple(job.ways),
        products=tuple(products),
        seconds=time.monotonic() - begun,
        log=log,
        error=error,
        notes=tuple(job.notes),
        digest=digest,
        is_reused=found is not None,
    )


@dataclass
class _Job:
    """One build."""

    recognised: Recognised
    recipe: Recipe
    team: str
    game: str
    limits: Limits
    policy: IsolationPolicy
    pool: CellPool | None
    warnings_fail: bool = False
    ways: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        tree = self.recognised.tree
        self.sources = read_sources(tree, self.recognised.names)
        self.headers = {name: file for path in self.recipe.headers for name, file in _own_files(Path(path))}
        self.files = [name for name in self.recognised.files if self._inner(name) in self.sources]
        self.tools = {name: tool for name in dict.fromkeys(self.recipe.tools()) if (tool := find_tool(name)) is not None}
        self._held: HeldBuild | None = None
        self._stack = contextlib.ExitStack()
        self._last_output = ""
        """Of the command that was run last."""
        self._allows_warnings = False

    def _inner(self, name: str) -> str:
        return f"{self.recognised.root}/{name}" if self.recognised.root else name

    def digest(self) -> str:
        prebuilt = {name: read_file(self.recognised.tree, name) for name in self.recognised.names if name not in self.sources}
        everything = {**self.sources, **prebuilt}
        root = self.recognised.root
        return build_digest(
            recipe=self.recipe,
            team=self.team,
            game=self.game,
            root=root,
            sources=everything,
            headers=self.headers,
            tools=self.tools.values(),
            warnings_fail=self.warnings_fail,
        )

    def run(self) -> tuple[list[Result], str]:
        """The files for the folder of teams, or why there are none."""
        results: list[Result] = []
        failures: list[tuple[Part, _FailedError]] = []
        with self._stack:
            for part in self.recipe.parts:
                try:
                    results += self._make(part)
                except _FailedError as failed:
                    if part.is_required:
                        return [], str(failed)
                    failures.append((part, failed))
        if not results:
            # Whoever handed in an algorithm alone is told of that one.
            tried = [each for each in failures if not isinstance(each[1], _AbsentError)]
            return [], "; ".join(_not_made(tried or failures)) or "nothing came out"
        self.notes += _not_made(failures)
        return results, ""

    # Parts and their ways

    def _make(self, part: Part) -> list[Result]:
        # An earlier part may have made it too, as where one Makefile builds everything.
        if self._held is not None and (made := self._collect(part.product, self._made())):
            return made
        ways, lacking = self._fitting_ways(part)
        problems: list[tuple[Way, _FailedError]] = []
        for way in ways:
            try:
                results = self._follow(part, way)
            except _FailedError as failed:
                problems.append((way, failed))
                if fails_by_warnings(self._last_output):
                    if self.warnings_fail:
                        raise
                    if made := self._follow_with_warnings(part, way, str(failed)):
                        return made
                continue
            self.ways.append(way.title)
            if problems:
                self.notes.append(f"{problems[0][0].title} failed ({problems[0][1]}); {part.title} was made from {way.title}")
            return results
        self.notes += lacking
        raise problems[0][1] if problems else _AbsentError(f"found nothing to make {part.title} from")

    def _follow_with_warnings(self, part: Part, way: Way, why: str) -> list[Result]:
        """What a way makes where warnings are no errors; empty if it fails all the same."""
        # From new: what was configured before knows the compiler by its path.
        self._held, self._allows_warnings = None, True
        self.log.append("\nAgain, without -Werror:\n")
        try:
            results = self._follow(part, way)
        except _FailedError:
            return []
        finally:
            self._allows_warnings = False
        self.ways.append(f"{way.title} without -Werror")
        self.notes.append(f"{way.title} makes errors of warnings, and failed by one ({why}); {part.title} was made without -Werror")
        return results

    def _fitting_ways(self, part: Part) -> tuple[list[Way], list[str]]:
        """The ways that can be gone, and what this machine lacks for others that come before them."""
        files = self.recognised.files
        fitting = [
            way
            for way in part.ways
            if all(any(matches(want, file) for file in files) for want in way.wants)
            and not any(matches(pattern, file) for pattern in way.rejects for file in files)
        ]
        usable = [way for way in fitting if not missing_tools(_tools_of(way))]
        if fitting and not usable:
            lacking = " and ".join(missing_tools(_tools_of(fitting[0])))
            raise _FailedError(f"needs {lacking}, which this machine does not have")
        before = fitting[: fitting.index(usable[0])] if usable else []
        return usable, [
            f"{way.title} needs {' and '.join(missing_tools(_tools_of(way)))}, which this machine does not have" for way in before
        ]

    def _follow(self, part: Part, way: Way) -> list[Result]:
        product = way.product or part.product
        if not way.steps:
            return self._collect_or_fail(product, self._in_tree(), HANDED_IN)
        failure = ""
        for step in way.steps:
            failure = self._do(step)
            if failure:
                break
        if failure:
            # A Makefile that builds everything may fail at something that does not play.
            made = self._collect(product, self._made()) if product.contents == "library" and self._is_alive else []
            if made:
                self.notes.append(f"{way.title} failed ({failure}), but {part.title} had come out before")
                return made
            raise _FailedError(failure)
        return self._collect_or_fail(product, self._made(), "made")

    def _collect_or_fail(self, product: Product, found: Sequence[Found], how: str) -> list[Result]:
        results = self._collect(product, found)
        if not results:
            if why := why_not(product, found):
                raise _FailedError(why)
            raise (_AbsentError if how == HANDED_IN else _FailedError)(f"{expected(product)} was {how}")
        return results

    def _collect(self, product: Product, found: Sequence[Found]) -> list[Result]:
        if product.form == "folder":
            # What was built elsewhere is left out where something is built here.
            names = self.files if self._held is not None else self.recognised.files
            whole = {name: read_file(self.recognised.tree, self._inner(name)) for name in names}
            return results_of(product, self.team, self.game, {}, whole)
        chosen = choose(product, found)
        if not chosen:
            return []
        first = chosen[0]
        places = {each.name: each.place for each in found}
        folder = PurePosixPath(first.name).parent
        beside = {name: str(folder / name) for name in names_beside(first.name, places, product.also)}
        data = self._read([*(each.place for each in chosen), *(places[name] for name in beside.values())])
        picked = {each.name: data[each.place] for each in chosen if each.place in data}
        others = {name: data[places[whole]] for name, whole in beside.items() if places[whole] in data}
        return results_of(product, self.team, self.game, picked, others) if picked else []

    # Files

    def _in_tree(self) -> list[Found]:
        tree = self.recognised.tree
        names = [(name, self._inner(name)) for name in self.recognised.files]
        return [Found(name, IN_TREE + inner, read_file(tree, inner).data[:HEAD_BYTES]) for name, inner in names]

    def _made(self) -> list[Found]:
        """What is in the build's folders, what it has made beside the sources included."""
        held = self._open()
        with self._explained():
            listed = held.list_files(["out", self._source])
        found: list[Found] = []
        for file in listed:
            for top in ("out", self._source):
                if file.name.startswith(f"{top}/"):
                    found.append(Found(file.name.removeprefix(f"{top}/"), file.name, file.head))
                    break
        return found

    def _read(self, places: Sequence[str]) -> dict[str, BuildFile]:
        wanted = list(dict.fromkeys(places))
        handed_in = [place for place in wanted if place.startswith(IN_TREE)]
        read = {place: read_file(self.recognised.tree, place.removeprefix(IN_TREE)) for place in handed_in}
        made = [place for place in wanted if not place.startswith(IN_TREE)]
        if made:
            held = self._open()
            with self._explained():
                taken = held.take_files(made, self.limits.file_bytes, self.limits.reply_bytes)
            read |= {place: BuildFile(data) for place, data in taken.items()}
        return read

    # The cell

    @property
    def _source(self) -> str:
        return f"source/{self.recognised.root}".rstrip("/")

    @property
    def _is_alive(self) -> bool:
        return self._held is not None and self._held.error is None

    def _open(self) -> HeldBuild:
        if self._held is not None:
            return self._held
        isolation = self.policy.isolation or Isolation.SANDBOX
        # A pool of the caller's may confine at a lower level than this machine can.
        weak = self.pool is None or self.pool.confinement.level is Level.C
        refusal = self.policy.refusal() if isolation is Isolation.SANDBOX and weak else ""
        if refusal:
            raise UserError(f"builds run code of those who handed in: {refusal}", see="no-sandbox")
        pool = self.pool if self.pool is not None else self._stack.enter_context(CellPool(reserve=0))
        self._stack.callback(pool.end_match)
        readable = [path for tool in self.tools.values() for path in tool.readable]
        with self._explained():
            held = pool.open_build(list(dict.fromkeys(readable)), self.limits, isolation)
            files = {f"source/{name}": file for name, file in self.sources.items()}
            files |= {f"headers/{name}": file for name, file in self.headers.items()}
            if self._allows_warnings:
                files |= compilers()
            held.write_files(files, ["out", "headers", "home", TEMPORARY, self._source])
        self._held = held
        return held

    def _do(self, step: Step) -> str:
        """Run a step; why it failed, or an empty string."""
        held = self._open()
        self._stop_if_abandoned()
        tool = self.tools[step.tool]
        where = held.scratch
        places = Places(f"{where}/{self._source}", f"{where}/out", f"{where}/headers", file_stem(self.team), self.files)
        words = places.words(step)
        command = ["/usr/bin/env", "-C", places.folder(step), tool.path, *words]
        environment = dict(self._environment(where))
        for name, value in places.environment(step).items():
            environment[name] = f"{value}:{environment[name]}" if name == "PATH" else value
        self.log.append(self._cleaned(f"$ {' '.join([step.tool, *words])}\n"))
        try:
            with self._explained():
                call = held.run(command, environment, self.limits.move_seconds, step.tool)
        except _FailedError as failed:
            self.log.append(f"{failed}\n")
            raise
        output = self._cleaned(
            (call.stdout + b"\n" * (not call.stdout.endswith(b"\n")) + call.stderr).decode("utf-8", "backslashreplace")
        )
        self._last_output = output
        self.log.append(output.strip("\n") + "\n")
        if not call.signal and not call.exit_code:
            return ""
        how = f"was killed by {signal_name(call.signal)}" if call.signal else f"exited with code {call.exit_code}"
        self.log.append(f"{step.tool} {how}\n")
        return first_error(output) or f"{step.tool} {how}"

    def _environment(self, scratch: str) -> Mapping[str, str]:
        home = f"{scratch}/home"
        folders = [str(Path(tool.path).parent) for tool in self.tools.values()]
        elsewhere = [folder for folder in dict.fromkeys(folders) if folder not in CLEAN["PATH"].split(":")]
        told = {name: value.replace("{home}", home) for tool in self.tools.values() for name, value in tool.environment.items()}
        return {
            "PATH": ":".join([*([f"{scratch}/{FOLDER}"] if self._allows_warnings else []), *elsewhere, CLEAN["PATH"]]),
            "HOME": home,
            "TMPDIR": f"{scratch}/{TEMPORARY}",
            "LC_ALL": "C.UTF-8",
            "SOURCE_DATE_EPOCH": EPOCH,
            "ZERO_AR_DATE": "1",
            **told,
        }

    def _cleaned(self, text: str) -> str:
        """A text for people: without the scratch folder's name and what terminals would obey."""
        if self._held is not None:
            scratch = self._held.scratch
            text = (
                text.replace(f"{scratch}/{self._source}/", "").replace(f"{scratch}/{self._source}", ".").replace(f"{scratch}/", "")
            )
        return _ESCAPES.sub("", text.replace("\r\n", "\n"))

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the guard says of a build into why it failed."""
        try:
            yield
        except ProgramError as error:
            self._stop_if_abandoned()
            if error.termination is Termination.VOID:
                raise UserError(f"the build of {self.team} could not be run: {error.message}") from error
            message = error.message.replace(" did not answer within", " did not end within")
            raise _FailedError(f"the build was stopped: {message}") from error
        except ZygoteLostError as error:
            raise UserError(f"the build of {self.team} could not be run: {error}") from error

    def _stop_if_abandoned(self) -> None:
        """Say nothing of the team if it was we who killed its build."""
        if self.pool is not None and self.pool.is_abandoned:
            raise UserError(f"the build of {self.team} was stopped")


def _not_made(failures: Iterable[tuple[Part, _FailedError]]) -> list[str]:
    return [f"{part.title} was not made: {failed}" for part, failed in failures]


def _own_files(path: Path) -> Iterator[tuple[str, BuildFile]]:
    """A file of a recipe's, or those of a folder."""
    if path.is_file():
        yield path.name, read_file(path.parent, path.name)
    else:
        yield from ((name, read_file(path, name)) for name in names_in(path))


def _tools_of(way: Way) -> list[str]:
    return [*(step.tool for step in way.steps), *way.uses]
