"""Stages: a file with ``stages`` stands for several tournaments, each with the file's keys and its own.

A stage is a tournament like any other, with a folder of its own below the file's. What makes it a stage is only that its teams
may come from the standings of an earlier one. They may as well come from the file of any other tournament.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import NotFoundError, UserError, some_of
from tiltyard_engine.registry import Reference
from tiltyard_simulator.registry.plugin_list import PluginList
from tiltyard_tournaments.running.placed_teams import PlacedTeams, placed_teams
from tiltyard_tournaments.store.team_notes import MOST_NAMES, PreviousTeams, digest_now
from tiltyard_tournaments.tournament_file.document import Document, KeyPath, dotted, read_document
from tiltyard_tournaments.tournament_file.lookup import Lookup, output_folder
from tiltyard_tournaments.tournament_file.model import StageEntry, TeamEntry, TournamentKeys
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError
from tiltyard_tournaments.tournament_file.validation import check

STAGES: Final = "stages"
OF_THE_FILE: Final = ("output", STAGES)
"""Keys that no stage has."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a file."""

    name: str
    folder: Path
    """Of its results."""


def stages_of(path: Path) -> list[Stage]:
    """The stages of a file; empty if it has none.

    Raises:
        UserError: the file cannot be read, or its stages have problems.
    """
    document = read_document(path)
    folder = output_folder(path, document.data.get("output"))
    return [Stage(name, folder / name) for name in _stage_names(document)]


def stage_document(document: Document, path: Path, stage: str = "") -> Document:
    """The document of one stage of a file, or of a file without stages.

    Args:
        document: what stands in the file.
        path: the file.
        stage: the name; empty for a file without stages.

    Raises:
        UserError: there is no such stage, or none was named.
        TournamentFileError: the stages have problems.
    """
    names = _stage_names(document)
    if stage and stage not in names:
        if not names:
            raise UserError(f"{document.name}: has no stages; leave out --stage")
        raise NotFoundError("stage", stage, names)
    if not stage:
        if names:
            raise UserError(f"{document.name}: has the stages {', '.join(names)}; say which one with --stage NAME")
        return document
    place = names.index(stage)
    own = {key: value for key, value in document.data[STAGES][place].items() if key != "name"}
    whole = {key: value for key, value in document.data.items() if key != STAGES}
    title = document.data.get("title", TournamentKeys.model_fields["title"].default)
    folder = document.data.get("output") or path.with_suffix("").name
    data = {**whole, "title": f"{title}: {stage}", **own, "output": str(Path(folder, stage))}
    lines: dict[KeyPath, int] = {key: line for key, line in document.lines.items() if key[0] not in own and key[0] != STAGES}
    for key, line in document.lines.items():
        if key[:2] == (STAGES, place) and len(key) > 2:
            lines[key[2:]] = line
    return Document(document.name, data, lines, document.problems, tuple(names[:place]))


def _stage_names(document: Document) -> list[str]:
    """The names of the stages in a document, in its order."""
    value = document.data.get(STAGES)
    if value is None:
        return []
    entries, problems = check(list[StageEntry], value, document, (STAGES,))
    names: list[str] = []
    for place, entry in enumerate(entries or ()):
        where: KeyPath = (STAGES, place)
        if entry.name in names:
            problems.append(_problem(document, (*where, "name"), f"two stages are called '{entry.name}'"))
        names.append(entry.name)
        for key in OF_THE_FILE:
            if key in (entry.model_extra or {}):
                problems.append(_problem(document, (*where, key), f"'{key}' belongs at the top level of the file"))
    if problems:
        raise TournamentFileError(document.name, problems)
    return names


def _problem(document: Document, where: KeyPath, message: str) -> Problem:
    return Problem(document.line_of(where), dotted(where), message)


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
    if not as_run and not lookup.earlier.is_anew:
        own = PreviousTeams.of_store(output_folder(lookup.path, lookup.keys.output), lookup.path)
    begun = own.of_entry(entry.team, lookup.keys.game)
    now: PlacedTeams | None = None
    try:
        earlier = lookup.earlier.open(source)
        lookup.earlier_limits |= earlier.isolation_policy.limits.for_teams
        try:
            now = placed_teams(earlier, entry.after, entry.top)
        except UserError as error:
            if begun is None and not lookup.earlier.is_preview:
                raise
            lookup.previous.notes.append(f"{error}; {'who was there stays' if begun else 'its first teams stand in for them'}")
            now = None if begun else PlacedTeams(earlier.teams[entry.after : entry.top])
    except UserError as error:
        if begun is None:
            raise
        lookup.previous.notes.append(f"{error}; who was there stays")
    if now is not None and not entry.seeded:
        now = PlacedTeams(tuple(sorted(now.teams, key=earlier.teams.index)), now.notes)
    if begun is None:
        assert now is not None
        lookup.notes += now.notes
        return PluginList(list(now.teams), [], [], {})
    there = [team.reference for team in begun.teams]
    if now is not None and [team.label for team in now.teams] != [team.label for team in there]:
        names, others = _names(now.teams), _names(there)
        change = f"{source} now gives {names}; {others} were there when this began, and stay (--redraw takes the new ones)"
        lookup.previous.notes.append(change)
    own.look_at_files(entry.team, lookup.path.parent / entry.team)
    teams = there if as_run else [team for team in there if digest_now(team.source) is not None]
    return PluginList(teams, [], list(begun.refused), {team.reference: team.label for team in begun.teams if team.label})


def _names(teams: list[Reference] | tuple[Reference, ...]) -> str:
    return some_of([team.label for team in teams], MOST_NAMES)
