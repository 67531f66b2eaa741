"""The team that ``tiltyard check`` is given: found as it lies there, or built from an archive or sources."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from tiltyard_checks.team.steps import Step, StepMark
from tiltyard_checks.team.subjects import CheckOptions, TeamAndSteps, find_team, game_of
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.sources import is_plugin_file
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.registry.finder import Finder

BUILT = "built"


def find_or_build(options: CheckOptions, finder: Finder) -> TeamAndSteps:
    """The team, and the steps until it is found. What plays as it lies there is not built.

    Raises:
        UserError: nothing of that name is there, or which game it plays cannot be told.
    """
    path = Path(options.text)
    if path.is_file() and not is_plugin_file(path):
        # Imported late: what plays as it is needs none of it.
        from tiltyard_intake.one_team import has_to_be_built

        if has_to_be_built(path):
            return _build(path, options, finder)
    try:
        reference, steps = _find(options, finder)
    except UserError:
        # A folder that contains no plugin may contain sources.
        work = _built_of_sources(path, options, finder, may_be_python=True)
        if work is None:
            raise
        return work
    if reference is None:
        # Python that cannot be used is not built either: its own error says more.
        return _built_of_sources(path, options, finder, may_be_python=False) or (reference, steps)
    return reference, steps


def _find(options: CheckOptions, finder: Finder) -> TeamAndSteps:
    reference, step = find_team(options, finder)
    return reference, [step]


def _built_of_sources(path: Path, options: CheckOptions, finder: Finder, may_be_python: bool) -> TeamAndSteps | None:
    from tiltyard_intake.one_team import recognise_team

    if not (path.is_dir() or (path.is_file() and game_of(options, finder))):
        # Of a plugin with a mistake, nobody wants to hear that it may be a program for another game.
        return None
    work = recognise_team(path, finder.registry, game_of(options, finder) or "")
    if work.recipe is None or (work.is_python and not may_be_python):
        return None
    return _build(path, options, finder)


def _build(path: Path, options: CheckOptions, finder: Finder) -> TeamAndSteps:
    from tiltyard_intake.one_team import build_team, recognise_team

    work = recognise_team(path, finder.registry, game_of(options, finder) or "")
    report, log = work.report, ""
    if work.recipe is not None:
        if sys.stderr.isatty():
            # A compiler may take its time.
            print(f"building {one_line(path.name)} ({work.recipe.title}) ...", file=sys.stderr, flush=True)
        team = build_team(path, work, finder.registry, options.isolation_policy)
        report, log = team.report, team.log
        if team.path is not None:
            how = "kept from before" if report.is_reused else f"{report.seconds:.1f} s"
            detail = f"{report.found}: by {report.recipe} from {' and '.join(report.ways)}, {how}"
            step = Step(name=BUILT, mark=StepMark.OK, detail=detail, advice="; ".join(report.notes), output=log.encode())
            if not team.is_team:
                return None, [
                    step,
                    Step(
                        name="found",
                        mark=StepMark.SKIPPED,
                        detail=f"{work.recipe.title} is not a team, so there is nothing to play",
                    ),
                ]
            team_options = replace(options, text=str(team.path), game=work.game or None)
            try:
                reference, steps = _find(team_options, finder)
            except UserError as error:
                # Where it was built is no place that anybody knows.
                raise UserError(str(error).replace(str(team.path), options.text), see=error.see) from error
            return reference, [step, *steps]
    step = Step(
        name=BUILT,
        mark=StepMark.FAILED,
        detail=f"{report.verdict.value}: {report.error}",
        output=log.encode(),
        advice="; ".join([*report.notes, "fix the work, then check again"]),
    )
    return None, [step]
