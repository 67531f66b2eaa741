"""The pages themselves: what each one shows, worked out here and written by its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final
from urllib.parse import quote

from markupsafe import Markup

from tiltyard_engine.decisions import first_attempt
from tiltyard_engine.match_record import WITHDRAWAL
from tiltyard_engine.replay import Replay
from tiltyard_site.explained.explained import by_number, why_page
from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.front import FrontStandings, Progress, headline, standings_cell, team_groups, team_places, time_in_words
from tiltyard_site.pages.labels import counted, harmless, line
from tiltyard_site.pages.match_scripts import Listed, decision_about, fault_message, match_message
from tiltyard_site.pages.replay_scripts import replay_problem
from tiltyard_site.pages.share_picture import share_picture
from tiltyard_site.pages.stages import draw_brackets, ended_in, half, meeting_box, played_rounds, round_cells, seat_marks, stages
from tiltyard_site.pages.table_parts import SHARES, ShownCell, results_by, scale, share, tally_cell
from tiltyard_site.pages.template_environment import template_environment
from tiltyard_site.pages.watching import Highlight, board_preview, game_to_watch, highlights
from tiltyard_tournaments.ratings.shares import share_interval
from tiltyard_tournaments.standings import Meeting, Scoring
from tiltyard_tournaments.standings.scoring import TIE_BREAK_MATCH, without_tie_breaks
from tiltyard_tournaments.standings.tally import meetings, tally_by

MOST_FAULTS: Final = 40
"""Faults told on a team's page; all others are in the list of games."""
LONGEST_SHOWN_OUTPUT: Final = 4000
MOST_CELLS: Final = 1000
"""Of a table that grows with the teams times something else: a larger one is on a page of its own, and its cells have no links."""
MOST_CHARTED: Final = 100
"""Teams whose ratings are drawn on the first page."""
MOST_NAMED: Final = 12
"""Columns of a crosstable with names above them; of more, numbers stand there."""
MOST_COUNTED: Final = 20
"""Columns of a crosstable with wins, ties and losses in its cells; of more, it is one number."""
FORM: Final = 10
"""Games on a team's page that tell its form."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Which tables are on a page of their own."""

    crosstable: bool
    """The table of who met whom, or of a Swiss what happened round by round."""
    maps: bool
    ratings: bool

    @property
    def any(self) -> bool:
        """Whether there is such a page."""
        return self.crosstable or self.maps or self.ratings


SHARE_PICTURE: Final = "data/share.png"
OWN_SCORES: Final = Scoring(by="score")


