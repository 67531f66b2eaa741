"""The text below the tables of a run: how code was isolated, machine failures, and faults."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seat_kinds.program_turns import without_turn
from tiltyard_engine.texts.sanitize import one_line, printable, quoted
from tiltyard_simulator.match.eligibility import faults_in_quarantine
from tiltyard_simulator.match.isolation import isolation_in_words
from tiltyard_simulator.match.plugin_files import all_from_elsewhere
from tiltyard_simulator.output.measured_figures import with_ranges, without_figures
from tiltyard_simulator.output.tables import PROGRAM_FORMATS


def run_report(outcomes: Sequence[Outcome]) -> str:
    """The text below the tables: the isolation of each team's code, machine failures, and faults."""
    parts = [isolation_line(outcomes), quarantine_line(outcomes), incident_line(outcomes), fault_report(outcomes)]
    return "\n".join(part for part in parts if part)


def without_any_result(outcomes: Sequence[Outcome]) -> str:
    """What to say where not one match that was played has a result, by the fault of GameManagers or of the machine; else empty.

    A command that ends so has failed, whatever else it printed.
    """
    matches = [outcome for outcome in outcomes if not outcome.is_forfeit]
    if not matches or not all(outcome.is_void or outcome.manager_fault is not None for outcome in matches):
        return ""
    voids = sum(outcome.is_void for outcome in matches)
    who = "the machine" if voids == len(matches) else "the GameManager or the machine" if voids else "the GameManager"
    return f"no game has a result: {who} failed in {'the only one' if len(matches) == 1 else f'all {len(matches)}'}"


def say_report(report: str, table_format: str) -> None:
    """Print what stands below the tables; where a program reads these, it goes to standard error."""
    if report:
        print(f"\n{report}", file=sys.stderr if table_format in PROGRAM_FORMATS else sys.stdout)


def say(line: str) -> None:
    """Print a line for people, to standard error: programs may read standard output."""
    print(line, file=sys.stderr)


def say_left_out(reasons: Sequence[str]) -> None:
    """Tell what a folder held that cannot be used."""
    for reason in reasons:
        say(f"left out: {one_line(reason)}")


def say_notes(notes: Sequence[str]) -> None:
    """Tell what is not as the reader may expect, and stops nothing: also which plugins are not the installed ones."""
    for note in [*notes, *map(str, all_from_elsewhere())]:
        say(f"note: {one_line(note)}")


def isolation_line(outcomes: Sequence[Outcome]) -> str:
    """The isolation of the teams, and of GameManagers that did not run in-process."""
    teams: dict[str, set[str]] = {}
    managers: dict[str, set[str]] = {}
    for outcome in outcomes:
        for name, isolation in zip(outcome.teams, outcome.held):
            teams.setdefault(isolation, set()).add(name)
        if outcome.manager_held:
            managers.setdefault(outcome.manager_held, set()).add(outcome.manager)
    lines = [("Isolation", teams), ("GameManager isolation", managers)]
    return "\n".join(f"{what}: {_ways(groups)}" for what, groups in lines if groups)


def _ways(groups: dict[str, set[str]]) -> str:
    return "; ".join(
        f"{printable(', '.join(sorted(names)))} {isolation_in_words(isolation)}" for isolation, names in sorted(groups.items())
    )


def quarantine_line(outcomes: Sequence[Outcome]) -> str:
    """The quarantined teams, why, and how their matches count."""
    return "\n".join(
        f"{printable(name)} was put in quarantine after {_matches(faults)} with faults:"
        f" all its {_matches(forfeits)} count as {'a forfeit' if forfeits == 1 else 'forfeits'}"
        for name, (faults, forfeits) in sorted(faults_in_quarantine(outcomes).items())
    )


def _matches(number: int) -> str:
    return f"{number} {'match' if number == 1 else 'matches'}"


def incident_line(outcomes: Sequence[Outcome]) -> str:
    """The matches that were disturbed by the machine, not by a team. They were played again if necessary."""
    incidents = [incident for outcome in outcomes for incident in outcome.incidents]
    disturbed = sum(1 for outcome in outcomes if outcome.incidents)
    if not incidents:
        return ""
    different: dict[tuple[str, ...], list[str]] = {}
    for incident in incidents:
        different.setdefault(without_figures(incident), []).append(incident)
    reasons = one_line("; ".join(sorted(map(with_ranges, different.values()))))
    return f"machine failures, charged to no team, in {_matches(disturbed)}: {reasons}"


def fault_report(outcomes: Sequence[Outcome]) -> str:
    """Each different fault once, also if measured figures differ: how often it happened, its first match, and its traceback."""
    cases_by_fault: dict[tuple[str, str, tuple[str, ...]], list[tuple[Outcome, Fault]]] = {}
    for outcome in outcomes:
        for fault in outcome.faults:
            if fault.termination is Termination.FORFEIT:
                continue
            key = (outcome.blamed(fault.seat), fault.termination.value, without_figures(without_turn(fault.message)))
            cases_by_fault.setdefault(key, []).append((outcome, fault))
    parts: list[str] = []
    for (culprit, kind, _), cases in sorted(cases_by_fault.items()):
        outcome, fault = min(cases, key=lambda case: (case[0].map, case[0].teams))
        plain = [without_turn(each.message) for _, each in cases]
        message = with_ranges(plain) + fault.message[len(without_turn(fault.message)) :]
        count = f"{len(cases)} games, the first" if len(cases) > 1 else "1 game,"
        where = f"{' - '.join(outcome.teams)} on {outcome.map}{f', round {fault.round}' if fault.round > 0 else ''}"
        parts.append(f"fault of {printable(culprit)}: {kind}: {one_line(message)}\n  {count} {printable(where)}")
        if fault.traceback:
            parts.append(quoted(fault.traceback.rstrip()))
    return "\n".join(parts)
