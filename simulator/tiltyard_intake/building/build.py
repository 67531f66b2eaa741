"""Builds what a team handed in, by the recipe that it was recognised by: which way each part is made, and what comes out."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.recipes import Part, Product, Recipe, Way
from tiltyard_intake.building.build_cache import BuildCache, CachedBuild, build_digest, files_of
from tiltyard_intake.building.build_cache import results_of as results_of_cached
from tiltyard_intake.building.build_cell import BuildCell, BuildFailedError
from tiltyard_intake.building.first_error import output_lines
from tiltyard_intake.building.machine_lacks import lack_of, says_nothing_of_work
from tiltyard_intake.building.products import Result, places, put, results_of
from tiltyard_intake.building.second_tries import Allowance, fails_by_warnings
from tiltyard_intake.building.toolchains import find_tool, missing_tools
from tiltyard_intake.environments.package_folder import BuildPackages, ClassPackages
from tiltyard_intake.environments.package_requests import PackageRequest, requested_packages
from tiltyard_intake.recipes.patterns import matches
from tiltyard_intake.recipes.product_choice import Candidate, choose, expected, is_assembly, is_avoided, names_beside, why_not
from tiltyard_intake.recipes.recognition import Recognised
from tiltyard_intake.trees.source_files import names_in, read_file, read_sources
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.programs.build_client import BuildFile
from tiltyard_simulator.match.limits import MEBIBYTE, Limits
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

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
HEAD_BYTES: Final = 64
IN_TREE: Final = "tree/"
"""How the places of files begin that are taken as they were handed in; the build's own folders have other names."""
HANDED_IN: Final = "handed in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The result of a build."""

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
    lacks: str = ""
    """What this machine would need to try it; empty if the work itself is at fault."""
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


class _AbsentError(BuildFailedError):
    """Nothing like it was handed in."""


class _LackError(BuildFailedError):
    """This machine lacks what a build needs, so nothing is known of the work itself."""

    def __init__(self, lacks: str) -> None:
        super().__init__(f"needs {lacks}, which this machine does not have")
        self.lacks = lacks


class _NoWordError(BuildFailedError):
    """A way can't be gone on this machine, whatever the work is like; another way tells."""


@dataclass(frozen=True, slots=True)
class BuildRules:
    """What holds for the builds of a whole class."""

    limits: Limits = BUILD_LIMITS
    """What one build may use."""
    policy: IsolationPolicy = field(default_factory=IsolationPolicy)
    """How code of strangers is isolated; by default in a sandbox."""
    warnings_fail: bool = False
    """Whether a build that fails only because its flags make errors of warnings has failed."""
    packages: ClassPackages | None = None
    """What the organiser has beside the compilers, such as crates."""


USUAL_RULES: Final = BuildRules()


def build(
    recognised: Recognised,
    into: Path,
    rules: BuildRules = USUAL_RULES,
    *,
    team: str,
    game: str = "",
    pool: CellPool | None = None,
    cache: BuildCache | None = None,
    announce: Callable[[Sequence[str]], None] = lambda _: None,
) -> Built:
    """Build a team and put it into the folder of teams. What a team does wrong becomes the error of the result.

    Several threads or processes may build at once, each with a pool of its own or none.

    Args:
        recognised: the tree and its recipe.
        into: the folder of teams; it is made if it is not there.
        rules: what holds for all builds of the class.
        team: the team's name.
        game: what it plays, where the recipe is for every game.
        pool: whose cells are used. It must not play a match meanwhile.
        cache: where builds are kept, and taken from if nothing has changed.
        announce: called with what will be put into the folder of teams, relative to it, before that is done.

    Raises:
        UserError: this machine cannot confine builds, the tree cannot be read, or ``into`` cannot be written.
    """
    start = time.monotonic()
    recipe = recognised.recipe
    if recipe is None:
        return Built(team=team, error=recognised.reason)
    job = _Job(recognised, recipe, team, recipe.game or game, rules, pool)
    digest = job.digest()
    cached = cache.find(digest) if cache is not None else None
    error = ""
    if cached is not None:
        results, job.ways, job.notes, log = results_of_cached(cached), cached.ways, cached.notes, cached.log
        error, job.lacks = cached.error, cached.lacks
    else:
        results, error = job.run()
        log = "".join(job.cell.log)
        if cache is not None:
            cache.keep(digest, CachedBuild(files_of(results), job.ways, job.notes, log, error, job.lacks))
    products: Sequence[Path] = ()
    if not error:
        try:
            announce(places(results))
            products = put(results, into)
        except OSError as problem:
            raise UserError(f"{into}: cannot be written: {problem.strerror}") from problem
    return Built(
        team=team,
        recipe=recipe.name,
        ways=tuple(job.ways),
        products=tuple(products),
        seconds=time.monotonic() - start,
        log=log,
        error="; ".join(filter(None, [error, recognised.lacks])) if error else "",
        lacks=job.lacks,
        notes=(*job.notes, *([recognised.lacks] if recognised.lacks and not error else [])),
        digest=digest,
        is_reused=cached is not None,
    )


