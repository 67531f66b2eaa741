"""What people read of a run: groups, faults, and where two managers part."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.replay import Theme
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.wording import escaped
from tiltyard_simulator.comparative import Group
from tiltyard_simulator.explaining import Difference
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.quarantine import forfeits_by_team
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_simulator.tables import render
from tiltyard_simulator.viewer.draw import draw_side_by_side
from tiltyard_simulator.viewer.options import DrawOptions


def comparative_table(groups: Sequence[Group], table_format: str) -> str:
    """The groups as a table."""
    rows = [
        (number, len(group.managers), group.message, group.round, ", ".join(group.names))
        for number, group in enumerate(groups, start=1)
    ]
    return render(("group", "size", "result", "round", "GameManagers"), rows, table_format)


def run_report(games: Sequence[tuple[MatchSpec, MatchOutcome]]) -> str:
    """What stands below the tables: how each team's code was held, what the machine did, and the faults."""
    parts = [isolation_line(games), quarantine_line(games), incident_line(games), fault_report(games)]
    return "\n".join(part for part in parts if part)


def isolation_line(games: Sequence[tuple[MatchSpec, MatchOutcome]]) -> str:
    """Teams by how their code was held; and GameManagers, where they were not inline."""
    teams: dict[str, set[str]] = {}
    managers: dict[str, set[str]] = {}
    for spec, outcome in games:
        for name, held in zip(spec.names, outcome.held):
            teams.setdefault(held, set()).add(name)
        if outcome.manager_account is not None:
            managers.setdefault(outcome.manager_account.held, set()).add(spec.manager.name)
    lines = [("teams' code was held", teams), ("GameManagers were held", managers)]
    return "\n".join(f"{what}: {_ways(found)}" for what, found in lines if found)


def _ways(found: dict[str, set[str]]) -> str:
    return "; ".join(f"{', '.join(sorted(names))} ({held})" for held, names in sorted(found.items()))


def quarantine_line(games: Sequence[tuple[MatchSpec, MatchOutcome]]) -> str:
    """Teams that were taken out of play, and how much they did not play."""
    found = sorted(forfeits_by_team(games).items())
    teams = [f"{name} ({count} {'match' if count == 1 else 'matches'} forfeited)" for name, count in found]
    return f"quarantined for their faults: {', '.join(teams)}" if teams else ""


def incident_line(games: Sequence[tuple[MatchSpec, MatchOutcome]]) -> str:
    """Matches that the machine, not a team, disturbed; where it was necessary they were played again."""
    incidents = [incident for _, outcome in games for incident in outcome.incidents]
    disturbed = sum(1 for _, outcome in games if outcome.incidents)
    if not incidents:
        return ""
    reasons = "; ".join(sorted(set(incidents)))
    return f"faults of the machine, charged to nobody, in {disturbed} {'match' if disturbed == 1 else 'matches'}: {reasons}"


def fault_report(games: Sequence[tuple[MatchSpec, MatchOutcome]]) -> str:
    """Each different fault once, with how often it happened, the first match of it, and its traceback."""
    found: dict[tuple[str, str, str], list[tuple[MatchSpec, Fault]]] = {}
    for spec, outcome in games:
        for fault in outcome.faults:
            if fault.termination is Termination.FORFEIT:
                continue
            key = (spec.blamed(fault.seat), fault.termination.value, fault.message)
            found.setdefault(key, []).append((spec, fault))
    parts: list[str] = []
    for (culprit, kind, message), cases in sorted(found.items()):
        spec, fault = min(cases, key=lambda case: (case[0].map.name, case[0].names))
        count = f"{len(cases)} games, the first" if len(cases) > 1 else "1 game,"
        where = f"{' - '.join(spec.names)} on {spec.map.name}{f', round {fault.round}' if fault.round > 0 else ''}"
        parts.append(f"fault of {culprit}: {kind}: {message}\n  {count} {where}")
        if fault.traceback:
            parts.append("\n".join(f"  | {line}" for line in fault.traceback.rstrip().splitlines()))
    return "\n".join(parts)


def output_of(spec: MatchSpec, outcome: MatchOutcome) -> str:
    """What each team's code, and the GameManager's, printed in a match, as far as it is kept; what is inline never is.

    Control characters are escaped: nobody should let a team's code speak to his terminal.
    """
    parts: list[str] = []
    for seat, (name, account) in enumerate(zip(spec.names, outcome.accounts), start=1):
        text = account.output.decode("utf-8", "backslashreplace").rstrip()
        said = "printed nothing" if account.held != Isolation.INLINE else "is held inline: what it prints is not kept"
        parts.append(f"player {seat}, {name}, {'printed:' if text else said}")
        parts += [f"  | {escaped(line)}" for line in text.split("\n")] if text else []
    words = outcome.manager_account.output.decode("utf-8", "backslashreplace").rstrip() if outcome.manager_account else ""
    if words:
        parts += [f"GameManager {spec.manager.name} printed:", *[f"  | {escaped(line)}" for line in words.split("\n")]]
    return "\n".join(parts)


def show_difference(difference: Difference, theme: Theme | None, options: DrawOptions) -> list[str]:
    """Both boards side by side, differing squares marked and listed, and what every tank did."""
    title = f"{difference.left} and {difference.right}"
    if difference.round < 0:
        lines = [f"{title}: {difference.note}"]
    else:
        lines = [f"{title} first differ in round {difference.round}: {', '.join(difference.kinds)}"]
        if difference.note:
            lines.append(f"note: {difference.note}")
    left, right = difference.boards
    if [len(row) for row in left] != [len(row) for row in right] or not left:
        lines += [f"{difference.left}:", *left, f"{difference.right}:", *right]
    else:
        names = (difference.left, difference.right)
        lines += draw_side_by_side(*difference.tokens, len(left[0]), theme or Theme({}), names, options)
    if difference.actions:
        lines.append(render(("tank", difference.left, difference.right), difference.actions))
    return lines
