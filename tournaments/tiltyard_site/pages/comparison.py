"""The site of a comparative run: the same match under several GameManagers, each a game, those that agree in a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Replay
from tiltyard_matchups.comparison import Group, ManagerComparison, remarks
from tiltyard_simulator.output.reports import isolation_line
from tiltyard_simulator.output.tables import Table
from tiltyard_simulator.replays.files import record_replay
from tiltyard_site.pages.data import ComparedGroup, ComparedManager, SiteData


def comparison_data(comparison: ManagerComparison, groups: Sequence[Group], records: Sequence[MatchRecord]) -> SiteData:
    """What the site shows of a comparative run; ``records`` in the order of the managers, with their replays."""
    by_manager = dict(zip(comparison.managers, records, strict=True))
    ordered = [manager for group in groups for manager in group.managers]
    numbers = {manager: number for number, manager in enumerate(ordered, start=1)}
    replays = {f"game-{numbers[manager]}": record_replay(by_manager[manager]) for manager in ordered}
    matches = [
        replace(by_manager[manager].outcome, place=number - 1, stage=manager.label, key=f"game-{number}")
        for manager, number in numbers.items()
    ]
    names = [reference.name for reference in comparison.algorithms]
    notes = [*remarks(groups), isolation_line(matches)]
    return SiteData(
        title=f"GameManagers on {comparison.map.name}",
        teams=list(dict.fromkeys(names)),
        matches=matches,
        standings=Table("", (), ()),
        replay=replays.get,
        theme=comparison.game.load_as(Game).display.theme,
        game=comparison.game.name,
        description=f"{' against '.join(names)}, under {len(ordered)} GameManagers.",
        notes=[note for note in notes if note],
        groups=_groups(groups, numbers, replays),
    )


def _groups(groups: Sequence[Group], numbers: Mapping[Reference, int], replays: Mapping[str, Replay | None]) -> list[ComparedGroup]:
    largest = numbers[groups[0].managers[0]]
    site_groups: list[ComparedGroup] = []
    for group in groups:
        members = tuple(
            ComparedManager(each.label, numbers[each], replays[f"game-{numbers[each]}"] is not None) for each in group.managers
        )
        first = members[0]
        one, other = replays[f"game-{largest}"], replays[f"game-{first.game}"]
        parted = Parting(-1, -1) if one is None or other is None or first.game == largest else parting(one, other)
        other_game = largest if first.game != largest and one is not None and other is not None else 0
        site_groups.append(
            ComparedGroup(
                managers=members,
                message=group.message,
                round=group.round,
                failed=group.failed,
                beside=other_game,
                board=parted.board,
                actions=parted.actions,
            )
        )
    return site_groups


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two replays part, as the page of two games tells it too."""

    board: int
    """The first round after which the boards differ; 0: from the start; -1: never."""
    actions: int
    """The first round in which what was done differs; -1: none."""


def parting(one: Replay, other: Replay) -> Parting:
    """Compare two replays round by round."""
    last = min(len(one.frames), len(other.frames))
    rounds = range(1, last + 1)
    actions = next((number for number in rounds if one.frames[number - 1].actions != other.frames[number - 1].actions), -1)
    if (one.width, one.height, one.squares) != (other.width, other.height, other.squares):
        return Parting(0, actions)
    boards = (list(one.squares), list(other.squares))
    for number in rounds:
        touched = set()
        for board, replay in zip(boards, (one, other), strict=True):
            for square, token in replay.frames[number - 1].changes:
                board[square] = token
                touched.add(square)
        if any(boards[0][square] != boards[1][square] for square in touched):
            return Parting(number, actions)
    # One goes on where the other has ended.
    return Parting(-1 if len(one.frames) == len(other.frames) else last + 1, actions)
