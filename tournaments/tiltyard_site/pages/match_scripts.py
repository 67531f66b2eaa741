"""The matches as scripts: a short row of each for the list, and chunks of everything for the match page."""

from __future__ import annotations

import re
from base64 import b64encode
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

from tiltyard_engine.decisions import ATTEMPT, DecidedOutcome
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.results import Fault
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_site.explained.explained import Explained
from tiltyard_site.pages.labels import harmless, line, sentence
from tiltyard_site.pages.replay_scripts import compressed_replay

CHUNK: Final = 200
"""Matches in a script of the match page."""

FAULT, NO_RESULT, REPLAY = 1, 2, 4
"""Flags of a row in the list."""
BEGINNING: Final = 20
"""By so many characters of a fault's message, notes of a replay that tell it are known."""
AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


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
    listed: Sequence[Listed], slugs: Mapping[str, str], hide: Set[str], explained: Container[int] = ()
) -> Iterator[tuple[int, Callable[[], dict[str, Any]]]]:
    """(chunk, what makes id to match of it) for each chunk that holds any; the chunk of a match is its id by ``CHUNK``.

    ``explained`` has the ids of those of which the site says why a team lost.
    """
    by_chunk: dict[int, list[Listed]] = {}
    for entry in listed:
        by_chunk.setdefault(entry.id // CHUNK, []).append(entry)
    near = near_games(listed)
    for number, entries in sorted(by_chunk.items()):
        yield number, partial(_chunk, entries, near, slugs, hide, explained)


def _chunk(
    entries: Sequence[Listed],
    near: Mapping[int, dict[str, int]],
    slugs: Mapping[str, str],
    hide: Set[str],
    explained: Container[int],
) -> dict[str, Any]:
    why = {entry.id: {"why": True} if entry.id in explained else {} for entry in entries}
    return {str(entry.id): match_details(entry, slugs, hide) | near[entry.id] | why[entry.id] for entry in entries}


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


def only_own_words(match: AnyOutcome, seats: Set[int]) -> AnyOutcome:
    """A match whose faults say what the code of these seats said; of others only that it failed."""
    if not match.faults:
        return match
    faults = (fault if fault.seat in seats else replace(fault, message="", traceback="") for fault in match.faults)
    # The match's own message repeats what the faults say.
    return replace(match, message="", faults=tuple(faults))


def without_words(frame: Frame, faults: Sequence[Fault]) -> Frame:
    """A frame whose notes don't say why code failed."""
    notes = frame.notes
    for fault in faults:
        if words := one_line(fault.message)[:BEGINNING]:
            notes = tuple(note.partition(words)[0].rstrip(" :") for note in notes)
    return frame if notes == frame.notes else replace(frame, notes=notes)


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


def why_value(
    entry: Listed, several: Sequence[Explained], replay_of: Callable[[Explained, int], bytes], slugs: Mapping[str, str]
) -> dict[str, Any]:
    """All that the page of a game says about why its teams lost, with the replays of the moments."""
    return {"explained": [_value(each, replay_of, slugs) for each in several if each.team in entry.match.teams]}


def _value(each: Explained, replay_of: Callable[[Explained, int], bytes], slugs: Mapping[str, str]) -> dict[str, Any]:
    replays = [replay_in_base_64(replay_of(each, number)) for number in range(1, len(each.moments) + 1)]
    return explained_value(each, replays, slugs.get(each.team, ""))


def explained_value(each: Explained, replays: Sequence[str], page: str = "") -> dict[str, Any]:
    """An explanation as plain values.

    Args:
        each: the explanation.
        replays: of each moment, as compressed bytes in base 64; empty: there is none.
        page: the part of the name of the team's pages; empty: it has none.
    """
    return {
        "team": line(each.team),
        "page": page,
        "seat": each.seat,
        "kind": each.kind,
        "problem": harmless(each.problem, 2000),
        "lines": [harmless(text, 2000) for text in each.lines],
        "turns": [[turn.turn, turn.part, turn.mark, line(turn.text, 400)] for turn in each.turns],
        "moments": [
            {
                "turn": moment.turn,
                "part": moment.part,
                "place": moment.place,
                "answer": line(moment.answer, 400),
                "better": line(moment.better, 400),
                "text": harmless(moment.text, 2000),
                "winner": moment.winner,
                "rounds": moment.rounds,
                "message": line(moment.message, 400),
                "faults": [[seat, kind, harmless(message, 2000), number] for seat, kind, message, number in moment.faults],
                "replay": replay,
            }
            for moment, replay in zip(each.moments, replays)
        ],
    }


def replay_in_base_64(replay: Replay | bytes) -> str:
    """A replay, or the bytes of a replay file, as the page reads them; empty if there is none, or none that can be shown."""
    try:
        return b64encode(compressed_replay(replay)).decode() if replay else ""
    except UserError:
        return ""