@dataclass
class _Job:
    """One build while it runs: its cell, and what it has to tell."""

    recognised: Recognised
    recipe: Recipe
    team: str
    game: str
    rules: BuildRules
    pool: CellPool | None
    ways: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lacks: str = ""
    requests: list[PackageRequest] | None = None

    def __post_init__(self) -> None:
        tree = self.recognised.tree
        self.sources = read_sources(tree, self.recognised.names)
        self.headers = {name: file for path in self.recipe.headers for name, file in _own_files(Path(path))}
        self.files = [name for name in self.recognised.files if self._inner(name) in self.sources]
        self.tools = {name: tool for name in dict.fromkeys(self.recipe.tools()) if (tool := find_tool(name)) is not None}
        self.packages = self.rules.packages.of_tools(self.tools) if self.rules.packages is not None else BuildPackages()
        self.cell = BuildCell(
            team=self.team,
            root=self.recognised.root,
            sources=self.sources,
            headers=self.headers,
            files=self.files,
            tools=self.tools,
            limits=self.rules.limits,
            policy=self.rules.policy,
            pool=self.pool,
            packages=self.packages,
            requests=self._package_requests,
        )

    def _package_requests(self) -> list[PackageRequest]:
        """The packages that the work asks for."""
        if self.requests is None:
            self.requests = requested_packages(self.recognised.tree, self.recognised.names)[0]
        return self.requests

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
            files=(everything, self.headers),
            tools=self.tools.values(),
            warnings_fail=self.rules.warnings_fail,
            packages=self.packages.digest(),
        )

    def run(self) -> tuple[list[Result], str]:
        """The files for the folder of teams, or why there are none."""
        results: list[Result] = []
        failures: list[tuple[Part, BuildFailedError]] = []
        with contextlib.closing(self.cell):
            for part in self.recipe.parts:
                try:
                    results += self._make(part)
                except BuildFailedError as failed:
                    if part.is_required:
                        self.lacks = _lacks([failed])
                        return [], str(failed)
                    failures.append((part, failed))
        if not results:
            # Whoever handed in an algorithm alone is told of that one.
            tried = [each for each in failures if not isinstance(each[1], _AbsentError)] or failures
            self.lacks = _lacks([failed for _, failed in tried])
            return [], "; ".join(_not_made(tried)) or "it produced nothing"
        self.notes += _not_made(failures)
        return results, ""

    # Parts and their ways

    def _make(self, part: Part) -> list[Result]:
        # An earlier part may have made it too, as where one Makefile builds everything.
        if self.cell.is_open and (outputs := self._collect(part.product, self.cell.outputs())):
            return outputs
        ways, lacking = self._fitting_ways(part)
        problems: list[tuple[Way, BuildFailedError]] = []
        begins: list[int] = []
        for way in ways:
            begins.append(len(self.cell.log))
            try:
                results = self._follow(part, way)
            except BuildFailedError as failed:
                try:
                    return self._follow_again(part, way, failed)
                except BuildFailedError as last:
                    if self.rules.warnings_fail and fails_by_warnings(self.cell.last_output):
                        raise
                    problems.append((way, last))
                continue
            self.ways.append(f"{way.title} {self.cell.allowance.in_words()}".rstrip())
            failed_ways = [each for each in problems if not isinstance(each[1], _NoWordError)]
            if failed_ways:
                self.notes.append(f"{failed_ways[0][0].title} failed ({failed_ways[0][1]}); {part.title} was made from {way.title}")
            return results
        failures = [failed for _, failed in problems]
        if lacking and failures:
            # A substitute says nothing of the work: an old compiler refuses what is right.
            raise _LackError(lacking)
        if lack := next((failed for failed in failures if isinstance(failed, _LackError)), None):
            raise lack
        if not problems:
            raise _AbsentError(f"found nothing to make {part.title} from")
        first, *rest = [each for each in problems if not isinstance(each[1], _NoWordError)] or problems
        best = [first, *takewhile(lambda problem: problem[0].is_again, rest)][-1][1]
        # What belongs to the error that is told stands last, where people look.
        begin, *ends = begins[failures.index(best) :]
        log, end = self.cell.log, ends[0] if ends else len(self.cell.log)
        log[:] = [*log[:begin], *log[end:], *log[begin:end]]
        is_cmake = any(step.tool == "cmake" for way in ways for step in way.steps)
        way_out = self.packages.way_out(str(best), self._package_requests(), is_cmake=is_cmake)
        raise type(best)("; ".join(filter(None, [str(best), way_out])))

    def _follow_again(self, part: Part, way: Way, failed: BuildFailedError) -> list[Result]:
        """What a way makes with compilers that allow what this machine's do not. Raises why it failed last."""
        last, allowed, strict = failed, self.cell.allowance, self.rules.warnings_fail
        while (more := allowed.with_what_helps(self.cell.last_output)) != allowed and not (more.warnings and strict):
            allowed = more
            self.cell.log.append(f"\nAgain, {allowed.in_words()}:\n")
            try:
                with self.cell.second_try(allowed):
                    results = self._follow(part, way)
            except BuildFailedError as again:
                last = again
                continue
            self.ways.append(f"{way.title} {allowed.in_words()}")
            by_warning = "treats warnings as errors and failed because of one" if allowed == Allowance(warnings=True) else "failed"
            self.notes.append(f"{way.title} {by_warning} ({failed}); {part.title} was made {allowed.in_words()}")
            return results
        raise last

    def _fitting_ways(self, part: Part) -> tuple[list[Way], str]:
        """The ways that can be gone, and what this machine lacks for the first of those that come before them."""
        files = self.recognised.files
        fitting = [
            way
            for way in part.ways
            if all(any(matches(want, file) for file in files) for want in way.wants)
            and not any(matches(pattern, file) for pattern in way.rejects for file in files)
        ]
        usable = [way for way in fitting if not missing_tools(_tools_of(way))]
        first = missing_tools(_tools_of(fitting[0])) if fitting else []
        if fitting and not usable:
            raise _LackError(" and ".join(first))
        return usable, " and ".join(first)

    def _follow(self, part: Part, way: Way) -> list[Result]:
        product = way.product or part.product
        if not way.steps:
            return self._collect_or_fail(product, self._in_tree(), HANDED_IN)
        failure = ""
        for step in way.steps:
            failure = self.cell.run(step)
            if failure:
                break
        if failure:
            # A Makefile that builds everything may fail at something that does not play.
            if outputs := self._made_all_the_same(product):
                self.notes.append(f"{way.title} failed ({failure}), but {part.title} had been made by then")
                return outputs
            if lack := lack_of(self.cell.last_output, is_own_helper=any("{headers}" in word for word in step.words)):
                raise _LackError(lack)
            raise (_NoWordError if says_nothing_of_work(self.cell.last_output) else BuildFailedError)(failure)
        results = self._collect_or_fail(product, self.cell.outputs(), "made")
        self.notes += output_lines(self.cell.last_output)
        return results

    def _made_all_the_same(self, product: Product) -> list[Result]:
        """What a way has made that failed, if that is what plays."""
        if product.contents not in ("library", "executable") or not self.cell.is_alive:
            return []
        candidates = self.cell.outputs()
        if product.contents == "executable":
            # Of programs, the one that plays may be what failed: then a second try comes first, and no other stands for it.
            allowance = self.cell.allowance
            may_help = not self.cell.is_second_try and allowance.with_what_helps(self.cell.last_output) != allowance
            candidates = [] if may_help else [each for each in candidates if not is_avoided(product, each.name)]
        return self._collect(product, candidates)

    def _collect_or_fail(self, product: Product, candidates: Sequence[Candidate], how: str) -> list[Result]:
        results = self._collect(product, candidates)
        if not results:
            if why := why_not(product, candidates):
                raise BuildFailedError(why)
            raise (_AbsentError if how == HANDED_IN else BuildFailedError)(f"{expected(product)} was {how}")
        return results

    def _collect(self, product: Product, candidates: Sequence[Candidate]) -> list[Result]:
        if product.form == "folder":
            # What was built elsewhere is left out where something is built here.
            names = self.files if self.cell.is_open else self.recognised.files
            whole = {name: read_file(self.recognised.tree, self._inner(name)) for name in names}
            return results_of(product, self.team, self.game, {}, whole)
        best = choose(product, candidates)
        while best and product.contents == "assembly" and not is_assembly(self._read([best[0].place])[best[0].place].data):
            candidates = [each for each in candidates if each is not best[0]]
            best = choose(product, candidates)
        if not best:
            return []
        first = best[0]
        places = {each.name: each.place for each in candidates}
        folder = PurePosixPath(first.name).parent
        # A program's build has a folder of its own; a file that is made at its top has the sources beside it.
        also = product.also if product.form == "program" or folder.name else ()
        beside = {name: str(folder / name) for name in names_beside(first.name, places, also)}
        data = self._read([*(each.place for each in best), *(places[name] for name in beside.values())])
        picked = {each.name: data[each.place] for each in best if each.place in data}
        others = {name: data[places[whole]] for name, whole in beside.items() if places[whole] in data}
        return results_of(product, self.team, self.game, picked, others) if picked else []

    # Files

    def _in_tree(self) -> list[Candidate]:
        tree = self.recognised.tree
        names = [(name, self._inner(name)) for name in self.recognised.files]
        return [Candidate(name, IN_TREE + inner, read_file(tree, inner).data[:HEAD_BYTES]) for name, inner in names]

    def _read(self, places: Sequence[str]) -> dict[str, BuildFile]:
        names = list(dict.fromkeys(places))
        handed_in = [place for place in names if place.startswith(IN_TREE)]
        read = {place: read_file(self.recognised.tree, place.removeprefix(IN_TREE)) for place in handed_in}
        outputs = [place for place in names if not place.startswith(IN_TREE)]
        if outputs:
            read |= {place: BuildFile(data) for place, data in self.cell.take(outputs).items()}
        return read


def _lacks(failures: Sequence[BuildFailedError]) -> str:
    """What this machine lacks, if nothing else is known to be wrong."""
    lacks = dict.fromkeys(each.lacks for each in failures if isinstance(each, _LackError))
    return " and ".join(lacks) if all(isinstance(each, _LackError) for each in failures) else ""


def _not_made(failures: Iterable[tuple[Part, BuildFailedError]]) -> list[str]:
    return [f"{part.title} was not made: {failed}" for part, failed in failures]


def _own_files(path: Path) -> Iterator[tuple[str, BuildFile]]:
    """A file of a recipe's, or those of a folder."""
    if path.is_file():
        yield path.name, read_file(path.parent, path.name)
    else:
        yield from ((name, read_file(path, name)) for name in names_in(path))


def _tools_of(way: Way) -> list[str]:
    return [*(step.tool for step in way.steps), *way.uses]
