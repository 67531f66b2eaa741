"""Checking one team step by step, in matches like those of a tournament: does it keep the rules, how near is it to its limits?

The steps work for any game; those that do not apply to a game are left out. Each step is reported as soon as it is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Final

from tiltyard_checks.runs.verification import Divergence, compare
from tiltyard_checks.team.advice import BROKEN_LIMITS, failed_step
from tiltyard_checks.team.opening import Opening, skipped_step
from tiltyard_checks.team.steps import Step, StepMark, Usage, limit_steps
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.records import Game, TankInterface
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import MANAGER_SEAT, Termination
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import Arena


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Which team is checked, and in what matches."""

    mirror: MatchSpec
    """The match of the team against itself. All others of the check differ from it in their teams alone."""
    samples: tuple[Reference, ...] = ()
    """Teams to play against."""
    sample_isolation: Isolation = Isolation.INLINE

    @property
    def team(self) -> Reference:
        """The team that is checked."""
        return self.mirror.input.teams[0]

    @property
    def isolation(self) -> Isolation:
        """How it is held."""
        return self.mirror.holding.isolations[0]


def check(subject: Subject, arenas: tuple[Arena, Arena] | None = None, times: int = 1) -> Iterator[Step]:
    """The steps, each as soon as it is known. If one of the first steps fails, the rest are skipped.

    Args:
        subject: the team and its matches.
        arenas: for who checks many teams, so that not each of them pays for starting them: one for all matches, and another one,
            whose processes have other memory addresses, for playing a match again. They stay open.
        times: how often each match is played, to see whether the result is the same; the first match is played twice in any case.

    Raises:
        UserError: a match cannot be set up.
    """
    with ExitStack() as stack:
        arena, other = arenas or (stack.enter_context(Arena()), stack.enter_context(Arena()))
        arena.preload((*subject.mirror.input.players, *subject.samples))
        yield from _Checker(subject, arena, other, times).steps()


_LATER: Final = ("deterministic", "BattleInfo")


