"""Playing matches in this process, with spare cells between them: each again where the machine has failed."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import NO_CLAIM, Evidence, Exchange, MatchRecord, SeatAccount, outcome_of
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Recorder
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_engine.seat_kinds.seat_ports import SeatObserver, SeatPort
from tiltyard_simulator.guard.cells.cell_port import cell_of
from tiltyard_simulator.guard.cells.wire import ZygoteLostError as MachineFaultError
from tiltyard_simulator.guard.handover import HANDOVER
from tiltyard_simulator.guard.slow_imports import Tell, print_note
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_simulator.match.verdict import ended_by
from tiltyard_simulator.play.attempt import NO_PORTS, Attempt, manager_failure, play_in_seats, play_natively
from tiltyard_simulator.play.silence import silence

if TYPE_CHECKING:
    from tiltyard_simulator.guard.cell_pool import CellPool
    from tiltyard_simulator.guard.cells.cell_client import CellClient
    from tiltyard_simulator.guard.native_hosts import NativeHosts
    from tiltyard_simulator.guard.policy import Level

MOST_ATTEMPTS = 3
"""How often a match is started, if the machine fails, before it is void."""


def play_match(spec: MatchSpec, recorder: Recorder | None = None) -> MatchRecord:
    """Play one match in an arena of its own; see ``Arena.play``."""
    with Arena() as arena:
        return arena.play(spec, recorder)


class Arena:
    """Plays the matches of a process, and keeps spare cells between them.

    Args:
        core: the core for this process and its cells. They take turns, and a message to another core takes three times as long.
            None: let the machine choose.
        cells: the cells that it plays with, and closes; by default its own.
        readable: folders in which teams will lie that are not known yet; see ``CellPool``.
        tell: gets a sentence for the user where an import takes long.
    """

    def __init__(
        self,
        core: int | None = None,
        cells: CellPool | None = None,
        readable: Sequence[str] = (),
        tell: Tell = print_note,
    ) -> None:
        self.level: Level | None = None
        """How matches confine their cells from now on. None: as well as this machine can."""
        self._core = core
        self._preloaded: dict[Reference, None] = {}
        self._cells = cells
        self._readable = tuple(readable)
        self._tell = tell
        self._native_hosts: NativeHosts | None = None

    def __enter__(self) -> Arena:
        """Nothing is started until it is needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all remaining processes of teams."""
        self.close()

    def close(self) -> None:
        """End all remaining processes of teams."""
        if self._native_hosts is not None:
            self._native_hosts.close()
        if self._cells is not None:
            self._cells.close()
            self._cells = None

    def preload(self, references: Iterable[Reference], readable: Sequence[str] = ()) -> None:
        """Tell which plugins will play. Their files are made visible to cells at once, not by a new zygote for each of them.

        Args:
            references: the plugins.
            readable: folders in which others will lie that are not known yet; heard before the first match alone.
        """
        self._readable = tuple(readable) or self._readable
        new = [reference for reference in references if reference not in self._preloaded]
        self._preloaded |= dict.fromkeys(new)
        if self._cells is not None:
            self._cells.preload(_usable(new))

    def play(
        self,
        spec: MatchSpec,
        recorder: Recorder | None = None,
        ports: Mapping[int, SeatPort] = NO_PORTS,
        watching: Sequence[SeatObserver] = (),
    ) -> MatchRecord:
        """Play a match. Errors of its plugins become faults in the record, and are never raised.

        Args:
            spec: the match.
            recorder: gets the match while it is played, instead of the replay that ``spec.recording`` asks for.
            ports: to the seats that the caller itself holds, by number; ``spec.input.teams`` only names these. With any, what
                plugins print in this process isn't discarded: another thread of the caller may be printing.
            watching: hear of every seat, and may replace a team's answers. Compiled files that share a
                process, as ``MatchSpec.plays_natively`` says, have no seats.

        Raises:
            UserError: the match cannot be set up, because a plugin or the map cannot be used.
        """
        started = time.perf_counter()
        match = spec.input
        needed = replace(match, manager=match.manager.with_needs(), teams=tuple(team.with_needs() for team in match.teams))
        spec = replace(spec, input=needed)
        if spec.plays_natively:
            attempt, incidents = self._with_retries(spec, lambda: self._play_natively(spec))
        else:
            # What a watcher or a caller's seat has seen cannot be undone, so such a match has only one attempt.
            is_seen = ports or watching or (recorder is not None and recorder.is_watched)
            most = 1 if is_seen else MOST_ATTEMPTS
            attempt, incidents = self._with_retries(spec, lambda: self._play_in_seats(spec, recorder, ports, watching), most)
        evidence = self._with_accounts(attempt, spec)
        seconds = time.perf_counter() - started
        outcome = replace(attempt.record.outcome, **_isolation_fields(evidence), incidents=tuple(incidents), seconds=seconds)
        return labelled(MatchRecord(outcome=outcome, evidence=evidence), spec)

    def _with_retries(
        self, spec: MatchSpec, play_once: Callable[[], Attempt], most: int = MOST_ATTEMPTS
    ) -> tuple[Attempt, list[str]]:
        """The first attempt that the machine did not spoil, or what the last one comes to; and what the machine did."""
        incidents: list[str] = []
        for number in range(1, most + 1):
            try:
                attempt = play_once()
            except MachineFaultError as error:
                incidents.append(str(error))
                self.close()
                # The sandbox may not work any more as it did when it was tried.
                from tiltyard_simulator.guard.confinement.probe_answers import drop_answers

                drop_answers()
                attempt = Attempt(void(spec, number, incidents[-1]))
                continue
            finally:
                if self._cells is not None:
                    self._cells.end_match()
            still = sum(cell.standstill_seconds for cell in attempt.cells)
            if still:
                incidents.append(f"the runner was suspended for {still:.1f} s; this time doesn't count")
            lost = [fault for fault in attempt.record.outcome.faults if _is_machines(fault, still)]
            if not lost:
                break
            if number < most:
                incidents += [f"{_who(fault)}: {fault.message}" for fault in lost]
            attempt = replace(attempt, record=_charge_void(attempt.record, number, spec.input))
        return attempt, incidents

    def _play_in_seats(
        self, spec: MatchSpec, recorder: Recorder | None, ports: Mapping[int, SeatPort], watching: Sequence[SeatObserver]
    ) -> Attempt:
        with contextlib.nullcontext() if ports else silence():
            return play_in_seats(spec, self._cells_for(spec, ports), recorder, ports, watching)

    def _play_natively(self, spec: MatchSpec) -> Attempt:
        if self._native_hosts is None:
            from tiltyard_simulator.guard.native_hosts import NativeHosts

            self._native_hosts = NativeHosts()
        return play_natively(spec, self._native_hosts, self._cells_for(spec) if spec.holding.together else None)

    def _cells_for(self, spec: MatchSpec, ports: Mapping[int, SeatPort] = NO_PORTS) -> CellPool | None:
        is_new = self._cells is None and spec.all_isolations != {Isolation.INLINE}
        if is_new:
            from tiltyard_simulator.guard.cell_pool import CellPool

            self._cells = CellPool(core=self._core, level=self.level, readable=self._readable, tell=self._tell)
            self._cells.preload(_usable(self._preloaded))
        if self._cells is not None:
            self._cells.measure, self._cells.watch_infos = spec.recording.measure, spec.holding.watch_infos
            self._cells.watch_denials = spec.recording.watch_denials
            if not spec.plays_natively:
                teams = [team for seat, team in enumerate(spec.input.teams, start=1) if seat not in ports]
                self._cells.preload([spec.input.manager, spec.input.game, *teams])
            if is_new:
                self._cells.take_over(HANDOVER.take())
        return self._cells

    def _with_accounts(self, attempt: Attempt, spec: MatchSpec) -> Evidence:
        """The evidence of an attempt. Only now that its cells are gone, all that they printed has been read."""
        if not attempt.seats:
            return attempt.record.evidence
        manager = attempt.manager_cell
        return replace(
            attempt.record.evidence,
            accounts=tuple(self._account(spec, seat.index, cell_of(seat), seat.fault is not None) for seat in attempt.seats),
            manager_account=None if manager is None else self._account(spec, MANAGER_SEAT, manager),
        )

    def _account(self, spec: MatchSpec, seat: int, cell: CellClient | None, with_conversation: bool = False) -> SeatAccount:
        isolation = spec.isolation_of(seat)
        isolation_text = isolation.value
        if isolation is Isolation.SANDBOX and self._cells is not None:
            isolation_text = f"sandbox, level {self._cells.confinement.level}"
        if cell is None:
            return SeatAccount(held=isolation_text)
        return SeatAccount(
            held=isolation_text,
            output=cell.output,
            cpu_seconds=cell.cpu_seconds,
            wall_seconds=cell.wall_seconds,
            peak_bytes=cell.peak_bytes,
            calls=tuple(cell.calls),
            conversation=tuple(Exchange(*pair) for pair in cell.conversation) if with_conversation else (),
            was_early=cell.was_early,
        )


def _usable(references: Iterable[Reference]) -> Iterator[Reference]:
    """With what running them takes. What is wrong with the others is told when they play."""
    for reference in references:
        with contextlib.suppress(UserError):
            yield reference.with_needs()


def _is_machines(fault: Fault, still_seconds: float) -> bool:
    """Whether the machine caused a fault, or may have: a stall counts if this process itself was not running all the time."""
    return fault.termination is Termination.VOID or (fault.termination is Termination.STALL and still_seconds > 0)


def void(spec: MatchSpec, attempts: int, reason: str) -> MatchRecord:
    """The record of a match that could not be finished because the machine failed."""
    fault = manager_failure(Termination.VOID, f"given up after {attempts} attempts: {reason}")
    return labelled(MatchRecord(outcome=outcome_of(NO_CLAIM, 0, (1,) * len(spec.input.teams), (fault,))), spec)


def labelled(record: MatchRecord, spec: MatchSpec) -> MatchRecord:
    """The record with the names, key and place of its match."""
    return replace(record, outcome=spec.label(record.outcome))


def _isolation_fields(evidence: Evidence) -> dict[str, Any]:
    """How the code was isolated, as an outcome says it."""
    managers = evidence.manager_account
    return {"held": tuple([account.held for account in evidence.accounts]), "manager_held": managers.held if managers else ""}


def _charge_void(record: MatchRecord, attempts: int, match: MatchInput) -> MatchRecord:
    """Charge a team whose cell alone was lost in every attempt: its code may have killed itself."""
    faults = tuple(
        replace(fault, termination=Termination.CRASH, message=f"{fault.message}, in {attempts} attempts")
        if fault.termination is Termination.VOID
        else fault
        for fault in record.outcome.faults
    )
    return replace(record, outcome=ended_by(record.evidence.claim, faults, len(match.teams), match.on_crash))


def _who(fault: Fault) -> str:
    return "GameManager" if fault.seat == MANAGER_SEAT else f"player {fault.seat}"