class Pages:
    """All pages of a site; ``listed`` in the order of the schedule. ``live`` is as of ``site_files``."""

    def __init__(self, data: SiteData, listed: Sequence[Listed], slugs: Mapping[str, str], logo: str, live: str = "") -> None:
        self.data = data
        self.live = live
        self.listed = listed
        self.slugs = slugs
        self.matches = [entry.match for entry in listed]
        self.counting = without_tie_breaks(self.matches)
        self.against = results_by(lambda match, seat, other: (match.teams[seat], match.teams[other]), self.counting)
        self.on_maps = results_by(lambda match, seat, other: (match.teams[seat], match.map), self.counting)
        self.maps = list(dict.fromkeys(match.map for match in self.counting))
        self.places = team_places(data)
        self.groups = team_groups(data)
        self.knockout = draw_brackets(data.brackets, listed, data.pairings, self.places)
        by_stage = stages(listed, data.pairings)
        self.tie_breaks = [meeting_box(each) for each in by_stage.pop(TIE_BREAK_MATCH, [])]
        self.rounds = played_rounds(by_stage) if data.format == "swiss" else []
        self.challengers = [name for name in data.teams if name in set(data.challengers)]
        self.apart = self._apart()
        self.entries: dict[str, list[Listed]] = {}
        for entry in listed:
            for name in dict.fromkeys(entry.match.teams):
                self.entries.setdefault(name, []).append(entry)
        self.faults: dict[str, list[tuple[Listed, int]]] = {}
        for entry in listed:
            for number, fault in enumerate(entry.match.faults):
                if fault.seat and entry.match.reason != WITHDRAWAL:
                    self.faults.setdefault(entry.match.teams[fault.seat - 1], []).append((entry, number))
        self.explained = by_number(data.explained(), {entry.match.key: entry.id for entry in listed if entry.replay})
        self.lost = {each.team for several in self.explained.values() for each in several}
        self.planned = data.planned - (len(data.matches) - len(self.matches))
        self.environment = template_environment()
        self.environment.globals.update(
            site=data,
            logo=logo,
            live=live,
            key=self._key if live else lambda name: "",
            row_key=lambda row: Markup("").join(self._key(cell.text) for cell in row if cell.column == "team") if live else "",
            played=len(self.matches),
            planned=self.planned,
            counted=counted,
            team_page=self.team_page,
            slug=lambda name: self.slugs[name],
            shares=SHARES,
            apart=self.apart,
            rounds=self.rounds,
            half=half,
            place_of=lambda name: self.places.get(name, ""),
            seat_marks=seat_marks,
            why=lambda name: self.why_page(name) if name in self.lost else "",
        )

    def all(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """(path, what makes the text) of each page."""
        if self.data.groups:
            yield "index.html", lambda: self._render("comparison.html", page="index")
        else:
            yield "index.html", lambda: self._render("index.html", page="index", **self._index())
        if self.apart.any:
            yield "crosstable.html", lambda: self._render("crosstable.html", page="crosstable", **self._crosstable_page())
        for number in range(len(self.rounds)):
            yield self.rounds[number].page, partial(self._round_page, number)
        if self.data.decisions:
            yield "decisions.html", lambda: self._render("decisions.html", page="decisions", **self._decisions())
        yield "matches.html", lambda: self._render("matches.html", page="matches")
        yield "match.html", lambda: self._render("match.html", page="match")
        for team in () if self.data.groups else self.data.teams:
            yield self.team_page(team), partial(self._team_page, team)
            if team in self.lost:
                yield self.why_page(team), partial(self._why_page, team)

    def _apart(self) -> Apart:
        teams = 0 if self.data.groups else len(self.data.teams)
        largest = max(Counter(self.groups.values()).values(), default=teams)
        across = len(self.rounds) or len(self.challengers) or (0 if self.knockout else largest)
        on_maps = 0 if self.knockout else len(self.maps)
        return Apart(teams * across > MOST_CELLS, teams * on_maps > MOST_CELLS, teams > MOST_CHARTED)

    def _team_page(self, name: str) -> str:
        return self._render("team.html", page="team", **self._team(name))

    def _why_page(self, name: str) -> str:
        return self._render("why.html", page="why", **why_page(name, self.explained))

    def _key(self, name: str) -> Markup:
        """An attribute by which a live page knows a team's row again when the order has changed."""
        return Markup(' data-key="{}"').format(self.slugs.get(name, name))

    def team_page(self, name: str) -> str:
        """File name of a team's page."""
        return f"team-{self.slugs[name]}.html"

    def why_page(self, name: str) -> str:
        """File name of the page that says why a team lost."""
        return f"why-{self.slugs[name]}.html"

    def _render(self, template: str, **values: Any) -> str:
        return self.environment.get_template(template).render(**values) + "\n"

    # The first page

    @cached_property
    def progress(self) -> Progress:
        """How far the tournament has come."""
        champion = self.knockout.champion if self.knockout else ""
        challengers = self._challenger_lines()
        challenge = (challengers[0]["name"], challengers[0]["share"]) if len(self.challengers) == len(challengers) == 1 else None
        return Progress(len(self.matches), self.planned, [one.name for one in self.rounds], champion, challenge)

    @cached_property
    def cards(self) -> list[Highlight]:
        """Games that are worth watching."""
        return highlights(self.listed, self.data.teams)

    @cached_property
    def watch(self) -> Highlight | None:
        """The one game beside the standings."""
        final = self.knockout.final.stage if self.knockout and self.knockout.final else ""
        return game_to_watch(self.listed, self.places, self.cards, self.progress.is_over, final)

    @cached_property
    def watch_replay(self) -> Replay | None:
        """The replay of that game, if it can be shown."""
        replay = None if self.watch is None else self.data.replay(self.watch.game.match.key)
        return None if replay is None or replay_problem(replay) else replay

    def share_picture(self) -> bytes:
        """What previews of links show; empty where nobody knows the site's address, or there is no board."""
        if not self.data.address or self.live or self.data.groups or self.watch_replay is None:
            return b""
        return share_picture(self.watch_replay, self.data.theme)

    def _index(self) -> dict[str, Any]:
        table = FrontStandings(self.data, self.knockout)
        return {
            "headline": headline(self.data, self.places, self.progress),
            "headers": table.headers(),
            "tables": table.tables(),
            "knockout": self.knockout,
            "tie_breaks": self.tie_breaks,
            "order": list(self.data.teams),
            **self._tables(is_apart=False),
            "watch": self.watch,
            "preview": board_preview(self.watch_replay, self.data.theme) if self.watch_replay else "",
            "share": f"{self.data.address.rstrip('/')}/{SHARE_PICTURE}" if self.share_picture() else "",
            "highlights": [one for one in self.cards if one is not self.watch],
            "message": lambda entry: match_message(entry.match, self.data.hide),
            "faults": self._fault_counts(),
            "walkovers": self._walkovers(),
        }

    def _crosstable_page(self) -> dict[str, Any]:
        return {"order": list(self.data.teams), **self._tables(is_apart=True)}

    def _tables(self, is_apart: bool) -> dict[str, Any]:
        """The large tables of the first page, or those that are too large for it."""
        groups = list(dict.fromkeys(self.groups.values())) or [""]
        # The columns of each table of who met whom.
        columns = {name: self._columns(name) for name in groups}
        widest = max(map(len, columns.values()))
        has_matches = self.knockout is None and not self.rounds and self.apart.crosstable is is_apart
        return {
            "rating_scale": scale([end for rating in self.data.ratings for end in (rating.low, rating.high)]),
            "shows_ratings": self.apart.ratings is is_apart,
            "crosstables": [
                (name, own, self._heads(own), self._crosstable(own, name, is_terse=widest > MOST_COUNTED))
                for name, own in columns.items()
            ]
            if has_matches
            else [],
            "is_terse": widest > MOST_COUNTED,
            "challengers": self._challenger_lines() if has_matches else [],
            "round_rows": round_cells(self.rounds, self.places, self.slugs)
            if self.rounds and self.apart.crosstable is is_apart
            else {},
            "maps": self._map_table() if self.knockout is None and self.apart.maps is is_apart else [],
            "fair_maps": self.data.fair_maps() if self.knockout is None and self.apart.maps is is_apart else None,
            "map_heads": self._heads(self.data.teams),
            "map_count": len(self.maps),
        }

    def _heads(self, names: Sequence[str]) -> list[ShownCell]:
        """What stands above the columns of teams: their names, or if there are many their numbers in the standings."""
        if len(names) <= MOST_NAMED:
            return [ShownCell(name, page=self.team_page(name)) for name in names]
        order = {name: number for number, name in enumerate(names if self.groups else self.data.teams, start=1)}
        return [ShownCell(str(order[name]), True, self.team_page(name), label=line(name)) for name in names]

    def _columns(self, group: str) -> list[str]:
        return self.challengers or [name for name in self.data.teams if self.groups.get(name, "") == group]

    def _crosstable(self, columns: Sequence[str], group: str, *, is_terse: bool) -> list[tuple[str, list[ShownCell | None]]]:
        own = [name for name in self.data.teams if self.groups.get(name, "") == group]
        rows = [name for name in own if not self.challengers or name not in columns or len(columns) > 1]
        return [(name, [self._against(name, other, is_terse) for other in columns]) for name in rows]

    def _challenger_lines(self) -> list[dict[str, Any]]:
        """The results of each challenger that has played, against all others together."""
        totals = results_by(lambda match, seat, other: match.teams[seat], self.counting) if self.challengers else {}
        return [
            self._line(name, self.team_page(name), f"team={self.slugs[name]}", totals[name])
            for name in self.challengers
            if name in totals
        ]

    def _map_table(self) -> list[tuple[str, list[ShownCell | None]]]:
        is_terse = len(self.data.teams) > MOST_COUNTED
        return [(name, [self._on_map(team, name, is_terse) for team in self.data.teams]) for name in self.maps]

    def _walkovers(self) -> list[tuple[str, int]]:
        """How many games were not played because a team has left; teams in the order of the standings."""
        games = Counter(
            entry.match.teams[seat - 1]
            for entry in self.listed
            if entry.match.reason == WITHDRAWAL
            for seat in entry.match.forfeits
        )
        return [(name, games[name]) for name in self.data.teams if games[name]]

    def _fault_counts(self) -> list[tuple[str, list[tuple[str, int]]]]:
        """Kinds and numbers of each team's faults, teams in the order of the standings."""
        kinds = {
            name: Counter(entry.match.faults[number].termination.value for entry, number in self.faults.get(name, ()))
            for name in self.data.teams
        }
        return [(name, sorted(counts.items())) for name, counts in kinds.items() if counts]

    def _decisions(self) -> dict[str, Any]:
        """Each decision with the numbers of its games that are on the site."""
        numbers = {first_attempt(entry.match.key): entry.id for entry in self.listed}
        games = {each.number: {numbers.get(first_attempt(key), 0) for key, *_ in each.games} - {0} for each in self.data.decisions}
        for entry in self.listed:
            # It may have been made about an earlier version of the game.
            if number := decision_about(entry.match):
                games.setdefault(number, set()).add(entry.id)
        return {"decided": [(each, sorted(games[each.number])) for each in self.data.decisions], "when": time_in_words}

    # A round's page

    def _round_page(self, number: int) -> str:
        one = self.rounds[number]
        before = self.rounds[number - 1] if number else None
        after = self.rounds[number + 1] if number + 1 < len(self.rounds) else None
        return self._render("round.html", page="round", round=one, before=before, after=after)

    def _against(self, team: str, other: str, is_terse: bool) -> ShownCell | None:
        tally = self.against.get((team, other))
        if team == other or tally is None:
            return None
        where = f"matches.html#team={self.slugs[team]}&versus={self.slugs[other]}"
        text = self.scores[team, other] if self.data.is_scored else half(tally.share) if is_terse else ""
        return tally_cell(tally, where, f"{line(team)} against {line(other)}", text)

    def _on_map(self, team: str, name: str, is_terse: bool) -> ShownCell | None:
        tally = self.on_maps.get((team, name))
        if tally is None:
            return None
        where = f"matches.html#team={self.slugs[team]}&map={quote(line(name))}"
        text = self.map_scores[team, name] if self.data.is_scored else half(tally.share) if is_terse else ""
        return tally_cell(tally, where, f"{line(team)} on {line(name)}", text)

    @cached_property
    def scores(self) -> dict[tuple[str, str], str]:
        """The game's own scores of each team against each other, summed."""
        return {pair: half(meeting.points(OWN_SCORES)) for pair, meeting in meetings(self.counting).items()}

    @cached_property
    def map_scores(self) -> dict[tuple[str, str], str]:
        """The game's own scores of each team on each map, summed."""
        totals = tally_by(lambda match, seat: (match.teams[seat - 1], match.map), self.counting, OWN_SCORES)
        return {key: half(score.points) for key, score in totals.items()}

    # A team's page

    def _team(self, name: str) -> dict[str, Any]:
        standing = next((row for row in self.data.standings.rows if name in [str(cell) for cell in row]), ())
        own = self.slugs[name]
        own_games = without_tie_breaks([entry.match for entry in self.entries.get(name, ())])
        seats = results_by(lambda match, seat, other: (match.teams[seat], seat + 1), own_games)
        return {
            "name": name,
            "place": self.places.get(name, ""),
            "figures": [
                (header, standings_cell(cell).text)
                for cell, header in zip(standing, self.data.standings.headers)
                if header not in ("team", "algorithm", "place") and cell not in ("", 0)
            ],
            "result": ended_in(self.knockout, name, self.places) if self.knockout else "",
            "rating": next((rating for rating in self.data.ratings if rating.team == name), None),
            "hardest": self.data.rated().hardest.get(name),
            "form": [self._form(name, entry) for entry in self.entries.get(name, ())[-FORM:]],
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

    def _form(self, name: str, entry: Listed) -> dict[str, Any]:
        """A game as a team sees it."""
        match = entry.match
        word = "no result" if not match.counts else "tied" if not match.winner else "won" if match.winner_name == name else "lost"
        others = [other for seat, other in enumerate(match.teams) if seat != match.teams.index(name)]
        return {"id": entry.id, "word": word, "others": others, "map": match.map, "stage": match.stage}

    @staticmethod
    def _line(name: str, page: str, games: str, tally: Meeting) -> dict[str, Any]:
        """One line of a table of results; ``games`` selects these games in the list of all."""
        low, high = share_interval(tally.wins, tally.ties, tally.losses)
        where = f"matches.html#{games}"
        return {"name": name, "page": page, "games": where, "tally": tally, "share": share(tally), "low": low, "high": high}

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
