"""Comparative mode: several GameManagers run the same match, and those that agree form a group."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.records import Game, TankInterface
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import GameResult, Termination
from tiltyard_engine.texts.sanitize import LONGEST_LINE, cell_text, one_line, printable
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec, Recording
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.executor import Finished
from tiltyard_simulator.play.local_matches import play_matches
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagerComparison:
    """What is compared: one map, the same algorithms, many managers."""

    game: Reference
    map: MapSource
    algorithms: tuple[Reference, ...]
    managers: tuple[Reference, ...]
    model: Reference | None = None
    """The manager that the others are compared with, if it is one in particular. It speaks for its group."""
    verbose: bool = False
    isolation_policy: IsolationPolicy = field(default_factory=IsolationPolicy)
    record: bool = False
    """Whether records hold replays."""

    def spec(self, manager: Reference, rounds: int | None = None, recording: Recording | None = None) -> MatchSpec:
        """The match under one of the managers. Failed seats idle under all of them, so that they stay comparable.

        Raises:
            UserError: this machine cannot isolate the managers or the algorithms as they must be.
        """
        match = MatchInput(game=self.game, manager=manager, map=self.map, teams=self.algorithms, rounds=rounds, idle_on_fault=True)
        return self.isolation_policy.apply(MatchSpec(match, recording=recording or Recording(log=self.verbose, replay=self.record)))

    @property
    def players(self) -> tuple[Reference, ...]:
        """All whose code runs in any of the matches."""
        return self.game, *self.managers, *self.algorithms


@dataclass(frozen=True, slots=True)
class Group:
    """Managers with the same result; ``record`` is that of the first by name."""

    managers: tuple[Reference, ...]
    record: MatchRecord
    message: str
    """The result in the words of most of them."""
    round: int
    board: tuple[str, ...]
    other_words: tuple[tuple[str, str], ...] = ()
    """(name, words) of each one that says the same result in other words."""
    notes: tuple[tuple[str, str], ...] = ()
    """(name, note) of what had to be corrected in their results."""
    model: Reference | None = None
    """The manager that speaks for the group, if not the first one."""

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called in tables, sorted."""
        return tuple(manager.label for manager in self.managers)

    @property
    def speaker(self) -> Reference:
        """The manager that stands for the group where it is compared with others."""
        return self.managers[0] if self.model is None else self.model

    @property
    def failed(self) -> bool:
        """Whether these managers have no result."""
        return self.record.outcome.manager_fault is not None


def compare(comparison: ManagerComparison, workers: int, finished: Finished | None = None) -> tuple[list[Group], list[MatchRecord]]:
    """Groups, larger first, equal sizes by first name; and the records in the order of the managers."""
    comparison.isolation_policy.limits.check_teams(reference.label for reference in comparison.algorithms)
    specs = [comparison.spec(manager) for manager in comparison.managers]
    records = play_matches(specs, workers, finished)
    return group(comparison, records), records


def group(comparison: ManagerComparison, records: Sequence[MatchRecord]) -> list[Group]:
    """Put managers together that claim the same winner, reason, round, remaining tanks and final board.

    Those that failed are put together by how they failed. What counts is the claim before anything was corrected in it.
    """
    game = comparison.game.load_as(Game)
    board = read_map(game, comparison.map.name, comparison.map.data, len(comparison.algorithms))
    members: dict[object, list[tuple[Reference, MatchRecord]]] = {}
    for manager, record in zip(comparison.managers, records, strict=True):
        members.setdefault(_key(record), []).append((manager, record))
    groups: list[Group] = []
    with Arena() as arena:
        arena.preload(comparison.players)
        for pairs in members.values():
            pairs.sort(key=lambda member: member[0].label)
            references = tuple(reference for reference, _ in pairs)
            record = pairs[0][1]
            if record.outcome.manager_fault is not None:
                claim = _last_sound(arena, comparison, references[0], board)
                groups.append(Group(references, record, cell_text(record.outcome.message), claim.rounds, claim.final_state))
                continue
            words = {reference.label: _words(game, board, each.evidence.claim) for reference, each in pairs}
            # Counter keeps the order, which decides between equally many: the first name's words count.
            message = Counter(words.values()).most_common(1)[0][0]
            groups.append(
                Group(
                    references,
                    record,
                    message,
                    record.evidence.claim.made.rounds,
                    record.evidence.claim.final_state,
                    other_words=tuple((name, text) for name, text in words.items() if text != message),
                    notes=tuple(
                        (reference.label, one_line(note)) for reference, each in pairs for note in each.evidence.claim.notes
                    ),
                    model=comparison.model if comparison.model in references else None,
                )
            )
    return sorted(groups, key=lambda group: (-len(group.managers), group.names[0]))


