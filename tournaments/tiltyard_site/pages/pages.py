"""The pages themselves: what each one shows, worked out here and written by its template."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from math import floor, log10
from statistics import median
from typing import Any, Final, TypeVar
from urllib.parse import quote

from markupsafe import Markup

from tiltyard_engine.match_record import Outcome
from tiltyard_simulator.output.tables import Cell
from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.labels import counted, harmless, line
from tiltyard_site.pages.match_scripts import Listed, fault_message, match_message
from tiltyard_site.pages.template_environment import template_environment
from tiltyard_tournaments.ratings.shares import share_interval
from tiltyard_tournaments.standings import Meeting

K = TypeVar("K", bound=Hashable)

MOST_FAULTS: Final = 40
"""Faults told on a team's page; all others are in the list of games."""
LONGEST_SHOWN_OUTPUT: Final = 4000
HIGHLIGHTS: Final = 3
LONG_GAME: Final = 2
"""A long game has at least this many times the median rounds of the decided games on its map."""
MOST_CELLS: Final = 1000
"""Of a table that grows with the teams times something else: a larger one is on a page of its own, and its cells have no links."""
PAD: Final = 4.0
"""Percent left free at each end of a chart, for labels of the outermost ticks."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to percents of a chart's width: it fits any width without a script and without distortion."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> str:
        """Where a value stands, such as ``37.5%``."""
        span = self.high - self.low or 1.0
        share = min(1.0, max(0.0, (value - self.low) / span))
        return f"{PAD + share * (100 - 2 * PAD):.2f}%"


def scale(values: Sequence[float], ticks: int = 5) -> Scale:
    """A scale with round ticks that holds all values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / ticks
    power = 10.0 ** floor(log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first, last = floor(low / step), -floor(-high / step)
    # Rounded: three times 0.1 is not 0.3.
    marks = tuple(round(number * step, 9) for number in range(int(first), int(last) + 1))
    return Scale(marks[0], marks[-1], marks)


SHARES: Final = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))


