"""Why teams didn't win, as their members and the staff may see it: what was asked, what is known, and under which names.

An explanation has the names with which the match was played. Here they become those that the visitor may see. What an opponent's
code said when it failed in a game that was played on is for nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from tiltyard_checks.faults.fault_kits import without_paths
from tiltyard_league.database.games import LeagueGame
from tiltyard_league.database.questions import MOST_OPEN, answered_seats, question_about, spent_today, waiting
from tiltyard_league.web.http.context import Context
from tiltyard_site.explained.explained import Explained, ExplainedMoment, find_explained

WAITS: Final = ("open", "again")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAbout:
    """What a visitor can know or ask about a seat of a game that it didn't win."""

    seat: int
    side: dict[str, Any]
    """How the team is shown."""
    state: str
    """Of the question; empty: nobody has asked."""
    reason: str
    """Why there is no answer, or no better one."""
    can_ask: bool
    is_further: bool
    """Whether it has an answer, and can be looked at further."""
    refusal: str
    """Why nothing more can be asked now."""


def not_won(game: LeagueGame, seat: int) -> bool:
    """Whether a seat didn't win a game that counts, and not by a fault of its own, about which the game's page tells."""
    return game.has_result and game.winner != seat and not game.faults[seat - 1]


def asked_about(context: Context, game: LeagueGame, seats: Sequence[int], sides: Sequence[dict[str, Any]]) -> list[AskedAbout]:
    """What can be known or asked about some seats of a game whose replay is kept."""
    if not context.app.settings.analysis_seconds:
        return []
    every: list[AskedAbout] = []
    for seat in seats:
        if not not_won(game, seat):
            continue
        side, question = sides[seat - 1], question_about(context.database, game.place, seat)
        state = "" if question is None else str(question["state"])
        explained = find_explained(context.app.settings.results, game.key, seat) if state in ("answered", "again") else None
        is_done = state == "answered" and explained is not None and explained.is_whole
        refusal = "" if state in WAITS or is_done else refusal_to_ask(context, side["team"])
        every.append(
            AskedAbout(
                seat=seat,
                side=side,
                state=state,
                reason="" if question is None else str(question["reason"]),
                can_ask=not (state in WAITS or is_done or refusal),
                is_further=explained is not None,
                refusal=refusal,
            )
        )
    return every


def refusal_to_ask(context: Context, team: int) -> str:
    """Why nothing can be asked about a team's games now; empty: it can."""
    if waiting(context.database, team, by_staff=context.is_staff) >= MOST_OPEN:
        return f"{MOST_OPEN} questions are waiting already"
    if not context.is_staff and spent_today(context.database, team) >= context.app.settings.analysis_seconds:
        return "Your team has used all its CPU time for questions within 24 hours"
    return ""


def answered_places(context: Context, games: Sequence[LeagueGame]) -> set[tuple[int, int]]:
    """The numbers of games, and the seats in them, of which the visitor may see why they were not won."""
    if not context.app.settings.analysis_seconds or not (context.team or context.is_staff):
        return set()
    return answered_seats(context.database, [game.place for game in games], context.team)


def shown_explanation(context: Context, game: LeagueGame, seat: int, rename: Renaming) -> Explained | None:
    """Why a seat didn't win, for a visitor of that team or of the staff; None if that is not known."""
    explained, labels = find_explained(context.app.settings.results, game.key, seat), rename.labels
    if explained is None:
        return None
    return msgspec.structs.replace(
        explained,
        number=game.place,
        team=labels[seat - 1],
        opponents=" - ".join(label for number, label in enumerate(labels, start=1) if number != seat),
        lines=tuple(map(rename, explained.lines)),
        moments=tuple(_shown_moment(moment, seat, rename) for moment in explained.moments),
        problem=rename(explained.problem),
    )


def _shown_moment(moment: ExplainedMoment, seat: int, rename: Renaming) -> ExplainedMoment:
    """What a visitor may know about a moment. If another team failed then, not what its code said, which the result repeats."""
    own = tuple((number, kind, rename(text) if number == seat else "", at) for number, kind, text, at in moment.faults)
    other = next((fault for fault in moment.faults if fault[0] != seat), None)
    if other is None:
        return msgspec.structs.replace(moment, faults=own, text=rename(moment.text), message=rename(moment.message))
    number, kind, _, at = other
    team, failed = rename.labels[seat - 1], rename.labels[number - 1]
    text = f"turn {moment.place}: {team} answered '{moment.answer}'. With '{moment.better}', {failed} would have failed"
    return msgspec.structs.replace(moment, faults=own, text=f"{text} in round {at}: {kind}.", message="")


class Renaming:
    """Puts the names that a visitor may see into texts.

    Args:
        names: with which the match was played.
        labels: what its teams are called for the visitor.
        hide: folders that no text names.
    """

    def __init__(self, names: Sequence[str], labels: Sequence[str], hide: Sequence[Path]) -> None:
        self.labels = tuple(labels)
        self._label_of = dict(zip(reversed(names), reversed(labels), strict=True))
        longest_first = sorted(map(re.escape, self._label_of), key=len, reverse=True)
        # 'Otter v3' is not the beginning of 'Otter v31'.
        self._names = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")
        self._hide = hide

    def __call__(self, text: str) -> str:
        return self._names.sub(lambda match: self._label_of[match[0]], without_paths(text, self._hide))
