"""What becomes of an upload: it is unpacked, built and checked, in a process that may die.

``python -m tiltyard_league.submissions.checker FOLDER PARENT [--unconfined]`` reads the numbers of versions, a line each, leaves a
report beside what it made of each, and answers with the number. It stays: in a new process, most of the time of a check goes into
loading the league and starting what sandboxes are forked from.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

import msgspec

from tiltyard_checks.team.opening import against_itself, smallest_first
from tiltyard_checks.team.steps import Step, StepMark
from tiltyard_checks.team.team_check import Subject, check
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.environments import ENVIRONMENTS
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_intake.archives.bounds import MIB
from tiltyard_intake.intake import take_in
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.report.team_report import NO_TEAM, TeamReport, first_line
from tiltyard_league.database.clock import now
from tiltyard_league.database.database import Database
from tiltyard_league.database.private import OTHERS, make_private, private_files
from tiltyard_league.database.versions import HAS_PLAYED, CheckReport
from tiltyard_league.league_file.loading import League, load_league
from tiltyard_league.submissions.upload import UPLOADS, ending_of
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.confinement.kernel.privileges import end_with_parent
from tiltyard_simulator.match.code_digest import code_digest, digest_without_loader
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.output.result_files import sync_file, sync_tree
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import in_cells

VERSIONS: Final = "versions"
REPORT: Final = "report.msgpack"
TEAMS: Final = "teams"
LONGEST_LOG: Final = 64 * 1024
LARGEST_REPORT: Final = 16 * MIB
MOST_SAMPLES: Final = 2
"""So many of the staff's teams are met in a check."""


def make_versions_folder(league: Path) -> Path:
    """The folder with what was made of all versions.

    Raises:
        UserError: it cannot be written.
    """
    versions = league.resolve() / VERSIONS
    with file_errors(versions, "written"):
        versions.mkdir(mode=0o700, exist_ok=True)
    return versions


def folder_of(league: Path, version: int) -> Path:
    """Where all of a version lies."""
    return league / VERSIONS / str(version)


def environments_folder(league: Path) -> Path:
    """Where the packages lie that versions need: what has the same packages shares them, whichever team it is of."""
    return league / VERSIONS / ENVIRONMENTS


def read_report(league: Path, version: int) -> CheckReport | None:
    """The report that a check has left; None if it ended before that."""
    path = folder_of(league, version) / REPORT
    try:
        data = path.read_bytes()
        return msgspec.msgpack.decode(data, type=CheckReport) if len(data) <= LARGEST_REPORT else None
    except (OSError, msgspec.MsgspecError):
        return None


class Checker:
    """Checks one version after the other. Code of a version is never in this process, only in cells.

    No version twice: what is known of files is remembered by their paths.

    Args:
        league: the league.
    """

    def __init__(self, league: League) -> None:
        self._league = league
        readable = [str(make_versions_folder(league.settings.folder))]
        self._cells = CellPool(reserve=0, readable=readable)
        """For builds, and for finding out what was built."""
        self._arenas = Arena(readable=readable), Arena(readable=readable)
        tournament = league.tournament
        for arena in self._arenas:
            arena.preload((tournament.game, tournament.manager, *tournament.teams[:MOST_SAMPLES]))
        league.registry.loader = in_cells(league.registry.loader, self._cells)

    def close(self) -> None:
        """End all processes of it."""
        self._cells.close()
        for arena in self._arenas:
            arena.close()

    def check(self, version: int, upload: str, name: str) -> CheckReport:
        """Unpack, build and check what was handed in.

        Raises:
            UserError: this machine cannot confine it, or a folder cannot be written.
        """
        try:
            # Here, as a build has a thread of its own, with which it would end.
            self._cells.warm_up()
        except ZygoteLostError as error:
            raise UserError(f"builds can't be confined: {one_line(str(error))}") from error
        place = folder_of(self._league.settings.folder, version)
        try:
            with private_files():
                return self._check(place, upload, name)
        finally:
            # What has a mode of its own, such as what was built.
            make_private([place])

    def _check(self, place: Path, upload: str, name: str) -> CheckReport:
        league = self._league
        remove_version(place)
        upload_path = place / "handed-in" / f"team{ending_of(name)}"
        with file_errors(upload_path, "written"):
            upload_path.parent.mkdir(parents=True)
            os.link(league.settings.folder / UPLOADS / upload, upload_path)
        tournament = league.tournament
        options = IntakeOptions(
            handed_in=upload_path,
            into=place / TEAMS,
            reports=place / "intake",
            game=tournament.game.name,
            policy=tournament.isolation_policy,
            allowed=league.allowed,
            environments=environments_folder(league.settings.folder),
            is_one_team=True,
            plays_once=False,
            cells=self._cells,
        )
        (team,) = take_in(options, league.registry, lambda *_: None).teams
        log = (place / "intake" / team.log).read_text(encoding="utf-8", errors="replace")[-LONGEST_LOG:] if team.log else ""
        build_step = _build_step(team, league)
        if build_step.mark is StepMark.FAILED:
            return _report([build_step], team, log, place)
        reference, find_step = _find(league, place / TEAMS)
        steps = [build_step, find_step]
        if reference is None:
            return _report(steps, team, log, place)
        steps += check(subject_of(league, reference), self._arenas)
        report = _report(steps, team, log, place)
        _make_read_only(place / TEAMS)
        source = reference.source
        return msgspec.structs.replace(
            report, code=code_digest(source), build_digest=digest_without_loader(source), entry=reference
        )


