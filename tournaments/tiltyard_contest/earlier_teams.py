"""The teams of an entry that has ``from``: who placed best in an earlier stage, or in another tournament."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

from tiltyard_contest.carried_points import as_bye, check_earlier, points_of
from tiltyard_contest.placed_teams import PlacedTeams, placed_teams
from tiltyard_engine.errors import NotFoundError, UserError, some_of
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.registry.plugin_list import PluginList
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings.scoring import number
from tiltyard_tournaments.store.team_notes import NotedTeams, PreviousTeams, digest_now
from tiltyard_tournaments.tournament_file.contest import STAGES
from tiltyard_tournaments.tournament_file.document import read_document
from tiltyard_tournaments.tournament_file.lookup import Lookup, output_folder
from tiltyard_tournaments.tournament_file.model import OF_PLACES, TeamEntry
from tiltyard_tournaments.tournament_file.problems import TournamentFileError


def entry_with_words(value: dict[str, Any]) -> dict[str, Any]:
    """An entry with ``from``, with words by which a run notes who its teams were. What they bring changes nobody's place.

    Raises:
        ValueError: it is not such an entry.
    """
    if "from" not in value:
        extra = next(key for key in OF_PLACES if key in value)
        raise ValueError(f"'{extra}' needs 'from', the earlier stage or the file of the other tournament")
    if "team" in value:
        raise ValueError("expected 'team' or 'from', got both")
    top, after = value.get("top"), value.get("after", 0)
    if isinstance(top, int) and isinstance(after, int) and top <= after:
        raise ValueError(f"expected 'top' above 'after', got {top} and {after}: no team would advance")
    order = ("" if value.get("of", "all") == "all" else ", of each group") + ("" if value.get("seeded", True) else ", not seeded")
    return {**value, "team": f"from {value['from']}: all after {after} to {'the last' if top is None else top}{order}"}


def open_earlier(lookup: Lookup, source: str) -> Tournament:
    """The tournament of an earlier stage's name or another file, as it was run.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    earlier = lookup.earlier
    assert earlier is not None
    load = partial(earlier.load, as_run=True, is_preview=earlier.is_preview)
    if source in lookup.document.earlier_stages:
        return cast("Tournament", load(earlier.whole, earlier.files, stage=source).tournament)
    names = [stage["name"] for stage in earlier.whole.data.get(STAGES) or ()]
    if source in names:
        before = ", ".join(lookup.document.earlier_stages) or "none"
        which = "is this stage" if names.index(source) == len(lookup.document.earlier_stages) else "comes later in the file"
        raise UserError(f"'{source}' {which}; teams come from a stage before it (here: {before}), or from another file")
    other = lookup.path.parent / source
    if other.resolve() in [each.resolve() for each in earlier.files]:
        raise UserError(f"{other}: its teams come from here, so they can't come from there too")
    if not other.is_file() and lookup.document.earlier_stages and not other.suffix:
        raise NotFoundError("earlier stage", source, lookup.document.earlier_stages)
    document = read_document(other)
    if document.data.get(STAGES):
        raise UserError(f"{source} has stages, and 'from' takes only files without; make this a stage of {source}")
    return cast("Tournament", load(document, (*earlier.files, other)).tournament)


def as_one_problem(error: UserError) -> str:
    """What is wrong with an earlier tournament, in one line and without the number of its problems."""
    return "; ".join(str(error).splitlines()[:-1]) if isinstance(error, TournamentFileError) else str(error)


