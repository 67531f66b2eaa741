"""The matches as scripts: a short row of each for the list, and chunks of everything for the match page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from tiltyard_engine.decisions import ATTEMPT, DecidedOutcome
from tiltyard_engine.match_record import Outcome
from tiltyard_site.pages.labels import harmless, line, sentence

CHUNK: Final = 200
"""Matches in a script of the match page."""

FAULT, NO_RESULT, REPLAY = 1, 2, 4
"""Flags of a row in the list."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A match with the number that the site knows it by."""

    id: int
    match: Outcome
    file: str = ""
    """Its name in the scripts with replays, and that of the script with its output; empty where it has none."""
    replay: str = ""
    """Name of the script that its replay is in, without folder and ending; empty: it has none."""
    outputs: bool = False


def numbered(matches: Sequence[Outcome]) -> list[Outcome]:
    """The matches in the order of the schedule, whatever order they came in."""
    return sorted(matches, key=lambda match: (match.place, match.teams, match.map, match.game, match.key))


def ids(matches: Sequence[Outcome]) -> list[int]:
    """A number each: its place in the schedule, counted from 1, where that tells all apart; else its place in the list."""
    numbers = [match.place for match in matches]
    if len(set(numbers)) == len(numbers) and min(numbers, default=0) >= 0:
        return [number + 1 for number in numbers]
    return list(range(1, len(matches) + 1))


def list_value(listed: Sequence[Listed], slugs: Mapping[str, str]) -> dict[str, Any]:
    """The list of all matches: ``[id, seats, map, winner, rounds, flags, stage]`` a row, texts named by number."""
    teams = {name: number for number, name in enumerate(slugs)}
    maps: dict[str, int] = {}
    stages: dict[str, int] = {}
    rows: list[list[Any]] = []
    for entry in listed:
        match = entry.match
        flags = (FAULT if match.faults else 0) | (0 if match.counts else NO_RESULT) | (REPLAY if entry.replay else 0)
        rows.append(
            [
                entry.id,
                [teams[name] for name in match.teams],
                maps.setdefault(match.map, len(maps)),
                match.winner,
                match.rounds,
                flags,
                stages.setdefault(match.stage, len(stages)),
            ]
        )
    return {
        "teams": [[line(name), slug] for name, slug in slugs.items()],
        "maps": [line(name) for name in maps],
        "stages": [line(stage) for stage in stages],
        "rows": rows,
    }


def chunks(
    listed: Sequence[Listed], slugs: Mapping[str, str], hide: Set[str]
) -> Iterator[tuple[int, Callable[[], dict[str, Any]]]]:
    """(chunk, what makes id to match of it) for each chunk that holds any; the chunk of a match is its id by ``CHUNK``."""
    by_chunk: dict[int, list[Listed]] = {}
    for entry in listed:
        by_chunk.setdefault(entry.id // CHUNK, []).append(entry)
    near = near_games(listed)
    for number, entries in sorted(by_chunk.items()):
        yield number, partial(_chunk, entries, near, slugs, hide)


def _chunk(
    entries: Sequence[Listed], near: Mapping[int, dict[str, int]], slugs: Mapping[str, str], hide: Set[str]
) -> dict[str, Any]:
    return {str(entry.id): match_details(entry, slugs, hide) | near[entry.id] for entry in entries}


def near_games(entries: Sequence[Listed]) -> dict[int, dict[str, int]]:
    """By a game's number: the games before and after it, and the one with seats exchanged, where there are such."""
    numbers = sorted(entry.id for entry in entries)
    pairings: dict[tuple[object, ...], int] = {}
    for entry in entries:
        pairings.setdefault((entry.match.map, entry.match.game, entry.match.teams), entry.id)
    near: dict[int, dict[str, int]] = {}
    for entry in entries:
        match, place = entry.match, bisect_left(numbers, entry.id)
        others = {
            "before": numbers[place - 1] if place else 0,
            "after": numbers[place + 1] if place + 1 < len(numbers) else 0,
            "exchanged": pairings.get((match.map, match.game, match.teams[::-1]), 0),
        }
        near[entry.id] = {name: number for name, number in others.items() if number not in (0, entry.id)}
    return near


def fault_message(message: str, hide: Set[str]) -> str:
    """What a fault's message may tell."""
    return "" if "faults" in hide else harmless(message, 2000)


def match_message(match: Outcome, hide: Set[str]) -> str:
    """How a match ended, in one line."""
    # Of a match with faults the message repeats what the faults say.
    return "" if "faults" in hide and match.faults and not match.forfeited else sentence(match.message)


def decision_about(outcome: Outcome) -> int:
    """The number of the decision by which a match counts as it does, or was played again; 0: there is none."""
    if isinstance(outcome, DecidedOutcome):
        return outcome.decision.number
    again = re.fullmatch(rf"[0-9a-f]{{16,}}{ATTEMPT}([0-9]+)", outcome.key)
    return int(again[1]) if again else 0


def match_details(entry: Listed, slugs: Mapping[str, str], hide: Set[str]) -> dict[str, Any]:
    """All that the page of a match tells of it beside its replay."""
    match = entry.match
    return {
        "teams": [[line(name), slugs.get(name, "")] for name in match.teams],
        "map": line(match.map),
        "winner": match.winner,
        "ranks": list(match.ranks),
        "scores": [score for score in match.scores if abs(score) < float("inf")],
        "faults": [
            [fault.seat, fault.termination.value, fault_message(fault.message, hide), fault.round] for fault in match.faults
        ],
        "counts": match.counts,
        "game": match.game,
        "stage": line(match.stage),
        "reason": line(match.reason),
        "rounds": match.rounds,
        "message": match_message(match, hide),
        "file": entry.file,
        "replay": entry.replay,
        "outputs": entry.outputs,
        **({"decision": number} if (number := decision_about(match)) else {}),
    }
