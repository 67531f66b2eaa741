"""The intake of a whole class: from what was handed in to the folder of teams, with a report in which everybody stands."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path, PurePosixPath
from queue import SimpleQueue
from threading import local
from typing import Final

from msgspec.structs import replace

from tiltyard_engine.errors import NotFoundError, UserError, file_errors
from tiltyard_engine.recipes import Recipe
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.checks import RECIPE
from tiltyard_engine.texts.names import normal
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_intake.archives.bounds import BOUNDS
from tiltyard_intake.archives.folders import scratch_folder
from tiltyard_intake.archives.unpack_errors import UnpackError
from tiltyard_intake.building.build import BuildRules, Built, build
from tiltyard_intake.building.build_cache import BuildCache
from tiltyard_intake.building.products import remove_unfinished
from tiltyard_intake.building.toolchains import find_tool
from tiltyard_intake.environments.chance_packages import notes_on_chance
from tiltyard_intake.environments.package_folder import VIEW, ClassPackages
from tiltyard_intake.environments.team_environments import Equipped, TeamEnvironments
from tiltyard_intake.exports.entries import ClassEntry, Listing, named_entries, one_entry, read_entries
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.recipes.python_recipes import SYNTAX
from tiltyard_intake.recipes.recognition import (
    PYTHON,
    Recognised,
    is_ready_made,
    makes_program,
    recipes_of,
    recognise,
    runs_on_python,
    what_it_holds,
)
from tiltyard_intake.report.feedback import feedback_path
from tiltyard_intake.report.previous_attempts import PreviousAttempts
from tiltyard_intake.report.report_writer import ReportWriter
from tiltyard_intake.report.source_archive import SOURCES, with_older_sources, with_sources
from tiltyard_intake.report.team_files import TeamFiles
from tiltyard_intake.report.team_record import write_team_folder
from tiltyard_intake.report.team_report import (
    NO_TEAM,
    IntakeReport,
    TeamReport,
    Verdict,
    encodable,
    first_line,
    read_report,
    write_report,
)
from tiltyard_intake.similarity.fingerprints import Fingerprints
from tiltyard_intake.smoke.protocols import protocol_in_sources, speak_to_in, spoken_to, with_protocol
from tiltyard_intake.smoke.smoke_match import SmokeMatches
from tiltyard_intake.trees.bounded_reading import read_bounded
from tiltyard_intake.trees.source_files import read_file
from tiltyard_intake.trees.team_tree import make_tree
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.output.folder_lock import FolderLock

BUILDS: Final = "builds"
LOGS: Final = "logs"
PLAYING: Final = ("", "game_managers")
"""The folders below that of the teams, and it itself, where what takes part in a match lies."""


def take_in(options: IntakeOptions, registry: Registry, emit: Callable[[TeamReport, int, int], None]) -> IntakeReport:
    """Take a class in. What a team did wrong becomes its verdict.

    It may be stopped or killed at any time. The next one goes on: what was built is kept.

    Args:
        options: what, and how.
        registry: the plugins, with the game and the recipes.
        emit: called with each team's report as it comes, its number, and how many there are.

    Raises:
        UserError: nothing was handed in or can be read there, this machine can't confine builds, a folder can't be written or
            lies where something else does, or another intake is at work in it.
        KeyboardInterrupt: what was done until then is in the report on disk.
    """
    recipes = [*recipes_of(registry, options.game), *options.own_recipes]
    options = dataclasses.replace(options, recipes={normal(label): name for label, name in options.recipes.items()})
    for name in {options.recipe, *options.recipes.values()} - {"", *(recipe.name for recipe in recipes)}:
        raise NotFoundError("recipe", name, [recipe.name for recipe in recipes], failed=registry.failed_before(RECIPE))
    with ExitStack() as stack:
        work = stack.enter_context(scratch_folder())
        # Before anything is written: a wrong folder must not replace the teams of the right one.
        listing = listing_of(options, work)
        listing.check_not_empty(options.handed_in)
        if not options.is_dry:
            _open_outputs(options, stack)
        before = read_report(options.reports)
        for label in options.recipes:
            # One who has handed in nothing yet may have a recipe already.
            labels = [*(entry.label for entry in listing.entries), *listing.absent]
            if label not in labels:
                raise NotFoundError("team", label, labels)
        class_intake = _ClassIntake(options, recipes, registry, work, before)
        return class_intake.run(listing, emit)


def listing_of(options: IntakeOptions, work: Path) -> Listing:
    """Who handed in, and what.

    Args:
        options: where it lies.
        work: a folder for what is unpacked.

    Raises:
        UserError: it can't be read, or what is written would lie in it.
    """
    if options.is_one_team:
        return one_entry(options.handed_in)
    if not options.is_dry and options.reports.resolve().is_relative_to(options.into.resolve()):
        raise UserError(
            f"{options.reports}: is in {options.into}, so it would be taken for a team; choose a different folder with --report"
        )
    return read_entries(
        options.handed_in,
        work=work / "exports",
        roster=options.roster,
        deadline=options.deadline,
        outputs={**dict.fromkeys(options.reads, ""), options.into: "--into", options.reports: "--report"},
    )


def _open_outputs(options: IntakeOptions, stack: ExitStack) -> None:
    """Make the folders. Nobody else takes a class in to the same place meanwhile."""
    for path in (options.reports, options.into):
        with file_errors(path, "written"):
            path.mkdir(parents=True, exist_ok=True)
    stack.enter_context(FolderLock(options.reports, "taking a class in"))
    remove_unfinished(options.into)
    remove_unfinished(options.reports / BUILDS)
    remove_unfinished(options.reports / SOURCES)
    # What one left that was killed may not be the packages of now.
    shutil.rmtree(options.reports / VIEW, ignore_errors=True)


class _ClassIntake:
    """One intake while it runs."""

    def __init__(
        self, options: IntakeOptions, recipes: list[Recipe], registry: Registry, work: Path, before: IntakeReport | None
    ) -> None:
        self._options = options
        self._recipes = recipes
        self._work = work
        self._before = {each.team: each for each in before.teams} if before is not None else {}
        """What an earlier intake said, by team."""
        self._team_files = TeamFiles(options.into, options.reports, self._before)
        # What is wrong with it is told before anything is built.
        self._course_code = _read_common_code(options.common_code)
        self._keeps_sources = options.keeps_sources and not options.is_dry
        self._builds = BuildCache(options.reports / BUILDS, options.retries)
        self._earlier = PreviousAttempts(options.reports, self._builds)
        programs = registry.game(options.game).programs
        self._protocols = programs.protocols if programs is not None else {}
        self._smoke = SmokeMatches(options.game, registry, options.policy, options.into)
        self._environments = TeamEnvironments(options.into, options.allowed, shared=options.environments)
        self._packages = ClassPackages(options.allowed, options.reports)
        self._pools: list[CellPool] = []
        self._is_stopping = False
        self._own = local()

    def run(self, listing: Listing, emit: Callable[[TeamReport, int, int], None]) -> IntakeReport:
        """Take all entries in."""
        report = IntakeReport(
            game=self._options.game,
            teams=tuple(TeamReport(label=label, verdict=Verdict.ABSENT) for label in listing.absent),
            skipped=tuple((str(each.path), each.reason) for each in listing.skipped),
        )
        options = self._options
        writer = ReportWriter(encodable(report), self._before, reports=options.reports, into=options.into, is_dry=options.is_dry)
        entries = list(named_entries(listing.entries))
        queue: SimpleQueue[TeamReport | BaseException] = SimpleQueue()

        def work(entry: ClassEntry, team: str, number: int) -> None:
            try:
                queue.put(self._after_earlier(self._take_one(entry, team, number)))
            except BaseException as error:
                queue.put(error)

        pool = ThreadPoolExecutor(self._options.workers)
        try:
            with self._smoke.of_teams(len(entries)):
                for number, (entry, team) in enumerate(entries):
                    pool.submit(work, entry, team, number)
                for number in range(1, len(entries) + 1):
                    # Matches one after the other, in this thread, to which their processes belong.
                    entry_report = encodable(self._with_smoke(_or_raise(queue.get())))
                    if not options.is_dry:
                        self._team_files.remove_old(entry_report)
                    writer.add(entry_report)
                    emit(entry_report, number, len(entries))
        except BaseException:
            self._is_stopping = True
            for cells in list(self._pools):
                cells.abandon()
            self._environments.stop()
            if not options.is_dry:
                # What was done is in the files anyway. This is for whoever looks at the table now.
                with suppress(UserError):
                    writer.write()
            raise
        finally:
            # Threads end by themselves when what they wait for is killed.
            pool.shutdown(wait=True, cancel_futures=True)
            for cells in self._pools:
                cells.close()
            if not options.is_dry:
                self._packages.remove()
        return self._without_gone(writer.report, {team for _, team in entries})

    def _take_one(self, entry: ClassEntry, team: str, number: int) -> TeamReport:
        team_report = TeamReport(
            label=entry.label,
            team=team,
            student_id=entry.student_id,
            members=entry.members,
            handed_in=entry.handed_in.isoformat() if entry.handed_in else "",
            time_from=entry.time_from.value,
            is_late=entry.late,
            earlier=tuple(str(path) for path in entry.earlier),
            notes=entry.notes,
            verdict=Verdict.UNREADABLE,
        )
        as_it_is = next((source.path for source in entry.sources if source.path in self._options.as_they_are), None)
        if as_it_is is not None:
            return replace(team_report, verdict=Verdict.FOUND if self._options.is_dry else Verdict.PLAYS, as_it_is=str(as_it_is))
        folder = self._work / "trees" / str(number)
        try:
            names = ", ".join(source.name or source.path.name for source in entry.sources)
            try:
                tree = read_bounded(names, BOUNDS, lambda: self._is_stopping, make_tree, entry.sources, folder / "tree")
            except UnpackError as error:
                team_report = replace(team_report, error=str(error))
                return with_older_sources(team_report, self._options.reports) if self._keeps_sources else team_report
            if self._keeps_sources:
                team_report = with_sources(team_report, tree, self._options.reports)
            notes = (*team_report.notes, *tree.notes)
            forced = self._options.recipes.get(entry.label, self._options.recipe)
            recognised = recognise(tree.folder, self._recipes, forced, self._options.game)
            notes = (*notes, *recognised.notes)
            team_report = replace(team_report, notes=notes, found=what_it_holds(recognised.names, tree.folder), files=tree.files)
            if recognised.recipe is None:
                return replace(team_report, verdict=Verdict.UNKNOWN, error=self._why_unknown(recognised, team, folder))
            team_report = replace(team_report, recipe=recognised.recipe.name, title=recognised.recipe.title)
            equipped = self._equip(recognised, recognised.recipe)
            team_report = replace(team_report, environment=equipped.digest, packages=equipped.packages)
            if equipped.error:
                return replace(team_report, verdict=Verdict.UNEQUIPPED, error=equipped.error)
            notes = (*team_report.notes, *filter(None, [equipped.note]), *self._by_chance(recognised, equipped))
            team_report = replace(team_report, notes=notes)
            if self._options.is_dry:
                return replace(team_report, verdict=Verdict.FOUND)
            protocol, note = protocol_in_sources(recognised, self._protocols)
            team_report = replace(team_report, protocol=protocol, notes=(*team_report.notes, *filter(None, [note])))
            result = self._build(with_protocol(recognised, protocol if note else ""), team)
            if not result.plays and (ready := self._ready_made(recognised)) is not None and ready.recipe is not None:
                instead = self._build(ready, team)
                if instead.plays:
                    why = f"{recognised.recipe.title} can't be built ({first_line(result.error)})"
                    note = f"{why}: the program beside it plays instead"
                    team_report = replace(
                        team_report, recipe=ready.recipe.name, title=ready.recipe.title, notes=(*team_report.notes, note)
                    )
                    result = instead
            return self._with_result(team_report, result)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _build(self, recognised: Recognised, team: str) -> Built:
        options = self._options
        return build(
            recognised,
            options.into,
            BuildRules(options.limits, options.policy, options.warnings_fail, self._packages),
            team=team,
            game=options.game,
            pool=self._pool(),
            cache=self._builds,
            announce=self._team_files.note,
        )

    def _ready_made(self, recognised: Recognised) -> Recognised | None:
        """A work read as a program of .NET that was handed in beside its sources; None if there is none.

        Programs of other kinds may well be others', such as a course's own robots.
        """
        recipes = [recipe for recipe in self._recipes if recipe.name in recognised.others and is_ready_made(recipe)]
        return recognise(recognised.tree, recipes) if recipes else None

    def _equip(self, recognised: Recognised, recipe: Recipe) -> Equipped:
        if not runs_on_python(recipe):
            return Equipped()
        work = recognised.tree, recognised.names, recognised.root
        return self._environments.equip(*work, is_dry=self._options.is_dry)

    def _by_chance(self, recognised: Recognised, equipped: Equipped) -> Iterator[str]:
        """A note for each package that the team would miss elsewhere. An environment of its own has nothing of this machine's."""
        recipe = recognised.recipe
        if recipe is None or not runs_on_python(recipe) or equipped.digest:
            return
        tool = find_tool(PYTHON) if makes_program(recipe) else None
        names = [name for name in recognised.names if name.endswith((".py", ".ipynb"))]
        sources = (read_file(recognised.tree, name).data for name in names)
        yield from notes_on_chance(sources, recognised.names, self._options.allowed, tool.path if tool is not None else "")

    def _why_unknown(self, recognised: Recognised, team: str, folder: Path) -> str:
        """Why nobody knows what it is. In Python that can be one wrong line, so that is said first."""
        # What it holds has a place of its own in the report.
        reason = recognised.reason.removeprefix(f"{what_it_holds(recognised.names, recognised.tree)}; ")
        if self._options.is_dry or not any(name.endswith(".py") for name in recognised.names):
            return reason
        syntax_only = Recognised(tree=recognised.tree, names=recognised.names, recipe=SYNTAX)
        # The compiler reads strangers' files in the sandbox; nothing comes out of it.
        checked = build(syntax_only, folder / "unused", BuildRules(policy=self._options.policy), team=team, pool=self._pool())
        return f"{checked.error}\n{reason}" if checked.error else reason

    def _after_earlier(self, new: TeamReport) -> TeamReport:
        """The team with what is left of the attempt that it replaces."""
        old = self._before.get(new.team)
        if self._options.is_dry or old is None:
            return new
        if new.verdict in NO_TEAM and self._options.keeps_playing and old.products:
            new = replace(new, products=old.products, digest=old.digest, smoke=old.smoke, earlier_plays=True)
            new = replace(new, environment=old.environment, packages=old.packages, earlier_handed_in=old.playing_since)
            note = "the previous attempt keeps playing, since this one can't"
            return replace(new, replaced=old.replaced, notes=(*new.notes, note))
        return self._earlier.keep(new, old)

    def _with_result(self, team_report: TeamReport, result: Built) -> TeamReport:
        log = Path(LOGS) / f"{team_report.team}.txt"
        if result.log:
            with file_errors(self._options.reports / log, "written"):
                (self._options.reports / LOGS).mkdir(parents=True, exist_ok=True)
                (self._options.reports / log).write_text(result.log, encoding="utf-8", errors="replace")
        return replace(
            team_report,
            verdict=self._verdict_of(result),
            error=result.error,
            lacks=result.lacks,
            notes=(*team_report.notes, *result.notes, *self._no_team(team_report, result)),
            ways=result.ways,
            seconds=result.seconds,
            is_reused=result.is_reused,
            digest=result.digest,
            log=str(log) if result.log else "",
            products=tuple(str(path.relative_to(self._options.into)) for path in result.products),
        )

    def _verdict_of(self, result: Built) -> Verdict:
        """What was built lies in a folder of its own if nothing in it takes part in a match."""
        folders = {path.relative_to(self._options.into).parent.name for path in result.products}
        is_whole = bool(folders) and folders.isdisjoint(PLAYING)
        if not result.plays:
            return Verdict.UNTRIED if result.lacks else Verdict.UNBUILT
        return Verdict.WHOLE if is_whole else Verdict.PLAYS

    def _no_team(self, team_report: TeamReport, result: Built) -> Iterator[str]:
        """A note if nothing of what was built plays in a tournament."""
        if result.products and not any(path.parent == self._options.into for path in result.products):
            recipe = next(recipe for recipe in self._recipes if recipe.name == team_report.recipe)
            yield f"it can't play in a tournament: it is {recipe.title}. {recipe.description}".strip(" .")

    def _with_smoke(self, team_report: TeamReport) -> TeamReport:
        if team_report.verdict is not Verdict.PLAYS or team_report.as_it_is:
            return team_report
        self._environments.assign([self._options.into / name for name in team_report.products], team_report.environment)
        if not self._options.plays_once:
            return team_report
        old = self._before.get(team_report.team)
        limits = self._options.policy.limits
        team_report = replace(team_report, smoke_limits=f"{limits.for_all} {limits.for_teams}")
        before = ("", "", "") if old is None else (old.digest, old.environment, old.smoke_limits)
        is_same = team_report.is_reused and before == (team_report.digest, team_report.environment, team_report.smoke_limits)
        believed = (Verdict.PLAYS,) if self._options.retries else (Verdict.PLAYS, Verdict.FAULTY)
        players = [self._options.into / name for name in team_report.products if PurePosixPath(name).parent.name in PLAYING]
        if is_same and old is not None and old.verdict in believed:
            if old.protocol and not team_report.protocol:
                for path in players:
                    speak_to_in(path, old.protocol)
                team_report = spoken_to(team_report, old.protocol)
            return replace(team_report, verdict=old.verdict, error=old.error, smoke=old.smoke)
        smoke = self._smoke.play(players, team_report.protocol)
        team_report = replace(team_report, smoke=smoke.summary)
        if smoke.protocol:
            team_report = spoken_to(team_report, smoke.protocol)
        return replace(team_report, verdict=Verdict.FAULTY, error=smoke.fault) if smoke.fault else team_report

    def _pool(self) -> CellPool:
        """This thread's cells: they end with the thread that started them."""
        if self._options.cells is not None:
            return self._options.cells
        pool: CellPool | None = getattr(self._own, "pool", None)
        if pool is None:
            try:
                pool = self._own.pool = CellPool(reserve=0)
            except ZygoteLostError as error:
                raise UserError(f"builds can't be confined: {one_line(str(error))}") from error
            self._pools.append(pool)
            if self._is_stopping:
                pool.abandon()
        return pool

    def _without_gone(self, report: IntakeReport, there: set[str]) -> IntakeReport:
        """The report with teams of last time that have handed in nothing now. What played for them goes, so it is told once."""
        if self._options.is_dry:
            return report
        of_last_time = [each for team, each in self._before.items() if team not in there]
        for each in of_last_time:
            # A text says what its team's work is like now, so that it can be sent.
            with file_errors(self._options.reports, "written"):
                (self._options.reports / feedback_path(each)).unlink(missing_ok=True)
        absent = [each for each in of_last_time if each.products]
        gone_teams = [self._earlier.keep(_without_work(each), each) for each in absent]
        self._team_files.remove_others(report)
        names = {each.label for each in gone_teams}
        others = (each for each in report.teams if each.verdict is not Verdict.ABSENT or each.label not in names)
        report = self._compared(replace(report, teams=(*others, *gone_teams)))
        self._environments.assign((), "")
        write_report(report, self._options.reports)
        write_team_folder(report, self._options.into)
        self._team_files.forget_notes()
        return report

    def _compared(self, report: IntakeReport) -> IntakeReport:
        """The report with what the works of its teams have in common."""
        sources = {team.team: team.sources for team in report.teams if team.sources}
        if len(sources) < 2 or self._options.is_one_team:
            return report
        from tiltyard_intake.similarity.class_comparison import compare_class  # with numpy, which one team needs not

        result = compare_class(sources, self._options.reports, self._course_code, self._options.workers)
        return replace(report, likeness=replace(result, given=", ".join(map(str, self._options.common_code))))


def _read_common_code(paths: Sequence[Path]) -> list[Fingerprints]:
    if not paths:
        return []
    from tiltyard_intake.similarity.class_comparison import fingerprints_of_common_code  # as above

    return [fingerprints_of_common_code(path) for path in paths]


def _or_raise(result: TeamReport | BaseException) -> TeamReport:
    if isinstance(result, BaseException):
        raise result
    return result


def _without_work(team: TeamReport) -> TeamReport:
    sources = tuple(filter(None, (*team.older_sources, team.sources)))
    return TeamReport(label=team.label, verdict=Verdict.GONE, older_sources=sources)
