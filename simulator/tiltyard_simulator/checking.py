"""Checking one team step by step, in matches as they will be played: what it promises, and how near to its limits it is.

The steps work for any game; those that a game has no use for are left out. Each is told as soon as it is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_simulator.check_limits import Used, limit_steps
from tiltyard_simulator.check_steps import Mark, Step
from tiltyard_simulator.choosing import usual_players
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import MANAGER_LIMITS, Limits
from tiltyard_simulator.guard.messages import REQUESTS, CreateTank, OpenTanks, OpenTurns, Start
from tiltyard_simulator.loading import load
from tiltyard_simulator.playing import Arena
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec, SeatAccount
from tiltyard_simulator.verifying import compare


@dataclass(frozen=True, slots=True)
class Subject:
    """Which team is checked, and in what matches."""

    team: Reference
    game: Reference
    manager: Reference
    map: MapSource
    samples: tuple[Reference, ...] = ()
    """Teams to play against, held as their origin says."""
    isolation: Isolation = Isolation.SANDBOX
    sample_isolation: Isolation = Isolation.INLINE
    limits: Limits = field(default_factory=Limits)
    manager_isolation: Isolation = Isolation.INLINE
    manager_limits: Limits = MANAGER_LIMITS

    @property
    def seats(self) -> int:
        """Players of a match."""
        game: Game[Any] = load(self.game, Game)
        return usual_players(game)


def check(subject: Subject) -> Iterator[Step]:
    """The steps, each as soon as it is known; after one without which the others mean nothing these are skipped.

    Raises:
        UserError: a match cannot be set up.
    """
    with _Checker(subject) as checker:
        yield from checker.steps()


_LATER: Final = ("deterministic", "BattleInfo")


class _Checker:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._game: Game[Any] = load(subject.game, Game)
        self._arena = Arena()
        self._used = Used(subject.limits)
        everybody = (subject.team,) * subject.seats
        self._mirror = self._spec(everybody)
        """The team against itself."""

    def __enter__(self) -> _Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self._arena.close()

    @property
    def _has_tanks(self) -> bool:
        return self._game.player_arguments is not None

    def steps(self) -> Iterator[Step]:
        first = self._play(self._mirror)
        opening = list(self._opening(first))
        yield from opening
        if any(step.mark is Mark.FAILED for step in opening):
            skipped = [*_LATER[: 2 if self._has_tanks else 1], *(sample.name for sample in self._subject.samples)]
            yield from (Step(name, Mark.SKIPPED, "needs the steps before it") for name in skipped)
        else:
            yield self._deterministic(first)
            if self._has_tanks:
                yield self._keeps_no_info(first)
            for sample in self._subject.samples:
                yield self._against(sample)
        if self._subject.isolation is Isolation.INLINE:
            yield Step("times", Mark.SKIPPED, "not measured of a team that is held inline")
        else:
            yield from limit_steps(self._used)

    # Playing

    def _spec(self, seats: Sequence[Reference]) -> MatchSpec:
        subject = self._subject
        held = tuple(subject.isolation if team == subject.team else subject.sample_isolation for team in seats)
        limits = (subject.limits,) * len(seats)
        spec = MatchSpec(subject.game, subject.manager, subject.map, tuple(seats), isolations=held, limits=limits)
        spec = replace(spec, manager_isolation=subject.manager_isolation, manager_limits=subject.manager_limits)
        return replace(spec, record=True, trace=True, verbose=True, measure=True)

    def _play(self, spec: MatchSpec, arena: Arena | None = None) -> MatchOutcome:
        """Play a match; what the team used in it counts."""
        outcome = (arena or self._arena).play(spec)
        broken = {fault.seat: fault.termination for fault in outcome.faults if fault.termination in BROKEN_LIMITS}
        for seat, (team, account) in enumerate(zip(spec.algorithms, outcome.accounts), start=1):
            if team == self._subject.team:
                self._used.add(account, outcome.claim.rounds, broken.get(seat))
        return outcome

    # Steps

    def _opening(self, outcome: MatchOutcome) -> Iterator[Step]:
        """What the first match, the team against itself, shows."""
        fault = next((fault for fault in outcome.faults), None)
        failing = _step_of(fault, outcome, self._subject.team.program is not None)
        starting = "tanks" if self._has_tanks else "starts"
        order = ("loads", starting, "answers", "limits")
        if failing == STARTS:
            failing = starting
        for name in order:
            if fault is not None and name == failing:
                yield self._failed(name, self._mirror, outcome, fault)
            elif fault is not None and order.index(name) > order.index(failing):
                yield Step(name, Mark.SKIPPED, "needs the steps before it")
            else:
                yield Step(name, Mark.OK, self._opened(name, outcome))

    def _opened(self, name: str, outcome: MatchOutcome) -> str:
        account = outcome.accounts[0]
        if name == "loads":
            seconds = [used for what, used, _ in account.calls if what == "starting up"]
            took = f" in {seconds[0]:.3f} s of CPU time" if seconds else ""
            what = "loaded and its Player created" if self._has_tanks else "loaded"
            return f"{what}{took}; {_printed(account)}; held: {account.held}"
        if name == "tanks":
            return f"{sum(seat == 1 for seat, *_ in outcome.requests)} created"
        if name == "starts":
            return "took the first position"
        if name == "limits":
            return "none was reached"
        asked = sum(len(requests) for seat, _, requests in outcome.requests if seat == 1)
        rounds = outcome.claim.rounds
        return f"{asked} times asked in {rounds} rounds against itself on {self._subject.map.name}"

    def _deterministic(self, first: MatchOutcome) -> Step:
        name = "deterministic"
        with Arena() as arena:  # other processes, other memory addresses
            again = self._play(self._mirror, arena)
        if again.faults:
            return self._failed(name, self._mirror, again, again.faults[0], "in the same match played again: ")
        divergence = compare(first, again)
        if divergence is None:
            return Step(name, Mark.OK, "played again: the same requests, views and replay, byte for byte")
        shown = divergence.shown
        where = f"from round {divergence.round} on" if divergence.round >= 0 else "in the result"
        actions = [f"tank {tank}: {one} / {other}" for tank, one, other in shown.actions if one != other]
        if MANAGER_SEAT in divergence.suspects:
            detail = f"the same match differs {where}, but not by what the team asked for: {', '.join(shown.kinds)}"
            return Step(name, Mark.WARNING, detail, advice=f"the GameManager {self._subject.manager.name} may not be deterministic")
        return Step(
            name,
            Mark.FAILED,
            f"the same match played again differs {where}: {'; '.join(actions) or ', '.join(shown.kinds)}",
            advice="look for random numbers without a fixed seed, for time, and for sets of objects: their order is that of memory"
            " addresses",
        )

    def _keeps_no_info(self, first: MatchOutcome) -> Step:
        name = "BattleInfo"
        if self._subject.isolation is Isolation.INLINE:
            return Step(name, Mark.SKIPPED, "can only be seen in a cell: leave --isolation inline out")
        if not first.views:
            return Step(name, Mark.OK, "no tank asked for it in this match")
        watched = replace(self._mirror, watch_infos=True)
        outcome = self._arena.play(watched)
        if not outcome.faults:
            return Step(name, Mark.OK, f"{len(first.views)} times handed over, and never kept")
        step = self._failed(name, watched, outcome, outcome.faults[0])
        return replace(step, advice="copy what the tank needs out of the info while update_battle_info runs, and keep only that")

    def _against(self, sample: Reference) -> Step:
        results: list[str] = []
        strange: list[str] = []
        for seat in range(1, self._subject.seats + 1):
            players = [sample] * self._subject.seats
            players[seat - 1] = self._subject.team
            spec = self._spec(players)
            outcome = self._play(spec)
            own = next((fault for fault in outcome.faults if fault.seat in (seat, MANAGER_SEAT)), None)
            if own is not None:
                return self._failed(sample.name, spec, outcome, own, f"as player {seat}: ")
            strange += [f"{sample.name} failed itself: {fault.termination.value}: {fault.message}" for fault in outcome.faults]
            result = "tie" if not outcome.winner else "won" if outcome.winner == seat else "lost"
            results.append(f"{result} as player {seat} ({outcome.claim.rounds} rounds)")
        mark = Mark.WARNING if strange else Mark.OK
        return Step(sample.name, mark, "; ".join([*results, *strange]))

    def _failed(self, name: str, spec: MatchSpec, outcome: MatchOutcome, fault: Fault, before: str = "") -> Step:
        """A step that a fault failed, with all that helps to find out why."""
        when = f" (round {fault.round})" if fault.round > 0 else ""
        account = outcome.accounts[fault.seat - 1] if 0 < fault.seat <= len(outcome.accounts) else None
        who = "" if fault.seat else f"the GameManager {spec.manager.name}: "
        detail = " ".join(f"{before}{who}{fault.termination.value}{when}: {fault.message}".split())
        output = account.output if account is not None else b""
        return Step(name, Mark.FAILED, detail, fault.traceback, output, _advice(fault), match=(spec, outcome))


STARTS: Final = "starts"


def _step_of(fault: Fault | None, outcome: MatchOutcome, is_program: bool) -> str:
    """The step that a fault of the first match belongs to, by the question that was not answered well."""
    if fault is None:
        return ""
    conversation = outcome.accounts[fault.seat - 1].conversation if 0 < fault.seat <= len(outcome.accounts) else ()
    if is_program:
        return "limits" if fault.termination in BROKEN_LIMITS else "answers" if fault.round else STARTS
    if not conversation:
        return "answers" if fault.round else "loads"
    last = REQUESTS.decode(conversation[-1].question)
    if isinstance(last, OpenTanks | OpenTurns):
        return "loads"
    if isinstance(last, CreateTank | Start):
        return STARTS
    return "limits" if fault.termination in BROKEN_LIMITS else "answers"


def _printed(account: SeatAccount) -> str:
    if account.held == Isolation.INLINE:
        return "what it prints is not kept"
    return f"printed {len(account.output)} bytes in the match" if account.output else "printed nothing"


BROKEN_LIMITS: Final = (Termination.TIMEOUT, Termination.STALL, Termination.OUT_OF_MEMORY)

_ADVICE: Final = {
    Termination.CRASH: "the team's code must not end its process, nor crash the interpreter",
    Termination.TIMEOUT: "let the code stop after a fixed amount of work; 'tiltyard debug' shows where it was at the limit",
    Termination.STALL: "it waited for something that never came: nothing may be read, and nothing be waited for",
    Termination.OUT_OF_MEMORY: "keep less; 'tiltyard debug' shows where the limit was reached",
    Termination.PROTOCOL: "compare what was returned with docs/reference/contract.md",
    Termination.ILLEGAL_MOVE: "the rules of the game forbid this move",
    Termination.VOID: "this was the machine's doing: check again",
}


def _advice(fault: Fault) -> str:
    if fault.seat == MANAGER_SEAT and fault.termination is not Termination.VOID:
        return "not the team's doing; choose another GameManager with --manager"
    if fault.traceback:
        return "the last frame above is where the team's code failed"
    return _ADVICE.get(fault.termination, "")
