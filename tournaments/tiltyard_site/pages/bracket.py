"""A knockout as a bracket: its stages from the first to the final, with who advanced, and places that are still to be filled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.publishing import Pairing
from tiltyard_site.pages.match_scripts import Listed
from tiltyard_site.pages.pairings import StagePairing, half, stages
from tiltyard_tournaments.formats.knockout import THIRD_PLACE, bracket, stage_name

FINAL: Final = "final"


@dataclass(frozen=True, slots=True)
class BracketSide:
    """One of the two lines of a meeting."""

    team: str = ""
    """Empty: not known yet."""
    score: str = ""
    is_through: bool = False
    """Whether it won the meeting, or had nobody to meet."""


@dataclass(frozen=True, slots=True)
class BracketMeeting:
    """A box of the bracket."""

    sides: tuple[BracketSide, BracketSide]
    word: str = ""
    """Where there is no score, what to say instead; or how a drawn meeting was decided."""
    games: tuple[Listed, ...] = ()


@dataclass(frozen=True, slots=True)
class BracketStage:
    """A column of the bracket."""

    name: str
    meetings: tuple[BracketMeeting, ...]


@dataclass(frozen=True, slots=True)
class Bracket:
    """The whole of it."""

    stages: tuple[BracketStage, ...] = ()
    third: BracketMeeting | None = None
    champion: str = ""
    """Empty while it is not decided."""


def draw_bracket(listed: Sequence[Listed], pairings: Sequence[Pairing], places: Mapping[str, str]) -> Bracket:
    """The bracket as far as it is drawn; ``places`` are those of the standings, by which the last meetings are decided."""
    by_stage = stages(listed, pairings)
    thirds = by_stage.pop(THIRD_PLACE, [])
    columns = [_in_order(drawn) for drawn in by_stage.values()]
    names = list(by_stage)
    left = len(columns[-1]) if columns else 0
    bracket_stages: list[BracketStage] = []
    for number, (name, drawn) in enumerate(zip(names, columns, strict=True)):
        later = {team for pairing in columns[number + 1] for team in pairing.teams} if number + 1 < len(columns) else None
        bracket_stages.append(BracketStage(name, tuple(_meeting(pairing, _through(pairing, later, places)) for pairing in drawn)))
    while left > 1:
        left //= 2
        bracket_stages.append(BracketStage(stage_name(2 * left), (BracketMeeting((BracketSide(), BracketSide())),) * left))
    last = bracket_stages[-1].meetings[0] if bracket_stages else None
    champion = next((side.team for side in last.sides if side.is_through), "") if last is not None and len(names) else ""
    third = next((_meeting(pairing, _through(pairing, None, places)) for pairing in thirds), None)
    return Bracket(tuple(bracket_stages), third, champion)


def ended_in(drawn: Bracket, team: str) -> str:
    """How far a team has come, in words."""
    if team == drawn.champion:
        return "champion"
    if drawn.third is not None and any(side.team == team and side.is_through for side in drawn.third.sides):
        return "third"
    for stage in reversed(drawn.stages):
        for meeting in stage.meetings:
            names = [side.team for side in meeting.sides]
            if team in names:
                own, other = meeting.sides if names[0] == team else meeting.sides[::-1]
                if not other.is_through or not other.team:
                    return f"in the {stage.name}" if not own.is_through else f"through the {stage.name}"
                return f"{'lost' if stage.name == FINAL else 'out in'} the {stage.name} to {other.team}"
    return ""


def _in_order(drawn: Sequence[StagePairing]) -> list[StagePairing]:
    """From top to bottom. The meetings of a stage are drawn up in that order; only byes have to be put between."""
    byes = [pairing for pairing in drawn if len(pairing.teams) < 2]
    meetings = [pairing for pairing in drawn if len(pairing.teams) > 1]
    if not byes:
        return meetings
    places = bracket(2 * len(meetings) + len(byes))
    if sum(low is None for _, low in places) != len(byes):
        return [*byes, *meetings]
    rest, alone = iter(meetings), iter(byes)
    return [next(alone) if low is None else next(rest) for _, low in places]


def _through(pairing: StagePairing, later: set[str] | None, places: Mapping[str, str]) -> str:
    """Who won a meeting: whoever is in the next stage; of the last meetings, whoever has the better place once all is played."""
    if len(pairing.teams) < 2:
        return pairing.teams[0]
    if later is not None:
        return next((team for team in pairing.teams if team in later), "")
    if pairing.to_play or len({places.get(team) for team in pairing.teams}) < 2:
        return ""
    return min(pairing.teams, key=lambda team: _place(places.get(team, "")))


def _place(text: str) -> int:
    return int(text) if text.isdecimal() else 10**9


def _meeting(pairing: StagePairing, through: str) -> BracketMeeting:
    if len(pairing.teams) < 2:
        return BracketMeeting((BracketSide(pairing.teams[0], is_through=True), BracketSide()), pairing.word)
    one, other = (
        BracketSide(team, half(pairing.score_of(team)) if pairing.games else "", team == through) for team in pairing.teams
    )
    word = pairing.word
    if not word and through and one.score == other.score:
        word = "drawn, the better seed advances"
    return BracketMeeting((one, other), word, tuple(pairing.games))
