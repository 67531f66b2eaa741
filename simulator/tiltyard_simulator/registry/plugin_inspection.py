"""Imports untrusted plugins in cells, and checks what they say that they contribute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.registry import Contribution, Description, Source
from tiltyard_engine.registry.checks import KINDS, RUN_BY_THE_RUNNER
from tiltyard_engine.registry.contributions import contribution_problem
from tiltyard_engine.registry.loading import Problem, expected_file, sibling_hint
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.registry.trust import how_to_trust
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.messages import Describe, Described
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.wire import CellError, ZygoteLostError
from tiltyard_simulator.guard.confinement.probe_answers import drop_answers
from tiltyard_simulator.guard.handover import HANDOVER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import MEBIBYTE, Limits

MOST_CONTRIBUTIONS: Final = 1_000
MOST_PROBLEMS: Final = 100
MOST_MAP_BYTES: Final = 4 * MEBIBYTE
"""For all maps of a plugin together."""
REPLY_BYTES: Final = MOST_MAP_BYTES + 4 * MEBIBYTE
LONGEST_PATH: Final = 4_096
TOGETHER: Final = 8
"""How many cells are started at a time."""
DOING: Final = "the import"


def describe_in_cells(
    sources: Sequence[Source], games: Sequence[Source], isolation: Isolation, limits: Limits, pool: CellPool | None = None
) -> list[Description]:
    """Load each of ``sources`` in its own cell, which may read its files and those of ``games``, and describe it.

    Whatever a plugin does there ends up in its description. No process of it is left. ``pool`` must not play a match meanwhile.
    """
    asking = _Asking(games, isolation, replace(limits, reply_bytes=REPLY_BYTES))
    with nullcontext(pool) if pool is not None else _own_cells() as cells:
        if pool is None:
            # At level A a zygote sees only the files that it was started with.
            cells.preload_for(sources, games)
        described, lost = asking.describe(cells, sources, TOGETHER)
        if lost:
            # The machine may have lost them, or another plugin. This time each is alone.
            described |= asking.describe(cells, lost, 1)[0]
    return [described[source] for source in sources]


@contextmanager
def _own_cells() -> Iterator[CellPool]:
    cells = HANDOVER.take() or CellPool(reserve=0)
    try:
        yield cells
    except BaseException:
        cells.close()
        raise
    HANDOVER.leave(cells)


@dataclass(frozen=True, slots=True)
class _Asking:
    games: Sequence[Source]
    isolation: Isolation
    limits: Limits

    def describe(self, cells: CellPool, sources: Sequence[Source], together: int) -> tuple[dict[Source, Description], list[Source]]:
        """Descriptions, and the sources whose cells were lost for no known reason."""
        described: dict[Source, Description] = {}
        lost: list[Source] = []
        for start in range(0, len(sources), together):
            results = [(source, self._take(cells, source)) for source in sources[start : start + together]]
            for source, cell in results:
                described[source], is_lost = self._ask(source, cell)
                lost += [source] if is_lost else []
            cells.end_match()
            for source, cell in results:
                if isinstance(cell, TeamClient):
                    _add_output(described[source], cell.output)
        return described, lost

    def _take(self, cells: CellPool, source: Source) -> TeamClient | ZygoteLostError:
        try:
            return cells.take(source, self.limits, self.isolation, self.games)
        except ZygoteLostError as error:
            # What was found out about this machine may no longer hold.
            drop_answers()
            return error

    def _ask(self, source: Source, cell: TeamClient | ZygoteLostError) -> tuple[Description, bool]:
        """The cell's description of a source, and whether the cell was lost."""
        if isinstance(cell, ZygoteLostError):
            return _failed(source, f"not loaded: {cell}"), True
        try:
            reply: Described = cell.ask(Describe(source), self.limits.startup_seconds, DOING, Described)
        except CellError as error:
            reason = f"cannot be imported: {error.message.removeprefix(f'{DOING}: ')}"
            return _failed(source, reason, error.traceback), error.termination is Termination.VOID
        cell.process.kill()
        description = checked(source, reply.description)
        problems = [
            replace(problem, reason=problem.reason + cell.hints.find(problem.reason, problem.detail))
            for problem in description.problems
        ]
        return replace(description, problems=problems), False


def checked(source: Source, description: Description) -> Description:
    """The valid part of a cell's description. Only its types have been checked so far."""
    size = sum(len(contribution.data) for contribution in description.contributions)
    if len(description.contributions) > MOST_CONTRIBUTIONS:
        return _failed(source, f"has {len(description.contributions):,} records; at most {MOST_CONTRIBUTIONS:,} are allowed")
    if size > MOST_MAP_BYTES:
        return _failed(source, f"its maps have {size:,} bytes in total; at most {MOST_MAP_BYTES:,} are allowed")
    for contribution in description.contributions:
        problem = contribution_problem(contribution)
        if problem:
            return _failed(source, f"one of its records is invalid: {problem}")
    contributions = [contribution for contribution in description.contributions if contribution.kind not in RUN_BY_THE_RUNNER]
    problems = [*map(_checked_problem, description.problems[:MOST_PROBLEMS]), *_refused(source, description.contributions)]
    return Description(_checked_file(source, description.file), contributions, [_hinted(source, problem) for problem in problems])


def _refused(source: Source, contributions: Sequence[Contribution]) -> Iterator[Problem]:
    for contribution in contributions:
        if contribution.kind in RUN_BY_THE_RUNNER:
            trust = f"use --trust {how_to_trust(source)}, TILTYARD_TRUST, or 'trust' in the tournament file"
            how = f"if you trust it, {trust}"
            article = "an" if contribution.kind[0] in "aeiou" else "a"
            yield Problem(
                f"not loaded: {article} {contribution.kind}'s code runs in the runner's own process; {how}",
                contribution.name,
                contribution.kind,
            )


def _checked_problem(problem: Problem) -> Problem:
    return replace(problem, kind=problem.kind if problem.kind in KINDS else "plugin")


def _hinted(source: Source, problem: Problem) -> Problem:
    """Add a hint at files beside the plugin's file, which a cell cannot see."""
    hint = sibling_hint(source.value, problem.missing) if source.origin is Origin.FILE and problem.missing else ""
    return problem if hint in problem.reason else replace(problem, reason=problem.reason + hint)


def _checked_file(source: Source, file: str) -> str:
    """The file that a cell names, if it can belong to the source."""
    expected = expected_file(source)
    path = Path(file)
    sound = file.isprintable() and len(file) <= LONGEST_PATH and path.is_absolute() and ".." not in path.parts
    return file if sound and (not expected or path.is_relative_to(expected)) else expected


def _failed(source: Source, reason: str, detail: str = "") -> Description:
    return Description(expected_file(source), problems=[Problem(reason, detail=detail)])


def _add_output(description: Description, output: bytes) -> None:
    """Add what a failed plugin printed to its traceback."""
    if output and description.problems:
        first = description.problems[0]
        detail = f"{first.detail.rstrip()}\nit printed:\n{output.decode('utf-8', 'replace')}"
        description.problems[0] = replace(first, detail=detail.lstrip())
