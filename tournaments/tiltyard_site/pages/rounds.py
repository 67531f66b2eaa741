"""A tournament in rounds, such as a Swiss: a column a round for each team, and a page of the pairings of each round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from tiltyard_engine.publishing import Pairing
from tiltyard_site.pages.labels import line
from tiltyard_site.pages.match_scripts import Listed
from tiltyard_site.pages.pairings import StagePairing, half, stages

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


def played_rounds(listed: Sequence[Listed], pairings: Sequence[Pairing]) -> list[PlayedRound]:
    """The rounds that were drawn."""
    drawn = stages(listed, pairings)
    return [PlayedRound(name, f"round-{number}.html", tuple(found)) for number, (name, found) in enumerate(drawn.items(), start=1)]


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
    if word in ("to play", "no result"):
        return RoundCell(word, opponent, "", one.page, label=f"{line(one.name)}: {word} against {against}")
    own = pairing.score_of(team)
    total = len(pairing.counting)
    score = f"{half(own)}\u2013{half(total - own)}" if len(others) == 1 else half(own)
    in_seat = f"seat {' and '.join(map(str, seats))}"
    label = f"{line(one.name)}: {score} against {against}, {in_seat}{f', {word}' if word else ''}"
    return RoundCell(
        f"{score} {word}".strip(),
        opponent,
        seat_marks(seats),
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
