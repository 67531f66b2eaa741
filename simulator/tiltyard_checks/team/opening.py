"""The first match of a team, against itself: whether it loads, starts, answers and keeps its limits.

It is the opening of every check, in a league too, and all that an intake plays of a team.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tiltyard_checks.team.advice import BROKEN_LIMITS, failed_step
from tiltyard_checks.team.steps import Step, StepMark
from tiltyard_engine.match_record import MatchRecord, SeatAccount
from tiltyard_engine.records import Game, TankInterface, usual_players
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import MANAGER_SEAT, Fault
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.guard.cells.messages import REQUESTS
from tiltyard_simulator.guard.seats.kinds import team_of_message
from tiltyard_simulator.match.isolation import Isolation, isolation_in_words
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec

EARLY_ANSWERS: Final = "write one line a turn: the second one counts as the answer to the next turn"
STARTS: Final = "starts"


def smallest_first(maps: Iterable[MapSource]) -> list[MapSource]:
    """Maps by their size: a match on the first is the quickest."""
    return sorted(maps, key=lambda source: (len(source.data), source.name))


def against_itself(team: Reference, game: Reference, manager: Reference, game_map: MapSource) -> MatchSpec:
    """The match in which a team has all seats, how it is held still being open."""
    players = usual_players(game.load_as(Game))
    return MatchSpec(MatchInput(game=game, manager=manager, map=game_map, teams=(team,) * players))


@dataclass(frozen=True, slots=True)
class Opening:
    """A match of a team against itself that was played."""

    spec: MatchSpec
    record: MatchRecord

    @property
    def team_fault(self) -> Fault | None:
        """The first fault that is the team's own; None: it plays, or the GameManager failed."""
        return next((fault for fault in self.record.outcome.faults if fault.seat != MANAGER_SEAT), None)

    @property
    def _has_tanks(self) -> bool:
        game: Game[Any] = self.spec.input.game.load_as(Game)
        return isinstance(game.interface, TankInterface)

    def steps(self) -> Iterator[Step]:
        """What the match shows, a step each; those after one that failed are skipped."""
        record, fault = self.record, next(iter(self.record.outcome.faults), None)
        failing = _step_of(fault, record, self.spec.input.teams[0].program is not None)
        starting = "tanks" if self._has_tanks else "starts"
        order = ("loads", starting, "answers", "limits")
        if failing == STARTS:
            failing = starting
        for name in order:
            if fault is not None and name == failing:
                yield failed_step(name, self.spec, record, fault)
            elif fault is not None and order.index(name) > order.index(failing):
                yield skipped_step(name)
            elif name == "answers" and record.evidence.accounts[0].was_early:
                detail = f"{self._detail(name)}; an answer was there before its question"
                yield Step(name=name, mark=StepMark.WARNING, detail=detail, advice=EARLY_ANSWERS)
            else:
                yield Step(name=name, mark=StepMark.OK, detail=self._detail(name))

    def _detail(self, name: str) -> str:
        """How a step went that didn't fail."""
        record = self.record
        account = record.evidence.accounts[0]
        if name == "loads":
            seconds = [cpu for what, cpu, _ in account.calls if what == "starting up"]
            took = f" in {seconds[0]:.3f} s of CPU time" if seconds else ""
            what = "loaded and its Player created" if self._has_tanks else "loaded"
            return f"{what}{took}; {_output_note(account)}; {isolation_in_words(account.held)}"
        if name == "tanks":
            return f"{sum(seat == 1 for seat, *_ in record.evidence.requests)} created"
        if name == "starts":
            return "took the first position"
        if name == "limits":
            return "none was reached"
        questions = sum(len(requests) for seat, _, requests in record.evidence.requests if seat == 1)
        rounds = record.evidence.claim.rounds
        return (
            f"answered {counted(questions, 'question')} in {counted(rounds, 'round')} against itself on {self.spec.input.map.name}"
        )


def skipped_step(name: str) -> Step:
    """A step that an earlier one made pointless."""
    return Step(name=name, mark=StepMark.SKIPPED, detail="skipped because an earlier step failed")


def _step_of(fault: Fault | None, record: MatchRecord, is_program: bool) -> str:
    """The step that a fault of the first match belongs to. The last question of the conversation tells."""
    if fault is None:
        return ""
    conversation = record.evidence.accounts[fault.seat - 1].conversation if 0 < fault.seat <= len(record.evidence.accounts) else ()
    if is_program:
        return "limits" if fault.termination in BROKEN_LIMITS else "answers" if fault.round else STARTS
    if not conversation:
        return "answers" if fault.round else "loads"
    last = REQUESTS.decode(conversation[-1].question)
    team = team_of_message(last)
    if team is not None and type(last) is team.opening:
        return "loads"
    if team is not None and type(last) is team.beginning:
        return STARTS
    return "limits" if fault.termination in BROKEN_LIMITS else "answers"


def _output_note(account: SeatAccount) -> str:
    if account.held == Isolation.INLINE:
        return "its output isn't saved"
    return f"printed {counted(len(account.output), 'byte')} in the match" if account.output else "printed nothing"