def teams_of_earlier(lookup: Lookup, entry: TeamEntry, source: str, others: Mapping[Reference, str]) -> PluginList:
    """The teams of an entry with ``from``; the points that they bring come into ``lookup``.

    Who was there when this tournament was run first stays, whatever has become of the earlier one since: that is only said.

    Args:
        lookup: the file.
        entry: which teams.
        source: where they come from: an earlier stage, or another file.
        others: the teams of entries before, with their names.

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
    if noted is not None and any(team.reference.source.origin is Origin.GIVEN for team in noted.teams):
        # Objects of a program are other ones in the next program.
        noted = None
    now: PlacedTeams | None = None
    try:
        earlier = open_earlier(lookup, source)
        lookup.earlier_names |= {*earlier.names, *(each.team.label for each in earlier.disqualified)}
        _check_groups(entry, source, earlier)
        if entry.carry != "none":
            check_earlier(earlier, source, lookup.keys.scoring.by)
        if earlier.publication.address and source not in lookup.document.earlier_stages:
            lookup.earlier_links[earlier.title] = earlier.publication.address
        lookup.earlier_limits |= earlier.isolation_policy.limits.for_teams
        try:
            now = placed_teams(earlier, entry.after, entry.top, of_each_group=entry.of == "each group")
        except UserError as error:
            if noted is None and not lookup.earlier.is_preview:
                raise
            lookup.previous.notes.append(
                f"{error}; {'the teams stay as they were' if noted else 'its first teams are placeholders for them'}"
            )
            now = None if noted else PlacedTeams(_stand_ins(lookup, earlier, entry))
    except UserError as error:
        if noted is None:
            raise UserError(as_one_problem(error)) from error
        lookup.previous.notes.append(f"{as_one_problem(error)}; the teams stay as they were")
        # Nobody knows any more who was in it and did not go on.
        keys = lookup.keys
        lookup.earlier_names |= {*keys.disqualify, *keys.withdraw, *keys.order}
    if now is not None and not entry.seeded:
        now = replace(now, teams=tuple(sorted(now.teams, key=earlier.teams.index)))
    there = [team.reference for team in noted.teams] if noted else list(now.teams if now else ())
    # The same program under two names, which it had in two tournaments, is two teams.
    twins = {team: replace(team, twin=team.label) for team in there if others.get(team, team.label) != team.label}
    if entry.carry != "none":
        points, changes = _points(entry.carry, noted, now)
        lookup.previous.notes += [f"{change} from {source} since this began" for change in changes]
        own_points = {twins.get(team, team): points[team.label] for team in there if team.label in points}
        lookup.carried |= {team: as_bye(team.label, each, source) for team, each in own_points.items()}
    if noted is None:
        assert now is not None
        lookup.notes += now.notes
        return PluginList([twins.get(team, team) for team in there], [], [], {})
    if now is not None and [team.label for team in now.teams] != [team.label for team in there]:
        lookup.previous.notes.append(_who_would_advance(source, now.teams, there))
    own.look_at_files(entry.team, lookup.path.parent / entry.team)
    teams = [twins.get(team, team) for team in there if as_run or digest_now(team.source) is not None]
    labels = {twins.get(team.reference, team.reference): team.label for team in noted.teams if team.label}
    return PluginList(teams, [], list(noted.refused), labels)


def _points(carry: str, noted: NotedTeams | None, now: PlacedTeams | None) -> tuple[dict[str, Fraction], list[str]]:
    """What each team brings: as it is now, else what it brought at the last run; and what has changed since that."""
    before = {name: Fraction(text) for name, text in noted.carried.items()} if noted else {}
    if now is None or now.earlier is None:
        return before, []
    names = [team.reference.label for team in noted.teams] if noted else [team.label for team in now.teams]
    points = before | points_of(carry, *now.earlier, names)
    changed = [name for name in names if name in before and points[name] != before[name]]
    return points, [f"{name} brings {number(points[name])} points, not {number(before[name])}," for name in changed]


def _check_groups(entry: TeamEntry, source: str, earlier: Tournament) -> None:
    if entry.of != "all" and not earlier.format.groups:
        raise UserError(f"{source} has no groups ({earlier.format_name}); leave out 'of: {entry.of}'")


def _stand_ins(lookup: Lookup, earlier: Tournament, entry: TeamEntry) -> tuple[Reference, ...]:
    """As many teams as will go on, while nobody knows which."""
    if entry.of == "all":
        if entry.top is not None and entry.top > len(earlier.teams):
            lookup.notes.append(f"{earlier.title} has only {counted(len(earlier.teams), 'team')}, so {entry.top} can't advance")
        elif entry.top is not None and earlier.format.groups:
            best = f"of all groups of {earlier.title} together, {entry.top - entry.after} advance"
            lookup.notes.append(f"{best}; to take the best of each group, write 'of: each group'")
        return earlier.teams[entry.after : entry.top]
    for name, teams in earlier.format.groups:
        if entry.top is not None and entry.top > len(teams):
            only = counted(len(teams), "team")
            lookup.notes.append(f"group {name} of {earlier.title} has only {only} that can advance, not {entry.top}")
    return earlier.teams[: sum(len(teams[entry.after : entry.top]) for _, teams in earlier.format.groups)]


def _who_would_advance(source: str, now: Sequence[Reference], there: Sequence[Reference]) -> str:
    """What is different if the teams of an earlier stage advanced now."""
    new, out_now = ([team for team in these if team not in others] for these, others in ((now, there), (there, now)))
    if new and out_now:
        change = f"by the standings of {source}, {_names(new)} would advance now instead of {_names(out_now)}"
    elif new or out_now:
        change = f"by the standings of {source}, {_names(new or out_now)} would {'' if new else 'not '}advance now"
    else:
        change = f"by the standings of {source}, the same teams would advance now, but in a different order"
    return f"{change}; the teams that began stay (--redraw starts with the new ones)"


def _names(teams: Iterable[Reference]) -> str:
    return some_of([team.label for team in teams])