def _build_step(team: TeamReport, league: League) -> Step:
    if team.verdict in NO_TEAM:
        # Where packages lie on this machine is nothing for the team.
        error = team.error.replace(str(league.allowed.wheels), "the league's folder")
        reason = first_line(error) or team.verdict.value
        return Step(name="built", mark=StepMark.FAILED, detail=f"{team.verdict.value}: {reason}", output=error.encode())
    how = f"by {team.recipe} from {' and '.join(team.ways)}" if team.ways else f"by {team.recipe}"
    return Step(name="built", mark=StepMark.OK, detail=f"{team.found}: {how}", advice="; ".join(team.notes))


def _find(league: League, folder: Path) -> tuple[Reference | None, Step]:
    """The one algorithm that was handed in."""
    choice = Finder(league.registry).teams(str(folder), league.tournament.game.name)
    reasons = [reason for _, reason in choice.refused]
    if not choice.references:
        detail = "; ".join(reasons) or f"contains no algorithm for {league.tournament.game.name}"
        return None, Step(name="found", mark=StepMark.FAILED, detail=one_line(detail, 300))
    if len(choice.references) > 1:
        names = ", ".join(reference.name for reference in choice.references)
        return None, Step(
            name="found", mark=StepMark.FAILED, detail=f"contains several algorithms: {names}", advice="hand in one of them"
        )
    reference = choice.references[0]
    return reference, Step(name="found", mark=StepMark.OK, detail=f"'{reference.name}' for {reference.game}")


def subject_of(league: League, team: Reference) -> Subject:
    """The matches of a check: on a small map of the league, and against the first of the staff's teams."""
    tournament = league.tournament
    mirror = against_itself(team, tournament.game, tournament.manager, smallest_first(tournament.maps)[0])
    mirror = replace(mirror, input=replace(mirror.input, teams=(team,) * tournament.field.seats))
    policy = tournament.isolation_policy
    samples = tournament.teams[:MOST_SAMPLES]
    isolations = {policy.of(sample) for sample in samples}
    return Subject(
        mirror=policy.apply(replace(mirror, input=replace(mirror.input, on_crash=tournament.on_crash))),
        samples=samples,
        sample_isolation=Isolation.INLINE if isolations == {Isolation.INLINE} else Isolation.SANDBOX,
    )


def _report(steps: list[Step], team: TeamReport, log: str, place: Path) -> CheckReport:
    failed = next((step for step in steps if step.mark is StepMark.FAILED), None)

    def without_paths(value: object) -> object:
        """Where it lies on this machine is nothing for the team."""
        if not isinstance(value, str):
            return value
        for base in (place.resolve(), place):
            for folder in (base / TEAMS, base, base.parent / ENVIRONMENTS):
                value = value.replace(f"{folder}/", "")
        return value

    return CheckReport(
        accepted=failed is None,
        reason="" if failed is None else str(without_paths(one_line(f"{failed.name}: {failed.detail}", 500))),
        steps=[{key: without_paths(value) for key, value in replace(step, match=None).plain().items()} for step in steps],
        notes=[str(without_paths(note)) for note in team.notes],
        log=str(without_paths(log)),
    )


def _make_read_only(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            is_runnable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o500 if is_runnable else 0o400)


def remove_version(place: Path) -> None:
    """Remove a version's folder, read-only or not."""
    for path in [place, *place.rglob("*")] if place.is_dir() else []:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(place, ignore_errors=True)


def sweep_versions(league: Path, database: Database) -> int:
    """Remove what is left of versions that were checked and don't play, such as after a kill; how many that were."""
    removed = 0
    for row in database.rows(f"SELECT id FROM versions WHERE state NOT IN ('received', 'checking') AND NOT ({HAS_PLAYED})"):  # noqa: S608 -- our own words
        if (place := folder_of(league, row["id"])).is_dir():
            remove_version(place)
            removed += 1
    return removed


def leave_report(folder: Path, version: int, report: CheckReport) -> None:
    """Write a report where ``read_report`` finds it, whole or not at all. It and what was built survive a power cut."""
    place = folder_of(folder, version)
    new = place / f".{REPORT}.new"
    new.write_bytes(msgspec.msgpack.encode(report))
    # The database, which survives one, will say that the version plays.
    sync_tree(place)
    new.replace(place / REPORT)
    for each in (place, place.parent, folder):
        sync_file(each)


def check_all(folder: Path, versions: Iterable[str], answers: IO[str], *, unconfined: bool) -> None:
    """Check each of ``versions``, numbers in lines, and answer with the number of each whose report is there.

    Raises:
        UserError: why this machine can't check, which is for the staff. What is wrong with an upload became a step of its report.
    """
    with closing(Checker(load_league(folder, unconfined=unconfined))) as checker:
        for line in versions:
            version = int(line)
            with Database(folder) as database:
                row = database.row("SELECT upload, name FROM versions WHERE id = ?", version)
            assert row is not None
            leave_report(folder, version, checker.check(version, row["upload"], row["name"]))
            print(version, file=answers, flush=True)


def main() -> None:
    """Check what comes on standard input, until that is closed or the parent is gone."""
    end_with_parent(int(sys.argv[2]))
    os.umask(OTHERS)
    try:
        check_all(Path(sys.argv[1]), sys.stdin, sys.stdout, unconfined="--unconfined" in sys.argv[3:])
    except UserError as error:
        print(json.dumps({"at": now(), "from": "check", "event": "failed", "reason": str(error)}), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
