"""The pages themselves: what each one shows, worked out here and written by its template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tiltyard_simulator.tables import Cell
from tiltyard_tournaments.site.charts import Scale, axis, interval_row, scale
from tiltyard_tournaments.site.counting import Tally, against, in_seats, on_maps
from tiltyard_tournaments.site.data import SiteData, SiteTeam
from tiltyard_tournaments.site.match_scripts import Listed, fault_message, match_message
from tiltyard_tournaments.site.words import counted, harmless, line

MOST_FAULTS: Final = 40
"""Faults told on a team's page; all others are in the list of games."""
LONGEST_SHOWN_OUTPUT: Final = 4000
HIGHLIGHTS: Final = 3
SHARES: Final = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of a table, ready to be written."""

    text: str
    number: bool = False
    page: str = ""
    tint: str = ""
    label: str = ""
    """In words, where the text alone says too little."""


@dataclass(frozen=True, slots=True)
class ShownTally:
    """One line of a table of results."""

    name: str
    page: str
    games: str
    """Address of the list of these games."""
    tally: Tally
    low: float
    high: float
    chart: object


class Pages:
    """All pages of a site; ``listed`` in the order of the schedule. ``live`` is as of ``site_files``."""

    def __init__(self, data: SiteData, listed: Sequence[Listed], slugs: Mapping[str, str], logo: str, live: str = "") -> None:
        self.data = data
        self.listed = listed
        self.slugs = slugs
        self.matches = [entry.match for entry in listed]
        self.against = against(self.matches)
        self.on_maps = on_maps(self.matches)
        self.maps = list(dict.fromkeys(match.map for match in self.matches))
        self.places = self._places()
        self.faults: dict[str, list[tuple[Listed, int]]] = {}
        for entry in listed:
            for number, fault in enumerate(entry.match.faults):
                if fault.seat:
                    self.faults.setdefault(entry.match.teams[fault.seat - 1], []).append((entry, number))
        self.environment = Environment(
            loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self.environment.filters.update(line=line, text=harmless, whole=_whole)
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
            axis=axis,
            shares_axis=axis(SHARES, percent=True),
        )

    def all(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """(path, what makes the text) of each page."""
        if self.data.groups:
            yield "index.html", lambda: self._render("comparison.html", page="index")
        else:
            yield "index.html", lambda: self._render("index.html", page="index", **self._index())
        yield "matches.html", lambda: self._render("matches.html", page="matches")
        yield "match.html", lambda: self._render("match.html", page="match")
        for team in () if self.data.groups else self.data.teams:
            yield self.team_page(team.name), partial(self._team_page, team)

    def _team_page(self, team: SiteTeam) -> str:
        return self._render("team.html", page="team", **self._team(team.name, team.description))

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
        order = [team.name for team in self.data.teams]
        ratings = self.data.ratings
        shown = scale([end for rating in ratings for end in (rating.low, rating.high)])
        return {
            "headers": [(header, self._numeric(column)) for column, header in enumerate(self.data.standings.headers)],
            "rows": [[self._cell(cell, header) for cell, header in self._with_headers(row)] for row in self.data.standings.rows],
            "ratings": [(rating, interval_row(shown, rating.value, rating.low, rating.high)) for rating in ratings],
            "rating_axis": axis(shown),
            "order": order,
            "crosstable": [(name, [self._against(name, other) for other in order]) for name in order],
            "maps": [(name, [self._on_map(team, name) for team in order]) for name in self.maps],
            "fault_count": sum(len(found) for found in self.faults.values()),
            "highlights": self._highlights(),
        }

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
        return self._tally_cell(tally, where, f"{line(team)} against {line(other)}")

    def _on_map(self, team: str, name: str) -> ShownCell | None:
        tally = self.on_maps.get((team, name))
        if tally is None:
            return None
        where = f"matches.html#team={self.slugs[team]}&map={quote(line(name))}"
        return self._tally_cell(tally, where, f"{line(team)} on {line(name)}")

    @staticmethod
    def _tally_cell(tally: Tally, where: str, what: str) -> ShownCell:
        words = f"{what}: {counted(tally.wins, 'win')}, {counted(tally.ties, 'tie')}, {counted(tally.losses, 'loss', 'losses')}"
        tint = f"share{min(6, int(tally.share * 7))}"
        return ShownCell(f"{tally.wins}\u2013{tally.ties}\u2013{tally.losses}", True, where, tint, words)

    def _highlights(self) -> list[tuple[str, Listed, str]]:
        """Games to look at first: upsets, then the longest that were won. The same for the same results."""
        place = {team.name: number for number, team in enumerate(self.data.teams)}
        upsets: list[tuple[int, Listed]] = []
        longest: list[tuple[int, Listed]] = []
        for entry in self.listed:
            match = entry.match
            if entry.replay and match.counts and match.winner and not match.faults:
                winner = place[match.teams[match.winner - 1]]
                gap = max(winner - place[name] for name in match.teams)
                if gap > 0:
                    upsets.append((-gap, entry))
                longest.append((-match.rounds, entry))
        found = [("Upset", entry) for _, entry in sorted(upsets, key=lambda one: (one[0], one[1].id))[:HIGHLIGHTS]]
        for _, entry in sorted(longest, key=lambda one: (one[0], one[1].id)):
            if len(found) >= 2 * HIGHLIGHTS:
                break
            if all(entry is not other for _, other in found):
                found.append(("Long fight", entry))
        return [(kind, entry, match_message(entry.match, self.data.hidden)) for kind, entry in found]

    # A team's page

    def _team(self, name: str, description: str) -> dict[str, Any]:
        standing = next((row for row in self.data.standings.rows if name in [str(cell) for cell in row]), ())
        own = self.slugs[name]
        seats = in_seats(match for match in self.matches if name in match.teams)
        return {
            "name": name,
            "description": description,
            "place": self.places.get(name, ""),
            "figures": [
                (header, self._cell(cell, header).text)
                for cell, header in zip(standing, self.data.standings.headers)
                if header not in ("team", "algorithm", "place") and cell != ""
            ],
            "rating": next((rating for rating in self.data.ratings if rating.team == name), None),
            "opponents": [
                self._line(other.name, self.team_page(other.name), f"team={own}&versus={self.slugs[other.name]}", tally)
                for other in self.data.teams
                if (tally := self.against.get((name, other.name)))
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
    def _line(name: str, page: str, games: str, tally: Tally) -> ShownTally:
        low, high = tally.interval()
        return ShownTally(
            name, page, f"matches.html#{games}", tally, low, high, interval_row(SHARES, tally.share, low, high, middle=0.5)
        )

    def _fault(self, entry: Listed, number: int) -> dict[str, Any]:
        match = entry.match
        fault = match.faults[number]
        output = ""
        if entry.outputs:
            texts = self.data.outputs(match.key)
            output = texts[fault.seat - 1] if fault.seat <= len(texts) else ""
        shown = output[-LONGEST_SHOWN_OUTPUT:]
        return {
            "id": entry.id,
            "round": fault.round,
            "opponents": [other for seat, other in enumerate(match.teams, start=1) if seat != fault.seat],
            "map": match.map,
            "kind": fault.termination.value,
            "message": fault_message(fault.message, self.data.hidden),
            "output": harmless(shown),
            "cut": len(shown) < len(output),
        }


def _whole(value: float) -> str:
    """A number without its fraction, with a minus sign that is as wide as a digit."""
    return str(round(value)).replace("-", "\u2212")