@dataclass(frozen=True, slots=True)
class Apart:
    """Which tables are on a page of their own."""

    crosstable: bool
    maps: bool

    @property
    def any(self) -> bool:
        """Whether there is such a page."""
        return self.crosstable or self.maps


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of a table, ready to be written."""

    text: str
    number: bool = False
    page: str = ""
    tint: str = ""
    label: str = ""
    """In words, where the text alone says too little."""


class Pages:
    """All pages of a site; ``listed`` in the order of the schedule. ``live`` is as of ``site_files``."""

    def __init__(self, data: SiteData, listed: Sequence[Listed], slugs: Mapping[str, str], logo: str, live: str = "") -> None:
        self.data = data
        self.listed = listed
        self.slugs = slugs
        self.matches = [entry.match for entry in listed]
        self.against = results_by(lambda match, seat, other: (match.teams[seat], match.teams[other]), self.matches)
        self.on_maps = results_by(lambda match, seat, other: (match.teams[seat], match.map), self.matches)
        self.maps = list(dict.fromkeys(match.map for match in self.matches))
        self.apart = self._apart()
        self.places = self._places()
        self.by_team: dict[str, list[Outcome]] = {}
        for match in self.matches:
            for name in dict.fromkeys(match.teams):
                self.by_team.setdefault(name, []).append(match)
        self.faults: dict[str, list[tuple[Listed, int]]] = {}
        for entry in listed:
            for number, fault in enumerate(entry.match.faults):
                if fault.seat:
                    self.faults.setdefault(entry.match.teams[fault.seat - 1], []).append((entry, number))
        self.environment = template_environment()
        self.environment.globals.update(
            site=data,
            logo=logo,
            live=live,
            key=self._key if live else lambda name: "",
            row_key=lambda row: Markup("").join(self._key(cell.text) for cell in row if cell.page) if live else "",
            played=len(self.matches),
            planned=self.data.planned - (len(self.data.matches) - len(self.matches)),
            counted=counted,
            team_page=self.team_page,
            slug=lambda name: self.slugs[name],
            shares=SHARES,
            apart=self.apart,
        )

    def all(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """(path, what makes the text) of each page."""
        if self.data.groups:
            yield "index.html", lambda: self._render("comparison.html", page="index")
        else:
            yield "index.html", lambda: self._render("index.html", page="index", **self._index())
        if self.apart.any:
            yield "crosstable.html", lambda: self._render("crosstable.html", page="crosstable", **self._crosstable_page())
        yield "matches.html", lambda: self._render("matches.html", page="matches")
        yield "match.html", lambda: self._render("match.html", page="match")
        for team in () if self.data.groups else self.data.teams:
            yield self.team_page(team), partial(self._team_page, team)

    def _apart(self) -> Apart:
        teams = 0 if self.data.groups else len(self.data.teams)
        return Apart(teams * teams > MOST_CELLS, teams * len(self.maps) > MOST_CELLS)

    def _team_page(self, name: str) -> str:
        return self._render("team.html", page="team", **self._team(name))

    def _key(self, name: str) -> Markup:
        """An attribute by which a live page knows a team's row again when the order has changed."""
        return Markup(' data-key="{}"').format(self.slugs.get(name, name))

    def team_page(self, name: str) -> str:
        """File name of a team's page."""
        return f"team-{self.slugs[name]}.html"

    def _render(self, template: str, **values: Any) -> str:
        return self.environment.get_template(template).render(**values) + "\n"

    # The first page

    def _index(self) -> dict[str, Any]:
        order = list(self.data.teams)
        return {
            "headers": [(header, self._numeric(column)) for column, header in enumerate(self.data.standings.headers)],
            "rows": [[self._cell(cell, header) for cell, header in self._with_headers(row)] for row in self.data.standings.rows],
            "rating_scale": scale([end for rating in self.data.ratings for end in (rating.low, rating.high)]),
            "order": order,
            "crosstable": [] if self.apart.crosstable else self._crosstable(),
            "maps": [] if self.apart.maps else self._map_table(),
            "map_count": len(self.maps),
            "fault_count": sum(len(faults) for faults in self.faults.values()),
            "highlights": self._highlights(),
        }

    def _crosstable_page(self) -> dict[str, Any]:
        return {
            "order": list(self.data.teams),
            "crosstable": self._crosstable() if self.apart.crosstable else [],
            "maps": self._map_table() if self.apart.maps else [],
        }

    def _crosstable(self) -> list[tuple[str, list[ShownCell | None]]]:
        order = self.data.teams
        return [(name, [self._against(name, other) for other in order]) for name in order]

    def _map_table(self) -> list[tuple[str, list[ShownCell | None]]]:
        return [(name, [self._on_map(team, name) for team in self.data.teams]) for name in self.maps]

    def _places(self) -> dict[str, str]:
        """Team to place, where the standings tell both."""
        headers = self.data.standings.headers
        column = next((number for number, header in enumerate(headers) if header in ("team", "algorithm")), -1)
        place = headers.index("place") if "place" in headers else -1
        if min(column, place) < 0:
            return {}
        return {str(row[column]): str(row[place]) for row in self.data.standings.rows}

    def _with_headers(self, row: Sequence[Cell]) -> Iterator[tuple[Cell, str]]:
        return zip(row, self.data.standings.headers, strict=True)

    def _numeric(self, column: int) -> bool:
        return all(isinstance(row[column], int | float) or not row[column] for row in self.data.standings.rows)

    def _cell(self, cell: Cell, header: str) -> ShownCell:
        if header in ("team", "algorithm") and str(cell) in self.slugs:
            return ShownCell(str(cell), page=self.team_page(str(cell)))
        if isinstance(cell, float):
            return ShownCell(f"{cell:.2f}".rstrip("0").rstrip(".").replace("-", "\u2212"), number=True)
        return ShownCell(str(cell), number=isinstance(cell, int))

    def _against(self, team: str, other: str) -> ShownCell | None:
        tally = self.against.get((team, other))
        if team == other or tally is None:
            return None
        where = f"matches.html#team={self.slugs[team]}&versus={self.slugs[other]}"
        return tally_cell(tally, where, f"{line(team)} against {line(other)}")

    def _on_map(self, team: str, name: str) -> ShownCell | None:
        tally = self.on_maps.get((team, name))
        if tally is None:
            return None
        where = f"matches.html#team={self.slugs[team]}&map={quote(line(name))}"
        return tally_cell(tally, where, f"{line(team)} on {line(name)}")

    def _highlights(self) -> list[tuple[str, Listed, str]]:
        """Games to watch first: upsets, then games that are long for their map. The same for the same results."""
        place = {team: number for number, team in enumerate(self.data.teams)}
        upsets: list[tuple[int, Listed]] = []
        decided: list[Listed] = []
        rounds: dict[str, list[int]] = {}
        for entry in self.listed:
            match = entry.match
            if entry.replay and match.counts and match.winner and not (match.faults or match.forfeited):
                winner = place[match.teams[match.winner - 1]]
                gap = max(winner - place[name] for name in match.teams)
                if gap > 0:
                    upsets.append((-gap, entry))
                rounds.setdefault(match.map, []).append(match.rounds)
                decided.append(entry)
        highlights = [("Upset", entry) for _, entry in sorted(upsets, key=lambda one: (one[0], one[1].id))[:HIGHLIGHTS]]
        usual = {name: median(numbers) for name, numbers in rounds.items()}
        long = [entry for entry in decided if entry.match.rounds >= LONG_GAME * usual[entry.match.map]]
        for entry in sorted(long, key=lambda one: (-one.match.rounds, one.id)):
            if len(highlights) >= 2 * HIGHLIGHTS:
                break
            if all(entry is not other for _, other in highlights):
                highlights.append(("Long game", entry))
        return [(kind, entry, match_message(entry.match, self.data.hide)) for kind, entry in highlights]

    # A team's page

    def _team(self, name: str) -> dict[str, Any]:
        standing = next((row for row in self.data.standings.rows if name in [str(cell) for cell in row]), ())
        own = self.slugs[name]
        seats = results_by(lambda match, seat, other: (match.teams[seat], seat + 1), self.by_team.get(name, ()))
        return {
            "name": name,
            "place": self.places.get(name, ""),
            "figures": [
                (header, self._cell(cell, header).text)
                for cell, header in zip(standing, self.data.standings.headers)
                if header not in ("team", "algorithm", "place") and cell != ""
            ],
            "rating": next((rating for rating in self.data.ratings if rating.team == name), None),
            "opponents": [
                self._line(other, self.team_page(other), f"team={own}&versus={self.slugs[other]}", tally)
                for other in self.data.teams
                if (tally := self.against.get((name, other)))
            ],
            "on_maps": [
                self._line(map_name, "", f"team={own}&map={quote(line(map_name))}", tally)
                for map_name in self.maps
                if (tally := self.on_maps.get((name, map_name)))
            ],
            "seats": [
                self._line(f"player {seat}", "", f"team={own}&seat={seat}", tally)
                for (team, seat), tally in sorted(seats.items())
                if team == name
            ],
            "faults": [self._fault(entry, number) for entry, number in self.faults.get(name, ())[:MOST_FAULTS]],
            "fault_count": len(self.faults.get(name, ())),
        }

    @staticmethod
    def _line(name: str, page: str, games: str, tally: Meeting) -> dict[str, Any]:
        """One line of a table of results; ``games`` selects these games in the list of all."""
        low, high = share_interval(tally.wins, tally.ties, tally.losses)
        where = f"matches.html#{games}"
        return {"name": name, "page": page, "games": where, "tally": tally, "share": _share(tally), "low": low, "high": high}

    def _fault(self, entry: Listed, number: int) -> dict[str, Any]:
        match = entry.match
        fault = match.faults[number]
        output = ""
        if entry.outputs:
            texts = self.data.outputs(match.key)
            output = texts[fault.seat - 1] if fault.seat <= len(texts) else ""
        end = output[-LONGEST_SHOWN_OUTPUT:]
        return {
            "id": entry.id,
            "round": fault.round,
            "opponents": [other for seat, other in enumerate(match.teams, start=1) if seat != fault.seat],
            "map": match.map,
            "kind": fault.termination.value,
            "message": fault_message(fault.message, self.data.hide),
            "output": harmless(end),
            "cut": len(end) < len(output),
        }


