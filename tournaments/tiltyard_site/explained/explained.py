"""Why teams lost, as the site shows it: read from files beside the store, and summed up for a team.

``tiltyard_whatif`` writes these files; the site shows whatever is there. What was tried lies in others.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import one_line

FOLDER: Final = Path("whatif", "explained")
"""Below the folder of the store."""
HONEST: Final = "This holds only for these programs, as they are now."
MISTAKE: Final = "mistake"
MANY: Final = "many"
FAULT: Final = "fault"
UNEXPLAINED: Final = "not explained"
"""Ways to lose; all others are that nothing helped."""
ONE_TURN: Final = "one turn"
_REASONS: Final = {MISTAKE: "one mistake", MANY: "several turns", FAULT: "a fault"}
MOST_GAMES: Final = 3
"""So many games are worth a look."""
MOST_ANSWERS: Final = 5
MOST_SQUARES: Final = 5
MOST_READ: Final = 10_000
"""Files of which what was read is remembered."""
_NUMBER: Final = re.compile(r"\S*\d\S*")
_NAME: Final = re.compile(r"([0-9A-Za-z_-]{1,100})-([1-9][0-9]{0,3})[.]json")
FaultRow: TypeAlias = tuple[int, str, str, int]
"""Seat, kind, message and round."""


class ExplainedMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A turn at which another answer would have changed the result, and how the game went with it."""

    turn: int
    part: int
    answer: str
    better: str
    cost: float
    text: str
    """All of that in a sentence."""
    winner: int
    """Of the game with the better answer; so are those below."""
    rounds: int
    message: str
    faults: tuple[FaultRow, ...] = ()
    where: str = ""
    """The turn in words; of explanations by earlier versions, it is empty."""

    @property
    def place(self) -> str:
        """Such as ``41``, or ``41, tank 3``."""
        return self.where or (f"{self.turn}" if self.part == 1 else f"{self.turn}, answer {self.part}")


class ExplainedTurn(msgspec.Struct, frozen=True, array_like=True):
    """A turn of the team, and the best that could still be had there."""

    turn: int
    part: int
    mark: str
    """``W`` a victory, ``T`` a tie, ``+`` a better place, ``-`` nothing better, ``.`` nothing was tried."""
    text: str


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """Why a team didn't win a game."""

    key: str
    """The match's."""
    number: int
    """In the schedule, from 1."""
    seat: int
    team: str
    opponents: str
    map: str
    kind: str
    lines: tuple[str, ...] = ()
    """What is said about it, but for its moments."""
    moments: tuple[ExplainedMoment, ...] = ()
    turns: tuple[ExplainedTurn, ...] = ()
    lost_tanks: tuple[tuple[int, int], ...] = ()
    """Columns and rows, from 0, at which its tanks were destroyed."""
    has_faults: bool = False
    """Whether a program failed in the game, or in one that was played on."""
    is_whole: bool = True
    """Whether nothing is left to be tried."""
    tried: int = 0
    """How many other answers were put in."""
    failures: tuple[tuple[str, int], ...] = ()
    """In how many of these games the team's own program failed afterwards, by how it failed."""
    cpu_seconds: float = 0.0
    """That were spent on it, all looks together."""
    problem: str = ""
    """Why it could not be explained."""

    @property
    def reason(self) -> str:
        """The way to lose in words for tables."""
        if self.kind == MANY and len(self.moments) == 1:
            return ONE_TURN
        return _REASONS.get(self.kind, self.kind)


_DECODER: Final = msgspec.json.Decoder(Explained)


def explained_path(store: Path, key: str, seat: int) -> Path:
    """The file for a seat of a match."""
    return store / FOLDER / f"{key}-{seat}.json"


def replay_path(store: Path, key: str, seat: int, moment: int) -> Path:
    """The replay of the game with the better answer of a moment, from 1."""
    return store / FOLDER / f"{key}-{seat}-{moment}.replay"


def folder_stamp(store: Path) -> int:
    """Another number whenever an explanation is new; 0: there is none."""
    try:
        return (store / FOLDER).stat().st_mtime_ns
    except OSError:
        return 0


def read_explained(store: Path | None) -> list[Explained]:
    """All explanations beside a store, by number and seat. A file that can't be read is left out: it is made again."""
    if store is None or not (store / FOLDER).is_dir():
        return []
    paths = [path for path in (store / FOLDER).iterdir() if _NAME.fullmatch(path.name)]
    each = [_read(path, path.stat().st_mtime_ns) for path in paths]
    return sorted((one for one in each if one is not None), key=lambda one: (one.number, one.seat))


def find_explained(store: Path, key: str, seat: int) -> Explained | None:
    """The explanation of one seat of a match; None if there is none that can be read."""
    path = explained_path(store, key, seat)
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        return None


def forget_explained(store: Path, keys: Set[str]) -> None:
    """Remove all that is known of some matches, and what was tried in them."""
    for folder in (store / FOLDER.parent, store / FOLDER):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name.partition("-")[0] in keys and path.is_file():
                path.unlink(missing_ok=True)


def shows(explained: Explained, hide: Set[str]) -> bool:
    """Whether visitors may see it: it tells what is in replays, and how programs failed."""
    return "replays" not in hide and not (explained.has_faults and "faults" in hide)


def by_number(explained: Iterable[Explained], numbers: Mapping[str, int]) -> dict[int, list[Explained]]:
    """The explanations of some games, whose numbers are by their keys."""
    of_game: dict[int, list[Explained]] = defaultdict(list)
    for each in explained:
        if each.key in numbers:
            of_game[numbers[each.key]].append(each)
    return dict(of_game)