class _Checker:
    def __init__(self, subject: Subject, arena: Arena, other: Arena, times: int) -> None:
        self._subject = subject
        self._arena = arena
        self._other = other
        self._times = times
        self._usage = Usage(limits=subject.mirror.holding.limits_of(1))
        self._mirror = replace(
            subject.mirror, recording=replace(subject.mirror.recording, replay=True, trace=True, log=True, measure=True)
        )
        game: Game[Any] = subject.mirror.input.game.load_as(Game)
        self._has_tanks = isinstance(game.interface, TankInterface)

    def steps(self) -> Iterator[Step]:
        first = self._with_denials(self._play(self._mirror))
        opening = list(Opening(self._mirror, first).steps())
        yield from opening
        if any(step.mark is StepMark.FAILED for step in opening):
            skipped = [*_LATER[: 2 if self._has_tanks else 1], *(sample.name for sample in self._subject.samples)]
            yield from map(skipped_step, skipped)
        else:
            yield self._deterministic(first)
            if self._has_tanks:
                yield self._keeps_no_info(first)
            for sample in self._subject.samples:
                yield self._against(sample)
        if self._subject.isolation is Isolation.INLINE:
            yield Step(name="times", mark=StepMark.SKIPPED, detail="not measured for a team that runs in-process")
        else:
            yield from limit_steps(self._usage)

    # Playing

    def _play(self, spec: MatchSpec, arena: Arena | None = None) -> MatchRecord:
        """Play a match, and add what the team used in it to its usage."""
        record = (arena or self._arena).play(spec)
        broken = {fault.seat: fault.termination for fault in record.outcome.faults if fault.termination in BROKEN_LIMITS}
        for seat, (team, account) in enumerate(zip(spec.input.teams, record.evidence.accounts), start=1):
            if team == self._subject.team:
                self._usage.add(account, record.evidence.claim.rounds, broken.get(seat))
        return record

    def _with_denials(self, first: MatchRecord) -> MatchRecord:
        """The same match watched, if a program crashes in it in a sandbox: its fault then names what was denied to it."""
        is_program = self._subject.team.program is not None
        if not is_program or self._subject.isolation is not Isolation.SANDBOX or _first_end(first) is not Termination.CRASH:
            return first
        again = self._arena.play(replace(self._mirror, recording=replace(self._mirror.recording, watch_denials=True)))
        return again if _first_end(again) is Termination.CRASH else first

    # Steps

    def _deterministic(self, first: MatchRecord) -> Step:
        times = max(self._times, 2)
        unequal = self._played_again("deterministic", self._mirror, first, times)
        if unequal is not None:
            return unequal
        again = "again" if times == 2 else f"{times} times"
        detail = f"played {again}: the same requests, views and replay, byte for byte"
        return Step(name="deterministic", mark=StepMark.OK, detail=detail)

    def _played_again(self, name: str, spec: MatchSpec, first: MatchRecord, times: int, before: str = "") -> Step | None:
        """Play a match until it was played so many times; the step if one of them differs from the first, else None.

        Args:
            name: the step's.
            spec: the match.
            first: how it was played the first time.
            times: all of them, the first one too.
            before: what the step's detail begins with.
        """
        own = {MANAGER_SEAT, *(seat for seat, team in enumerate(spec.input.teams, start=1) if team == self._subject.team)}
        for number in range(2, times + 1):
            again = self._play(spec, self._other)
            fault = next((fault for fault in again.outcome.faults if fault.seat in own), None)
            if fault is not None:
                return failed_step(name, spec, again, fault, f"{before}when the same match was played again: ")
            divergence = compare(first, again, number)
            if divergence is not None:
                return self._unequal(name, spec, divergence, before)
        return None

    def _unequal(self, name: str, spec: MatchSpec, divergence: Divergence, before: str) -> Step:
        difference = divergence.difference
        where = f"from round {divergence.round} on" if divergence.round >= 0 else "in the result"
        differs = f"{before}the same match played again differs {where}"
        actions = [f"tank {tank}: {one} / {other}" for tank, one, other in difference.actions if one != other]
        if MANAGER_SEAT in divergence.suspects:
            detail = f"{before}the same match differs {where}, but the team's actions are the same: {', '.join(difference.kinds)}"
            advice = f"the GameManager {spec.input.manager.label} may not be deterministic"
            return Step(name=name, mark=StepMark.WARNING, detail=detail, advice=advice, difference=difference)
        what = "; ".join(actions) or ", ".join(difference.kinds)
        if all(spec.input.teams[seat - 1] != self._subject.team for seat in divergence.suspects):
            others = " and ".join(spec.input.names[seat - 1] for seat in divergence.suspects)
            detail = f"{differs}, because of {others}: {what}"
            return Step(name=name, mark=StepMark.WARNING, detail=detail, difference=difference)
        return Step(
            name=name,
            mark=StepMark.FAILED,
            detail=f"{differs}: {what}",
            advice="look for random numbers without a fixed seed, for the time, and for sets of objects, whose order depends on"
            " memory addresses",
            difference=difference,
        )

    def _keeps_no_info(self, first: MatchRecord) -> Step:
        name = "BattleInfo"
        if self._subject.isolation is Isolation.INLINE:
            return Step(name=name, mark=StepMark.SKIPPED, detail="can't be checked in-process; leave out --isolation inline")
        if not first.evidence.views:
            return Step(name=name, mark=StepMark.OK, detail="no tank asked for it in this match")
        watched = replace(self._mirror, holding=replace(self._mirror.holding, watch_infos=True))
        record = self._arena.play(watched)
        if not record.outcome.faults:
            return Step(name=name, mark=StepMark.OK, detail=f"given out {len(first.evidence.views)} times, and never kept")
        step = failed_step(name, watched, record, record.outcome.faults[0])
        return replace(step, advice="copy what the tank needs from the info in update_battle_info, and keep only the copy")

    def _against(self, sample: Reference) -> Step:
        results: list[str] = []
        strange: list[str] = []
        subject, seats = self._subject, range(1, len(self._mirror.input.teams) + 1)
        for seat in seats:
            players = tuple(subject.team if each == seat else sample for each in seats)
            isolations = tuple(subject.isolation if player == subject.team else subject.sample_isolation for player in players)
            spec = replace(
                self._mirror,
                input=replace(self._mirror.input, teams=players),
                holding=replace(self._mirror.holding, isolations=isolations),
            )
            record = self._play(spec)
            own = next((fault for fault in record.outcome.faults if fault.seat in (seat, MANAGER_SEAT)), None)
            if own is not None:
                return failed_step(sample.name, spec, record, own, f"as player {seat}: ")
            strange += [
                f"{sample.name} itself failed: {fault.termination.value}: {fault.message}" for fault in record.outcome.faults
            ]
            unequal = self._played_again(sample.name, spec, record, self._times, f"as player {seat}: ")
            if unequal is not None:
                return unequal
            result = "tie" if not record.outcome.winner else "won" if record.outcome.winner == seat else "lost"
            same = f", the same {self._times} times" if self._times > 1 else ""
            results.append(f"{result} as player {seat} ({counted(record.evidence.claim.rounds, 'round')}{same})")
        mark = StepMark.WARNING if strange else StepMark.OK
        return Step(name=sample.name, mark=mark, detail="; ".join([*results, *strange]))


def _first_end(record: MatchRecord) -> Termination | None:
    return record.outcome.faults[0].termination if record.outcome.faults else None
