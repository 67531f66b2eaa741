"""Who met whom stage by stage, with byes and what is still to be played: the bracket of a knockout, and the rounds of a Swiss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final
from urllib.parse import quote

from tiltyard_engine.lifecycle import Pairing
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import PairingEnding
from tiltyard_site.pages.labels import line
from tiltyard_site.pages.match_scripts import Listed
from tiltyard_tournaments.formats.knockout import THIRD_PLACE, bracket, stage_name
from tiltyard_tournaments.standings import scoring


@dataclass(slots=True)
class StagePairing:
    """Teams that meet in a stage, and their games there; one team alone has a bye."""

    teams: tuple[str, ...]
    games: list[Listed] = field(default_factory=list)
    to_play: int = 0
    """Games that are still to come."""
    ending: PairingEnding = PairingEnding.BYE
    """Of one team: why it has no opponent."""

    @property
    def counting(self) -> list[Outcome]:
        """The games that count."""
        return [entry.match for entry in self.games if entry.match.counts]

    @property
    def word(self) -> str:
        """What to call it instead of a score; empty: it has one."""
        return unplayed_word(self.teams, [entry.match for entry in self.games], self.ending)

    def score_of(self, team: str) -> Fraction:
        """Wins and half the ties, of the games that count."""
        shares = [Fraction(match.winner_name == team) if match.winner else Fraction(1, 2) for match in self.counting]
        return sum(shares, Fraction(0))

    def seats_of(self, team: str) -> list[int]:
        """The seats that a team has had, from 1, each once."""
        return sorted({entry.match.teams.index(team) + 1 for entry in self.games})

    def opponents_of(self, team: str) -> list[str]:
        """All teams but this one."""
        return [other for other in self.teams if other != team]


def unplayed_word(teams: Sequence[str], games: Sequence[Outcome], ending: PairingEnding = PairingEnding.BYE) -> str:
    """The word for a pairing that has no played result, or by ``ending`` for a team without an opponent; empty if it has one."""
    if len(teams) < 2:
        return ending.value
    if not games:
        return "to play"
    if any(match.ending is PairingEnding.PLAYED for match in games):
        return ""
    return next((match.ending.value for match in games if match.counts), games[0].ending.value)


def stages(entries: Sequence[Listed], pairings: Sequence[Pairing]) -> dict[str, list[StagePairing]]:
    """The pairings of each stage, both in the order of the schedule; byes are at the end of their stage."""
    by_stage: dict[str, dict[frozenset[str], StagePairing]] = {}
    for entry in entries:
        match = entry.match
        stage = by_stage.setdefault(match.stage, {})
        stage.setdefault(frozenset(match.teams), StagePairing(match.teams)).games.append(entry)
    for pairing in sorted(pairings, key=lambda one: len(one.teams) < 2):
        stage = by_stage.setdefault(pairing.stage, {})
        own = stage.setdefault(frozenset(pairing.teams), StagePairing(pairing.teams, ending=pairing.ending))
        own.to_play += pairing.games if len(pairing.teams) > 1 else 0
    return {name: list(stage.values()) for name, stage in by_stage.items()}


def half(value: Fraction) -> str:
    """A score in wins and halves, such as ``1½``."""
    whole, rest = divmod(value, 1)
    if rest == Fraction(1, 2):
        return f"{whole or ''}\u00bd"
    return str(scoring.number(value))


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
    """A whole knockout, as far as it was drawn."""

    stages: tuple[BracketStage, ...] = ()
    third: BracketMeeting | None = None
    champion: str = ""
    """Empty while it is not decided."""


def draw_bracket(entries: Sequence[Listed], pairings: Sequence[Pairing], places: Mapping[str, str]) -> Bracket:
    """The bracket as far as it is drawn; ``places`` are those of the standings, by which the last meetings are decided."""
    by_stage = stages(entries, pairings)
    thirds = by_stage.pop(THIRD_PLACE, [])
    columns = [_in_order(pairings_of_stage) for pairings_of_stage in by_stage.values()]
    names = list(by_stage)
    left = len(columns[-1]) if columns else 0
    bracket_stages: list[BracketStage] = []
    for number, (name, column) in enumerate(zip(names, columns, strict=True)):
        later = {team for pairing in columns[number + 1] for team in pairing.teams} if number + 1 < len(columns) else None
        bracket_stages.append(BracketStage(name, tuple(_meeting(pairing, _through(pairing, later, places)) for pairing in column)))
    while left > 1:
        left //= 2
        bracket_stages.append(BracketStage(stage_name(2 * left), (BracketMeeting((BracketSide(), BracketSide())),) * left))
    last = bracket_stages[-1].meetings[0] if bracket_stages else None
    champion = next((side.team for side in last.sides if side.is_through), "") if last is not None and len(names) else ""
    third = next((_meeting(pairing, _through(pairing, None, places)) for pairing in thirds), None)
    return Bracket(tuple(bracket_stages), third, champion)


def ended_in(bracket: Bracket, team: str) -> str:
    """How far a team has come, in words."""
    if team == bracket.champion:
        return "champion"
    if bracket.third is not None and any(side.team == team and side.is_through for side in bracket.third.sides):
        return "third"
    for stage in reversed(bracket.stages):
        for meeting in stage.meetings:
            names = [side.team for side in meeting.sides]
            if team in names:
                own, other = meeting.sides if names[0] == team else meeting.sides[::-1]
                if not other.is_through or not other.team:
                    return f"in the {stage.name}" if not own.is_through else f"through the {stage.name}"
                return f"lost the {stage.name} to {other.team}"
    return ""


def _in_order(pairings: Sequence[StagePairing]) -> list[StagePairing]:
    """From top to bottom. The meetings of a stage are drawn up in that order; only byes have to be put between."""
    byes = [pairing for pairing in pairings if len(pairing.teams) < 2]
    meetings = [pairing for pairing in pairings if len(pairing.teams) > 1]
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


CIRCLED: Final = " \u2460\u2461\u2462\u2463\u2464\u2465\u2466\u2467\u2468"
"""Seats as circled digits."""


@dataclass(frozen=True, slots=True)
class RoundCell:
    """What a team did in a round."""

    text: str
    """Its score, or a word such as ``bye``."""
    opponent: str = ""
    """Its place."""
    seat: str = ""
    page: str = ""
    tint: str = ""
    label: str = ""
    """All of it in words."""


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round with its page."""

    name: str
    page: str
    pairings: tuple[StagePairing, ...]


