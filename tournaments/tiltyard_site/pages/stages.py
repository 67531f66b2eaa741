"""Who met whom stage by stage, with byes and what is still to be played: the bracket of a knockout, and the rounds of a Swiss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final
from urllib.parse import quote

from tiltyard_engine.formats import Bracket, BracketMeeting
from tiltyard_engine.lifecycle import Pairing
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import PairingEnding
from tiltyard_site.pages.labels import line
from tiltyard_site.pages.match_scripts import Listed
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
    points: float = 0.0
    """Those that a late team begins with."""

    @property
    def counting(self) -> list[Outcome]:
        """The games that count."""
        return [entry.match for entry in self.games if entry.match.counts]

    @property
    def word(self) -> str:
        """What to call it instead of a score; empty: it has one."""
        word = unplayed_word(self.teams, [entry.match for entry in self.games], self.ending)
        return f"{word}, {self.points:g} points" if self.points else word

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
        own = stage.setdefault(frozenset(pairing.teams), StagePairing(pairing.teams, ending=pairing.ending, points=pairing.points))
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
class BracketBox:
    """A meeting as it is drawn."""

    stage: str
    sides: tuple[BracketSide, BracketSide]
    word: str = ""
    """Where there is no score, what to say instead; or how a drawn meeting was decided."""
    games: tuple[Listed, ...] = ()

    @property
    def loser(self) -> str:
        """Who is out of a decided meeting; empty: nobody yet."""
        one, other = self.sides
        return one.team if other.is_through else other.team if one.is_through else ""

    @property
    def is_decided(self) -> bool:
        """Whether somebody goes on."""
        return any(side.is_through for side in self.sides)


@dataclass(frozen=True, slots=True)
class BracketColumn:
    """A round, from top to bottom."""

    name: str
    boxes: tuple[BracketBox | None, ...]
    """None: a place where nobody plays."""
    is_straight: bool
    """Whether each line goes on to a place of its own in the next column; otherwise two lines meet there."""


@dataclass(frozen=True, slots=True)
class DrawnBracket:
    """Columns from the first round to the last."""

    name: str
    columns: tuple[BracketColumn, ...]

    @property
    def only_box(self) -> BracketBox | None:
        """The meeting of a bracket that is nothing else."""
        return self.columns[0].boxes[0] if len(self.columns) == len(self.columns[0].boxes) == 1 else None


@dataclass(frozen=True, slots=True)
class BracketDrawing:
    """All brackets of a tournament, as far as they were drawn; the first one leads to the champion."""

    brackets: tuple[DrawnBracket, ...]
    order: tuple[str, ...] = ()
    """The stages in which there were matches or byes, in the order of the schedule."""

    @property
    def trees(self) -> list[DrawnBracket]:
        """Those of several rounds, and the first one."""
        return [each for each in self.brackets if each is self.brackets[0] or not each.only_box]

    @property
    def single(self) -> list[DrawnBracket]:
        """Those of one meeting only, such as for a place, as soon as somebody is in it."""
        others = (each for each in self.brackets[1:] if each.only_box)
        return [each for each in others if each.only_box and each.only_box.sides[0].team]

    @property
    def final(self) -> BracketBox | None:
        """The last meeting of the first bracket."""
        return self.brackets[0].columns[-1].boxes[0]

    @property
    def champion(self) -> str:
        """Its winner; empty while it is not decided."""
        return next((side.team for side in self.final.sides if side.is_through), "") if self.final else ""

    @property
    def boxes(self) -> list[BracketBox]:
        """All of them, bracket by bracket."""
        return [box for each in self.brackets for column in each.columns for box in column.boxes if box]


def draw_brackets(
    brackets: Sequence[Bracket[str]], entries: Sequence[Listed], pairings: Sequence[Pairing], places: Mapping[str, str]
) -> BracketDrawing | None:
    """The brackets that a format describes, with their games; None: it has none.

    The last meeting of a bracket is decided by ``places``, those of the standings: there, a team in quarantine comes last.
    """
    by_stage = stages(entries, pairings)
    by_teams = {(name, frozenset(each.teams)): each for name, group in by_stage.items() for each in group}
    trees: list[DrawnBracket] = []
    for bracket in brackets:
        columns: list[BracketColumn] = []
        for number, column in enumerate(bracket.columns, start=1):
            is_last = number == len(bracket.columns)
            boxes = tuple(_box(meeting, by_teams, places if is_last else {}) if meeting else None for meeting in column)
            name = next((meeting.stage for meeting in column if meeting), "")
            is_straight = not is_last and len(bracket.columns[number]) == len(column)
            columns.append(BracketColumn(name, boxes, is_straight))
        trees.append(DrawnBracket(bracket.name, tuple(columns)))
    return BracketDrawing(tuple(trees), tuple(by_stage)) if trees else None


def out_of_it(brackets: Sequence[Bracket[str]]) -> set[str]:
    """Who has lost a meeting and is in none that is still to be decided; not all of a round need be."""
    meetings = [meeting for each in brackets for column in each.columns for meeting in column if meeting]
    losers = {team for each in meetings if each.winner is not None for team in each.teams if team != each.winner}
    return losers - {team for each in meetings if each.winner is None for team in each.teams}


ORDINALS: Final = {"3": "third", "5": "fifth", "7": "seventh"}


def ended_in(knockout: BracketDrawing, team: str, places: Mapping[str, str]) -> str:
    """How far a team has come, in words."""
    if team == knockout.champion:
        return "champion"
    own = [box for box in knockout.boxes if team in [side.team for side in box.sides]]
    still_in = next((box for box in own if not box.is_decided), None)
    if still_in is not None:
        return f"{'plays for' if 'place' in still_in.stage else 'in the'} {still_in.stage}"
    order = {stage: number for number, stage in enumerate(knockout.order)}
    last = max(own, key=lambda box: order.get(box.stage, -1), default=None)
    if last is None:
        return ""
    if last.loser == team:
        return f"lost the {last.stage} to {next(side.team for side in last.sides if side.is_through)}"
    place = places.get(team, "")
    return ORDINALS.get(place, f"place {place}")


def meeting_box(pairing: StagePairing) -> BracketBox:
    """A meeting of two teams in no bracket."""
    one, other = (BracketSide(team, half(pairing.score_of(team)) if pairing.games else "") for team in pairing.teams)
    return BracketBox("tie-break", (one, other), pairing.word, tuple(pairing.games))


def _box(
    meeting: BracketMeeting[str], by_teams: Mapping[tuple[str, frozenset[str]], StagePairing], places: Mapping[str, str]
) -> BracketBox:
    pairing = by_teams.get((meeting.stage, frozenset(meeting.teams))) or StagePairing(meeting.teams)
    through = meeting.winner or ""
    if through and len({places.get(team) for team in meeting.teams}) > 1:
        through = min(meeting.teams, key=lambda team: _place(places.get(team, "")))
    sides = [
        BracketSide(team, half(pairing.score_of(team)) if pairing.games and len(meeting.teams) > 1 else "", team == through)
        for team in meeting.teams
    ]
    while len(sides) < 2:
        sides.append(BracketSide())
    is_open = len(meeting.teams) < 2 and not through
    word = pairing.word or meeting.note or ("so far" if pairing.games and not through else "")
    return BracketBox(meeting.stage, (sides[0], sides[1]), "" if is_open else word, tuple(pairing.games))


def _place(text: str) -> int:
    return int(text) if text.isdecimal() else 10**9


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


def played_rounds(by_stage: Mapping[str, Sequence[StagePairing]]) -> list[PlayedRound]:
    """The rounds that were drawn; ``by_stage`` as of ``stages``."""
    rounds = enumerate(by_stage.items(), start=1)
    return [PlayedRound(name, f"round-{number}.html", tuple(pairings)) for number, (name, pairings) in rounds]


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