@lru_cache(MOST_READ)
def _read(path: Path, stamp: int) -> Explained | None:
    try:
        return _DECODER.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return None


@dataclass(frozen=True, slots=True)
class TeamSummary:
    """What the games have in common that a team didn't win."""

    headline: str
    failures: str
    """How often the team failed by itself where other answers were put in; empty if it never did."""
    by_opponent: Sequence[tuple[str, int]]
    by_map: Sequence[tuple[str, int]]
    answers: Sequence[tuple[str, str, int]]
    """The kinds of answers that cost most: what was answered, what would have been better, in how many games."""
    squares: Sequence[tuple[str, Sequence[str]]]
    """The maps on which its tanks were destroyed, each with the squares where most were."""
    best: Sequence[Explained]
    """The games to look at first."""
    problems: Sequence[tuple[str, int]]
    """Why games could not be explained."""


def team_summary(lost: Sequence[Explained], team: str) -> TeamSummary:
    """What these games have in common."""
    kinds = Counter(each.kind for each in lost)
    single = sum(each.reason == ONE_TURN for each in lost)
    nothing = kinds.total() - sum(kinds[kind] for kind in (MISTAKE, MANY, FAULT, UNEXPLAINED))
    ways = {
        "because of one mistake": kinds[MISTAKE],
        "in which one other answer would have helped": single,
        "in which one of several answers would have helped": kinds[MANY] - single,
        "in which no answer that was tried helped": nothing,
        "because of a fault": kinds[FAULT],
        "not explained": kinds[UNEXPLAINED],
    }
    words = ", ".join(f"{number} {way}" for way, number in ways.items() if number)
    headline = f"{counted(len(lost), 'match', 'matches')} that {one_line(team)} didn't win: {words}. {HONEST}"
    costs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for each in lost:
        for moment in each.moments[:1]:
            kind = kind_of_answer(moment.answer), kind_of_answer(moment.better)
            # Such as "column 3 instead of column 4", which says nothing without the board.
            if kind[0] != kind[1]:
                costs[kind].append(moment.cost)
    dearest = sorted(costs.items(), key=lambda item: (-sum(item[1]), item[0]))[:MOST_ANSWERS]
    failures: Counter[str] = Counter()
    for each in lost:
        failures.update(dict(each.failures))
    return TeamSummary(
        headline,
        failures_in_words(one_line(team), failures, sum(each.tried for each in lost)),
        _counts(each.opponents for each in lost),
        _counts(each.map for each in lost),
        [(one_line(answer), one_line(better), len(games)) for (answer, better), games in dearest],
        _squares(lost),
        sorted((each for each in lost if each.moments), key=lambda each: -each.moments[0].cost)[:MOST_GAMES],
        Counter(one_line(each.problem) for each in lost if each.problem).most_common(),
    )


def why_page(name: str, games: Mapping[int, Sequence[Explained]]) -> dict[str, Any]:
    """What the page of a team shows.

    Args:
        name: the team.
        games: those with explanations, by the numbers that the site knows them by; at least one is of the team.
    """
    lost = [(number, each) for number, several in games.items() for each in several if each.team == name]
    summary = team_summary([each for _, each in lost], name)
    numbers = {(each.key, each.seat): number for number, each in lost}
    return {
        "name": name,
        "summary": summary,
        "best": [(numbers[each.key, each.seat], each) for each in summary.best],
        "lost": lost,
    }


def summary_lines(summary: TeamSummary) -> Iterator[str]:
    """The same in sentences."""
    yield summary.headline
    if summary.failures:
        yield summary.failures
    for what, counts in (("opponent", summary.by_opponent), ("map", summary.by_map)):
        yield f"Matches by {what}: {', '.join(f'{name} {number}' for name, number in counts)}."
    if summary.answers:
        yield "The answers that cost most:"
    for answer, better, number in summary.answers:
        yield f"  '{answer}' instead of '{better}': {counted(number, 'match', 'matches')}"
    for name, squares in summary.squares:
        yield f"Its tanks were destroyed on {name} at: {'; '.join(squares)}."
    if summary.best:
        yield f"Look at match {', '.join(str(each.number) for each in summary.best)} first: the answers there cost most."
    for problem, number in summary.problems:
        yield f"not explained: {counted(number, 'match', 'matches')}: {problem}"


def failures_in_words(team: str, failures: Mapping[str, int], tried: int) -> str:
    """In how many of the tries a team failed after the other answer was put in; empty if it never did."""
    number = sum(failures.values())
    if not number:
        return ""
    ways = ", ".join(sorted(failures, key=lambda way: (-failures[way], way)))
    so = ", so this says little about the answers" if number > tried / 2 else ""
    return f"In {number:,} of the {counted(tried, 'try', 'tries')} {team} failed by itself afterwards ({ways}){so}."


def kind_of_answer(text: str) -> str:
    """An answer without what differs from place to place: ``column 3`` and ``column 4`` are of one kind."""
    return " ".join(_NUMBER.sub("…", text).split())


def _counts(names: Iterable[str]) -> list[tuple[str, int]]:
    return Counter(map(one_line, names)).most_common()


def _squares(lost: Sequence[Explained]) -> list[tuple[str, list[str]]]:
    by_map: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    for each in lost:
        by_map[one_line(each.map)].update(each.lost_tanks)
    return [
        (name, [_square(*place, number) for place, number in squares.most_common(MOST_SQUARES)])
        for name, squares in by_map.items()
        if squares
    ]


def _square(column: int, row: int, number: int) -> str:
    return f"column {column}, row {row}" + (f" ({number} times)" if number > 1 else "")