def _words(game: Game[Any], board: Any, claim: GameResult) -> str:
    """The claim in its manager's own words; the game's where it has none."""
    words = one_line(claim.made.message, LONGEST_LINE)
    if words or game.display.describe is None:
        return words
    return one_line(game.display.describe(board, claim), LONGEST_LINE)


MEASURED: Final = (Termination.TIMEOUT, Termination.STALL, Termination.OUT_OF_MEMORY)
"""Faults whose messages hold numbers that are never the same twice."""


def _key(record: MatchRecord) -> object:
    fault = record.outcome.manager_fault
    if fault is not None:
        message = re.sub(r"[\d.]+", "", fault.message) if fault.termination in MEASURED else fault.message
        return (fault.termination, message)
    result = record.evidence.claim.made
    return (*(getattr(result, name) for name in CLAIMED), record.evidence.claim.final_state)


CLAIMED: Final = ("winner", "reason", "rounds", "remaining_tanks")
"""The fields of a result that managers must agree on, beside the final board."""


def unequal_fields(one: GameResult, other: GameResult) -> list[str]:
    """In which of them two claims differ, as they were made: ``rounds: 49 and 50``."""
    names = [name for name in CLAIMED if getattr(one.made, name) != getattr(other.made, name)]
    boards = ["final board"] if one.final_state != other.final_state else []
    return [*(_both(name, one.made, other.made) for name in names), *boards]


def _both(name: str, one: GameResult, other: GameResult) -> str:
    left, right = getattr(one, name), getattr(other, name)
    if name == "remaining_tanks":
        left, right = (", ".join(map(str, counts)) or "none given" for counts in (left, right))
        return f"remaining tanks: {left} and {right}"
    return f"{name}: {one_line(str(left), LONGEST_LINE)} and {one_line(str(right), LONGEST_LINE)}"


def remarks(groups: Sequence[Group]) -> list[str]:
    """What the table doesn't show, a line each: other words, what was corrected, and in what groups with equal rows differ."""
    lines: list[str] = []
    for number, group in enumerate(groups, start=1):
        for message, names in by_text(group.other_words):
            lines.append(f"group {number}: {in_a_sentence(names)} {'say' if len(names) > 1 else 'says'}: {message}")
        lines += [f"note on {in_a_sentence(names)}: {note}" for note, names in by_text(group.notes)]
    rows: dict[tuple[str, int], tuple[int, Group]] = {}
    for number, group in enumerate(groups, start=1):
        first, like = rows.setdefault((group.message, group.round), (number, group))
        if like is not group and not group.failed:
            fields = unequal_fields(like.record.evidence.claim, group.record.evidence.claim)
            lines.append(f"groups {first} and {number} differ in {'; '.join(fields)}")
    return lines


def by_text(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Each text of (name, text) with the names that have it."""
    members: dict[str, list[str]] = {}
    for name, text in pairs:
        members.setdefault(text, []).append(name)
    return list(members.items())


def in_a_sentence(names: Sequence[str]) -> str:
    """GameManagers in a sentence."""
    return f"GameManager{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _last_sound(arena: Arena, comparison: ManagerComparison, manager: Reference, board: Any) -> GameResult:
    """The result of the most rounds that a failing manager gets through, found by bisection."""
    game = comparison.game.load_as(Game)
    best = GameResult(0, "", 0, ())
    if game.maps.truncate is None or not isinstance(game.interface, TankInterface):
        return best
    low, high = 0, game.interface.player_arguments(board)[2] + 1
    while low < high:
        middle = (low + high) // 2
        record = arena.play(comparison.spec(manager, middle, Recording()))
        fault = record.outcome.manager_fault
        if fault is None:
            best, low = record.evidence.claim, middle + 1
        elif fault.termination in (*MEASURED, Termination.VOID):
            return best
        else:
            high = middle
    return best


def comparative_text(header: Sequence[tuple[str, str]], groups: Sequence[Group]) -> str:
    """The results file of assignment 3; ``header`` holds game_map, algorithm1 and algorithm2 as they were given."""
    head = "\n".join(f"{key}={value}" for key, value in header)
    parts = [
        "\n".join([printable(", ".join(group.names)), group.message, str(group.round), *map(printable, group.board)])
        for group in groups
    ]
    return "\n\n".join([head, *parts]) + "\n"