def results_by(key: Callable[[Outcome, int, int], K], matches: Iterable[Outcome]) -> dict[K, Meeting]:
    """Results by ``key(match, seat, opponent's seat)``, seats from 0, over all ordered pairs of seats of matches that count.

    With more than two seats a match counts as one game between each two of its teams, won by the better rank.
    """
    meetings: dict[K, Meeting] = {}
    for match in matches:
        for seat, other in permutations(range(len(match.teams)), 2) if match.counts else ():
            if match.teams[seat] != match.teams[other]:
                meetings.setdefault(key(match, seat, other), Meeting()).add(match.ranks[seat], match.ranks[other])
    return meetings


def tally_cell(tally: Meeting, where: str, what: str) -> ShownCell:
    """Wins, ties and losses, coloured by their share; ``where`` is the page about them, ``what`` whose they are in words."""
    words = f"{what}: {counted(tally.wins, 'win')}, {counted(tally.ties, 'tie')}, {counted(tally.losses, 'loss', 'losses')}"
    tint = f"share{min(6, int(_share(tally) * 7))}"
    return ShownCell(f"{tally.wins}\u2013{tally.ties}\u2013{tally.losses}", True, where, tint, words)


def _share(tally: Meeting) -> float:
    """Wins and half the ties, of all games."""
    return float(tally.share) / tally.games
