"""The teams of a tournament file: which are meant, what they are called, which are disqualified, and their own limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.records import LEAST_PLAYERS, Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import PairingEnding
from tiltyard_engine.texts.names import is_same
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.registry.plugin_list import INSTALLED, PluginList
from tiltyard_simulator.teams.team_labels import with_unique_labels
from tiltyard_tournaments.running.tournament import Disqualification, TeamAbsence
from tiltyard_tournaments.store.team_notes import (
    INSTALLED_TEAMS,
    NotedTeam,
    NotedTeams,
    PreviousTeams,
    digest_now,
    installed_teams,
    note_of,
)
from tiltyard_tournaments.tournament_file.contest import contest
from tiltyard_tournaments.tournament_file.lookup import Lookup, output_folder

if TYPE_CHECKING:
    from tiltyard_tournaments.tournament_file.model import TeamEntry

T = TypeVar("T")


class TeamEntries:
    """What stands under ``teams``, looked up.

    Args:
        lookup: the file.
    """

    def __init__(self, lookup: Lookup) -> None:
        self.not_admitted: list[tuple[str, str]] = []
        """What was handed in as a team and cannot be used, and why."""
        self._lookup = lookup
        self._people: dict[Reference, str] = {}
        """Whose teams some are, as an intake has found out."""
        self._labels: dict[Reference, str] = {}
        """What each team is called in tables."""
        self._lists: dict[str, PluginList] = {}
        """What was looked for, by the words of its entry."""
        self._teams: dict[int, list[Reference]] = {}
        """The teams by their entry's place; those of entries that cannot be used are missing."""
        self._earlier_names: list[str] = []
        """Of the teams of earlier runs, where the file takes some out of play."""
        self._without_files: set[Reference] = set()
        """Teams whose files are gone, and that don't play any more."""

    def resolve(self, game: Game[Any] | None) -> list[Reference]:
        """All teams, by the labels that tables show."""
        name = None if game is None else game.name
        places: dict[Reference, int] = {}
        for place, entry in enumerate(self._lookup.keys.teams):
            where = ("teams", place)
            if self._lookup.is_broken(*where):
                continue
            try:
                if entry.team in self._lookup.finder.objects:
                    # An object is of a game that has to be known.
                    self._teams |= {place: self._object_team(entry.team, name)} if name is not None else {}
                elif entry.source is not None:
                    self._teams[place] = self._take(self._from_earlier(entry, entry.source))
                elif self._lookup.may_look_up(entry.team.removeprefix("all ")):
                    self._teams[place] = self._team(entry, name)
            except UserError as error:
                self._lookup.problem(where, str(error))
        names_of: dict[Reference, set[str | None]] = {}
        for place, references in self._teams.items():
            name_in_file = self._lookup.keys.teams[place].name
            if len(references) == 1:
                names_of_program = names_of.setdefault(references[0], set())
                if names_of_program and name_in_file not in names_of_program:
                    # The same code under another name, such as with other limits.
                    references = [replace(references[0], twin=name_in_file or references[0].name)]
                    self._teams[place] = references
                names_of_program.add(name_in_file)
            for team in references:
                places.setdefault(team, place)
        own_names = self._names_in_file()
        teams, notes = with_unique_labels([replace(team, shown=own_names.get(team, team.shown)) for team in places], self._people)
        self._lookup.notes += notes
        self._labels = dict(zip(places, (team.label for team in teams), strict=True))
        names: dict[str, int] = {}
        for team, place in zip(teams, places.values(), strict=True):
            # Where the game isn't known, they may play different ones.
            if team.label in names and game is not None:
                self._lookup.problem(
                    ("teams", place), f"two teams are called '{team.label}'; rename one with 'name: ...' next to 'team: ...'"
                )
            names.setdefault(team.label, place)
        least = self.least_teams(game)
        if len(places) < least and len(self._teams) == len(self._lookup.keys.teams) and not self._lookup.has_problem_in("teams"):
            why = f"; left out: {'; '.join(self._lookup.left_out)}" if self._lookup.left_out else ""
            if teams and len(places) < sum(map(len, self._teams.values())):
                why = f": {teams[0].label} is named more than once, and it can't play itself{why}"
            each = ", one for each player of a match" if least > LEAST_PLAYERS else ""
            self._lookup.problem(("teams",), f"expected at least {least} usable teams{each}, found {len(places)}{why}")
        return teams

    def team_notes(self) -> dict[str, NotedTeams]:
        """What words of the file stand for, for a run to note; nothing where teams were taken from such a note, or were given."""
        if not self._lists or len(self._lists) < len({entry.team for entry in self._lookup.keys.teams}):
            return {}
        registry, folder = self._lookup.finder.registry, self._lookup.path.parent
        own = {team.label: "/".join(map(str, each.scores)) for team, each in self._lookup.carried.items()}
        notes = {words: note_of(plugins, registry, self._path(words), folder, own) for words, plugins in self._lists.items()}
        return notes | {INSTALLED_TEAMS: installed_teams(registry, str(folder.resolve()))}

    def _path(self, words: str) -> Path:
        return Path(self._lookup.in_folder(words.removeprefix("all ")))

    def least_teams(self, game: Game[Any] | None) -> int:
        """How many teams there must be: no team plays itself, so as many as a match has players."""
        players = self._lookup.keys.players
        return max(LEAST_PLAYERS, players) if game is not None and players in game.seats else LEAST_PLAYERS

    def disqualified(self, teams: Sequence[Reference]) -> tuple[Disqualification, ...]:
        """Those that the file disqualifies."""
        entries = self._by_name("disqualify", self._lookup.keys.disqualify, teams)
        return tuple(Disqualification(team, entry.reason, entry.results) for team, entry in entries.items())

    def absences(self, teams: Sequence[Reference], draws: str | None) -> tuple[TeamAbsence, ...]:
        """Who leaves, comes late, or sits out a round of a format that ``draws`` rounds or other things; None: not known."""
        keys = self._lookup.keys
        for key, entries in (("late", keys.late), ("half-point-byes", keys.half_point_byes)):
            if entries and draws not in (None, "rounds"):
                self._lookup.problem((key,), f"only teams of a swiss can have this, but the format is {keys.format.name}")
        absences: list[TeamAbsence] = []
        for team, late in self._by_name("late", keys.late, teams).items():
            absences.append(TeamAbsence(team, 1, late.first - 1, PairingEnding.LATE, late.points))
        for team, first in self._by_name("withdraw", keys.withdraw, teams).items():
            absences.append(TeamAbsence(team, 0 if team in self._without_files else first))
        for team, rounds in self._by_name("half-point-byes", keys.half_point_byes, teams).items():
            absences += [TeamAbsence(team, number, number, PairingEnding.HALF_POINT_BYE) for number in rounds]
        return tuple(absences)

    def order(self, teams: Sequence[Reference]) -> tuple[str, ...]:
        """The organiser's order of teams that are tied, by the names that tables show."""
        return tuple(team.label for team in self._by_name("order", dict.fromkeys(self._lookup.keys.order), teams))

    def _by_name(self, key: str, entries: Mapping[str, T], teams: Sequence[Reference]) -> dict[Reference, T]:
        """What the file says of teams, which it names as tables do, or by a registered name that only one has."""
        if len(self._teams) < len(self._lookup.keys.teams):
            # A team that was not found is told of already.
            return {}
        by_team: dict[Reference, T] = {}
        for name, entry in entries.items():
            where = (key, name)
            alike = [team for team in teams if is_same(team.label, name)] or [team for team in teams if is_same(team.name, name)]
            if not alike and any(is_same(each, name) for each in (*self._lookup.earlier_names, *self._lookup.document.whole_names)):
                # It did not go on, or nobody knows yet: what the file says of it is for the stages in which it is.
                continue
            if len(alike) != 1:
                candidates = dict.fromkeys([team.label for team in alike or teams] + ([] if alike else self._earlier_names))
                error = NotFoundError("team", name, candidates)
                self._lookup.problem(where, str(error))
            elif alike[0] in by_team:
                self._lookup.problem(where, f"the team '{alike[0].label}' is listed twice")
            else:
                by_team[alike[0]] = entry
        return by_team

    def limits(self, isolation_policy: IsolationPolicy) -> LimitChanges:
        """The limits of all teams, and those of single ones."""
        labels = set(self._labels.values())
        by_team = {team: dict(limits) for team, limits in self._lookup.earlier_limits.items() if team in labels}
        for place, entry in enumerate(self._lookup.keys.teams):
            sound = self._lookup.sound_limits(entry.limits, ("teams", place, "limits"))
            if sound and (team := self._only_team(place, "limits", "limits can only be set for one")):
                by_team[self._labels[team]] = sound
        return replace(isolation_policy.limits, for_teams=by_team)

    def _names_in_file(self) -> dict[Reference, str]:
        """What the file wants teams to be called."""
        names: dict[Reference, str] = {}
        for place, entry in enumerate(self._lookup.keys.teams):
            if entry.name is not None and (team := self._only_team(place, "name", "a name can only be given to one")):
                names[team] = entry.name
        return names

    def _only_team(self, place: int, key: str, rule: str) -> Reference | None:
        """The team of an entry; a problem of its ``key`` if it stands for several."""
        teams = self._teams.get(place, [])
        if len(teams) > 1:
            self._lookup.problem(
                ("teams", place, key), f"'{self._lookup.keys.teams[place].team}' stands for {len(teams)} teams; {rule}"
            )
        return teams[0] if len(teams) == 1 else None

    def _object_team(self, word: str, game: str) -> list[Reference]:
        """The team that an object is, which must not be isolated. A run doesn't note it: the next program has other objects."""
        team = self._lookup.finder.plugin(word, ALGORITHM, game)
        self._lookup.policy.of(team)
        return [team]

    def _team(self, entry: TeamEntry, game: str | None) -> list[Reference]:
        noted = self._lookup.previous.of_entry(entry.team, game)
        if noted is not None:
            self._lookup.previous.look_at_files(entry.team, self._path(entry.team))
            several = PluginList(
                [team.reference for team in noted.teams],
                list(noted.left_out),
                list(noted.refused),
                {team.reference: team.label for team in noted.teams if team.label},
            )
            return self._take(several)
        text = entry.team.removeprefix("all ")
        path = self._lookup.in_folder(text)
        several = self._lookup.finder.teams(text if text == INSTALLED else path, game)
        self._note_namesake(text, several.references)
        self._add_gone(entry, game, several)
        empty = several.if_empty(path, ALGORITHM if game is None else f"{ALGORITHM} for {game}")
        several.left_out = several.left_out or empty
        self._lists[entry.team] = several
        return self._take(several)

    def _note_namesake(self, word: str, teams: Sequence[Reference]) -> None:
        """Say that a bare word stands for an installed team, where other code of that name lies beside the file."""
        beside = (self._lookup.path.parent / word).resolve()
        of_team = [Path(entry.file) for entry in self._lookup.finder.registry.entries if entry.reference in teams]
        is_installed = [team.source.origin for team in teams] == [Origin.INSTALLED]
        if is_installed and "/" not in word and beside.exists() and not any(file.is_relative_to(beside) for file in of_team):
            self._lookup.notes.append(f"'{word}' is the installed team; for what lies beside this file, write ./{word}")

    def _add_gone(self, entry: TeamEntry, game: str | None, several: PluginList) -> None:
        """Teams that the file takes out of play, and whose files are gone since they played: they count as they were then."""
        keys, path = self._lookup.keys, self._lookup.path
        if not (names := [*keys.withdraw, *keys.disqualify]):
            return
        previous = PreviousTeams.of_store(output_folder(path, keys.output), path)
        if (last_run := previous.of_entry(entry.team, game)) is None:
            return
        order = [team.reference for team in last_run.teams]
        teams_without_files: list[NotedTeam] = []
        for place, team in enumerate((*last_run.teams, *last_run.former)):
            self._earlier_names.append(team.name)
            if any(is_same(team.name, name) for name in names) and digest_now(team.reference.source) is None:
                after = (several.references.index(each) for each in order[place + 1 :] if each in several.references)
                several.references.insert(next(after, len(several.references)), team.reference)
                several.labels |= {team.reference: team.label} if team.label else {}
                teams_without_files.append(team)
        previous.entries[entry.team] = msgspec.structs.replace(last_run, teams=tuple(teams_without_files), names=())
        previous.look_at_files(entry.team, self._path(entry.team))
        self._lookup.notes += previous.notes
        self._without_files |= {team.reference for team in teams_without_files}

    def _from_earlier(self, entry: TeamEntry, source: str) -> PluginList:
        others = {team: team.label for teams in self._teams.values() for team in teams}
        several = contest().teams_of_earlier(self._lookup, entry, source, others)
        if not self._lookup.previous.entries:
            self._lists[entry.team] = several
        return several

    def _take(self, plugins: PluginList) -> list[Reference]:
        self._lookup.left_out += plugins.left_out
        self.not_admitted += plugins.refused
        self._people |= plugins.labels
        return plugins.references