def played_rounds(entries: Sequence[Listed], pairings: Sequence[Pairing]) -> list[PlayedRound]:
    """The rounds that were drawn."""
    by_stage = stages(entries, pairings).items()
    return [PlayedRound(name, f"round-{number}.html", tuple(each)) for number, (name, each) in enumerate(by_stage, start=1)]


def round_cells(rounds: Sequence[PlayedRound], places: Mapping[str, str], slugs: Mapping[str, str]) -> dict[str, list[RoundCell]]:
    """A cell a round for each team."""
    rows: dict[str, list[RoundCell]] = {team: [] for team in slugs}
    for number, one in enumerate(rounds):
        for pairing in one.pairings:
            for team in pairing.teams:
                row = rows[team]
                row.extend([RoundCell("")] * (number - len(row)))
                row.append(_cell(pairing, team, one, places, slugs))
    for row in rows.values():
        row.extend([RoundCell("")] * (len(rounds) - len(row)))
    return rows


def seat_marks(seats: Sequence[int]) -> str:
    """Seats in a form that takes little room."""
    return "".join(CIRCLED[seat] if seat < len(CIRCLED) else f"({seat})" for seat in seats)


def _cell(pairing: StagePairing, team: str, one: PlayedRound, places: Mapping[str, str], slugs: Mapping[str, str]) -> RoundCell:
    if len(pairing.teams) < 2:
        return RoundCell(pairing.word, page=one.page, label=f"{line(one.name)}: {pairing.word}")
    others = pairing.opponents_of(team)
    against = ", ".join(line(other) for other in others)
    opponent = ", ".join(places.get(other, "") for other in others)
    seats = pairing.seats_of(team)
    word = pairing.word
    if not pairing.counting:
        return RoundCell(word, opponent, "", one.page, label=f"{line(one.name)}: {word} against {against}")
    own = pairing.score_of(team)
    total = len(pairing.counting)
    score = f"{half(own)}\u2013{half(total - own)}" if len(others) == 1 else half(own)
    in_seat = f"seat {' and '.join(map(str, seats))}"
    label = f"{line(one.name)}: {score} against {against}, {in_seat}{f', {word}' if word else ''}"
    return RoundCell(
        f"{score} {word}".strip(),
        opponent,
        "" if len(seats) == len(pairing.teams) else seat_marks(seats),
        _games_page(pairing, team, slugs),
        f"share{min(6, int(own / total * 7))}",
        label,
    )


def _games_page(pairing: StagePairing, team: str, slugs: Mapping[str, str]) -> str:
    """The only game, or the list of all games between these teams."""
    if len(pairing.games) == 1:
        return f"match.html#match={pairing.games[0].id}"
    other = pairing.opponents_of(team)[0]
    return f"matches.html#team={quote(slugs[team])}&versus={quote(slugs[other])}"
