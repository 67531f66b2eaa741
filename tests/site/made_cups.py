"""Tournaments of every format with results that nobody played, for the pages that show them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tests.tournaments.made_matches import scored

from tiltyard_contest.formats.double_elimination import DoubleElimination, DoubleEliminationOptions
from tiltyard_contest.formats.groups import DrawnGroups, GroupsOptions
from tiltyard_contest.formats.knockout import Knockout, KnockoutOptions
from tiltyard_engine.formats import Field, Fixture, FixtureResult, TournamentFormat
from tiltyard_engine.lifecycle import Pairing
from tiltyard_engine.match_record import Outcome, bye
from tiltyard_site.pages.front import team_places
from tiltyard_site.pages.match_scripts import Listed
from tiltyard_site.pages.site_data import rated_teams
from tiltyard_site.pages.stages import BracketDrawing, draw_brackets, ended_in
from tiltyard_site.publication import SiteData, publish
from tiltyard_tournaments.formats.gauntlet import Gauntlet, GauntletOptions
from tiltyard_tournaments.formats.round_robin import RoundRobin, RoundRobinOptions
from tiltyard_tournaments.formats.swiss import Swiss, SwissOptions
from tiltyard_tournaments.formats.until_settled import UntilSettled, UntilSettledOptions
from tiltyard_tournaments.standings import Rules, Scoring, rank, standings_table
from tiltyard_tournaments.standings.scoring import points

NAMES = (
    *("Aurora", "Bishop's Gambit", "Cold Iron", "Dragoon", "Ember", "Flying Circus", "Gargantua", "Hedgehogs", "Icarus", "Jade"),
    *("Kestrel", "Lighthouse", "Maelstrom", "Nightjar", "Obelisk", "Pathfinder", "Quicksilver", "Rampart", "Silverback", "Thunder"),
)
SWISS_RULES = Rules(tie_breaks=("buchholz",))


@dataclass
class MadeCup:
    """A tournament that is played by lots, in which teams that are earlier in the field win more often."""

    name: str
    form: TournamentFormat
    field: Field
    rules: Rules = SWISS_RULES
    most: int = 10**9
    """Games that are played; the rest is still to come."""
    tie_share: float = 0.1

    def data(self, title: str = "Made cup") -> SiteData:
        """What the site shows of it."""
        results: list[FixtureResult] = []
        matches: list[Outcome] = []
        missing: Sequence[Fixture] = ()
        while batch := self.form.next_batch(results):
            played = batch[: self.most - len(matches)]
            for each in played:
                match = self._outcome(each, len(matches))
                matches.append(match)
                given = tuple(float(one) for one in points(match, self.rules.scoring))
                results.append(FixtureResult(fixture=each, winner=match.winner, ranks=match.ranks, points=given))
            if len(played) < len(batch):
                missing = batch[len(played) :]
                break
        teams = self.field.teams
        byes = self.form.byes(results)
        counted = matches + [bye(teams[each.team], len(matches), each.stage) for each in byes for _ in range(each.games)]
        lines = list(rank(teams, counted, self.rules))
        if self.form.groups:
            members = {name: [teams[team] for team in group] for name, group in self.form.groups}
            lines = [
                replace(line, group=name)
                for name, own in members.items()
                for line in rank(own, [match for match in counted if match.teams[0] in own], self.rules)
            ]
        groups = self.form.placings(results)
        if groups is not None:
            by_team, lines = {line.team: line for line in lines}, []
            for group in groups:
                place = len(lines) + 1
                lines += [replace(by_team[name], place=place) for name in sorted(teams[team] for team in group)]
        to_play: dict[tuple[str, frozenset[int]], list[Fixture]] = {}
        for each in missing:
            to_play.setdefault((each.stage, frozenset(each.seats)), []).append(each)
        return SiteData(
            title=title,
            teams=[line.team for line in lines],
            matches=matches,
            standings=standings_table(lines, self.rules),
            rated=cache(lambda: rated_teams(matches)),
            game="tanks",
            planned=len(matches) + len(missing),
            format=self.name,
            challengers=[teams[team] for team in self.form.challengers],
            findings=self.form.notes(results),
            pairings=[
                *[Pairing(each.stage, (teams[each.team],), each.games) for each in byes],
                *[Pairing(stage, self._teams(games[0]), len(games)) for (stage, _), games in to_play.items()],
            ],
            is_scored=self.rules.scoring.by == "score",
            brackets=[each.with_names(teams) for each in self.form.brackets(results)],
            period=lambda: ("2026-11-26T09:12:00.000+00:00", "2026-11-26T13:35:12.345+00:00"),
            notes=("Every team played in its own process.",),
        )

    def _teams(self, fixture: Fixture) -> tuple[str, ...]:
        return tuple(self.field.teams[team] for team in fixture.seats)

    def _outcome(self, fixture: Fixture, place: int) -> Outcome:
        lots = random.Random(f"{fixture.seats} {fixture.map} {fixture.game}")
        one, other = fixture.seats
        chance = 1 / (1 + 10 ** ((one - other) / len(self.field.teams) * 1.6))
        winner = 0 if lots.random() < self.tie_share else 1 if lots.random() < chance else 2
        ranks = (1, 1) if not winner else (1, 2) if winner == 1 else (2, 1)
        outcome = Outcome(
            teams=self._teams(fixture),
            map=self.field.maps[fixture.map],
            winner=winner,
            ranks=ranks,
            place=place,
            game=fixture.game,
            stage=fixture.stage,
            key=f"key{place}",
            rounds=40 + lots.randrange(60),
            reason="last team",
            message="The other side has no tanks left",
        )
        return scored(outcome, float(3 + lots.randrange(20)), float(lots.randrange(20) + 0.5)) if self._is_scored else outcome

    @property
    def _is_scored(self) -> bool:
        return self.rules.scoring.by == "score"


def field_of(teams: int, maps: int = 2) -> Field:
    """The first so many of NAMES; beyond them, names with numbers."""
    names = [f"{NAMES[number % len(NAMES)]} {number // len(NAMES) + 1}".removesuffix(" 1") for number in range(teams)]
    return Field(teams=tuple(names), maps=tuple(f"map {number}" for number in range(1, maps + 1)))


def made_cup(name: str, teams: int, maps: int = 2, most: int = 10**9, rounds: int = 0) -> MadeCup:
    """A tournament of a format by its name; ``scored``: a round robin in which points are the game's own scores."""
    field = field_of(teams, maps)
    if name == "knockout":
        return MadeCup(name, Knockout(field, KnockoutOptions()), field, Rules(), most)
    if name == "double-elimination":
        return MadeCup(name, DoubleElimination(field, DoubleEliminationOptions()), field, Rules(), most)
    if name == "groups":
        return MadeCup(name, DrawnGroups(field, GroupsOptions(3)), field, Rules(), most)
    if name == "swiss":
        return MadeCup(name, Swiss(field, SwissOptions(rounds=rounds)), field, most=most)
    if name == "gauntlet":
        return MadeCup(name, Gauntlet(field, GauntletOptions()), field, Rules(), most)
    if name == "until-settled":
        return MadeCup(name, UntilSettled(field, UntilSettledOptions(budget=2000)), field, Rules(), most)
    rules = Rules(Scoring(by="score")) if name == "scored" else Rules()
    return MadeCup("round-robin", RoundRobin(field, RoundRobinOptions()), field, rules, most)


def listed_of(data: SiteData) -> list[Listed]:
    return [Listed(match.place + 1, match) for match in data.matches]


def page_of(data: SiteData, folder: Path, name: str = "index.html") -> str:
    publish(data, folder)
    return (folder / name).read_text(encoding="utf-8")


def drawing_of(data: SiteData) -> BracketDrawing:
    drawing = draw_brackets(data.brackets, listed_of(data), data.pairings, team_places(data))
    assert drawing is not None
    return drawing


def ended(data: SiteData, team: str) -> str:
    return ended_in(drawing_of(data), team, team_places(data))
