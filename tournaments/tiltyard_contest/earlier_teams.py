"""The teams of an entry that has ``from``: who placed best in an earlier stage, or in another tournament."""

from __future__ import annotations

from collections.abc import Iterable

from tiltyard_contest.placed_teams import PlacedTeams, placed_teams
from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.registry import Reference
from tiltyard_simulator.registry.plugin_list import PluginList
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store.team_notes import MOST_NAMES, PreviousTeams, digest_now
from tiltyard_tournaments.tournament_file.lookup import Lookup, output_folder
from tiltyard_tournaments.tournament_file.model import TeamEntry


def teams_of_earlier(lookup: Lookup, entry: TeamEntry, source: str) -> PluginList:
    """The teams of an entry with ``from``.

    Who was there when this tournament was run first stays, whatever has become of the earlier one since: that is only said.

    Raises:
        UserError: the earlier tournament cannot be opened or is not over, and this one was not begun either.
    """
    if lookup.earlier is None:
        raise UserError("only 'tiltyard' commands with a tournament's file take teams from another tournament")
    as_run = bool(lookup.previous.entries)
    own = lookup.previous if as_run else PreviousTeams()
    if not as_run and not lookup.earlier.is_redraw:
        own = PreviousTeams.of_store(output_folder(lookup.path, lookup.keys.output), lookup.path)
    noted = own.of_entry(entry.team, lookup.keys.game)
    now: PlacedTeams | None = None
    try:
        earlier = lookup.earlier.open(source)
        _check_groups(entry, source, earlier)
        if earlier.publication.address and source not in lookup.document.earlier_stages:
            lookup.earlier_links[earlier.title] = earlier.publication.address
        lookup.earlier_limits |= earlier.isolation_policy.limits.for_teams
        try:
            now = placed_teams(earlier, entry.after, entry.top, of_each_group=entry.of == "each group")
        except UserError as error:
            if noted is None and not lookup.earlier.is_preview:
                raise
            lookup.previous.notes.append(f"{error}; {'who was there stays' if noted else 'its first teams stand in for them'}")
            now = None if noted else PlacedTeams(_stand_ins(earlier, entry))
    except UserError as error:
        if noted is None:
            raise
        lookup.previous.notes.append(f"{error}; who was there stays")
    if now is not None and not entry.seeded:
        now = PlacedTeams(tuple(sorted(now.teams, key=earlier.teams.index)), now.notes)
    if noted is None:
        assert now is not None
        lookup.notes += now.notes
        return PluginList(list(now.teams), [], [], {})
    there = [team.reference for team in noted.teams]
    if now is not None and [team.label for team in now.teams] != [team.label for team in there]:
        names, others = _names(now.teams), _names(there)
        change = f"{source} now gives {names}; {others} were there when this began, and stay (--redraw takes the new ones)"
        lookup.previous.notes.append(change)
    own.look_at_files(entry.team, lookup.path.parent / entry.team)
    teams = there if as_run else [team for team in there if digest_now(team.source) is not None]
    return PluginList(teams, [], list(noted.refused), {team.reference: team.label for team in noted.teams if team.label})


def _check_groups(entry: TeamEntry, source: str, earlier: Tournament) -> None:
    if entry.of != "all" and not earlier.format.groups:
        raise UserError(f"{source} has no groups ({earlier.format_name}); leave out 'of: {entry.of}'")


def _stand_ins(earlier: Tournament, entry: TeamEntry) -> tuple[Reference, ...]:
    """As many teams as will go on, while nobody knows which."""
    if entry.of == "all":
        return earlier.teams[entry.after : entry.top]
    return earlier.teams[: sum(len(teams[entry.after : entry.top]) for _, teams in earlier.format.groups)]


def _names(teams: Iterable[Reference]) -> str:
    return some_of([team.label for team in teams], MOST_NAMES)
