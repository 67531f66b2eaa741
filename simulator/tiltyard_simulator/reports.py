"""What people read of a run: groups, faults, and where two managers part."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.results import MANAGER_SEAT, Fault
from tiltyard_simulator.comparative import Group
from tiltyard_simulator.explaining import Difference
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_simulator.tables import render


def comparative_table(groups: Sequence[Group], table_format: str) -> str:
    """The groups as a table."""
    rows = [
        (number, len(group.managers), group.message, group.round, ", ".join(group.names))
        for number, group in enumerate(groups, start=1)
    ]
    return render(("group", "size", "result", "round", "GameManagers"), rows, table_format)


def fault_report(games: Sequence[tuple[MatchSpec, MatchOutcome]]) -> str:
    """Each different fault once, with how often it happened, the first match of it, and its traceback."""
    found: dict[tuple[str, str, str], list[tuple[MatchSpec, Fault]]] = {}
    for spec, outcome in games:
        for fault in outcome.faults:
            key = (_culprit(spec, fault), fault.termination.value, fault.message)
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


def _culprit(spec: MatchSpec, fault: Fault) -> str:
    if fault.seat == MANAGER_SEAT:
        return f"GameManager {spec.manager.name}"
    return spec.names[fault.seat - 1]


def show_difference(difference: Difference) -> list[str]:
    """Both boards side by side, differing squares in brackets, and what every tank did."""
    title = f"{difference.left} and {difference.right}"
    lines: list[str] = []
    if difference.round < 0:
        lines.append(f"{title}: {difference.note}")
    else:
        lines.append(f"{title} first differ in round {difference.round}")
        if difference.note:
            lines.append(f"note: {difference.note}")
    squares = difference.squares
    lines.extend(_side_by_side(difference, set(squares)))
    left, right = difference.boards
    shown = [f"({x},{y}) {_name(left[y][x])} | {_name(right[y][x])}" for x, y in squares[:20]]
    if shown:
        more = f" and {len(squares) - 20} more" if len(squares) > 20 else ""
        lines.append(f"squares that differ: {', '.join(shown)}{more}")
    if difference.actions:
        lines.append(render(("tank", difference.left, difference.right), difference.actions))
    return lines


def _side_by_side(difference: Difference, marked: set[tuple[int, int]]) -> list[str]:
    left, right = difference.boards
    width = max([len(row) for row in left], default=0)
    gap = " " * 4
    lines = [f"{difference.left:<{2 * width + 1}}{gap}{difference.right}"]
    for y in range(max(len(left), len(right))):
        rows = [_mark(board[y] if y < len(board) else "", y, marked).ljust(2 * width + 1) for board in (left, right)]
        lines.append(gap.join(rows).rstrip())
    return lines


def _mark(row: str, y: int, marked: set[tuple[int, int]]) -> str:
    """A row with a place between all squares; brackets stand in the places around a marked one."""
    places = [" "] * (len(row) + 1)
    for x in range(len(row)):
        if (x, y) in marked:
            places[x] = "[" if places[x] == " " else "|"
            places[x + 1] = "]"
    return places[0] + "".join(character + place for character, place in zip(row, places[1:]))


def _name(character: str) -> str:
    return "empty" if character == " " else character
