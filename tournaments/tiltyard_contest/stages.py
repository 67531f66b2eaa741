"""Stages: a file with ``stages`` stands for several tournaments, each with the file's keys and its own.

A stage is a tournament like any other, with a folder of its own below the file's. What makes it a stage is only that its teams
may come from the standings of an earlier one. They may as well come from the file of any other tournament.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.texts.names import is_same
from tiltyard_tournaments.store import STORE_NAME
from tiltyard_tournaments.tournament_file.contest import STAGES, Stage
from tiltyard_tournaments.tournament_file.document import Document, KeyPath, dotted
from tiltyard_tournaments.tournament_file.lookup import output_folder
from tiltyard_tournaments.tournament_file.model import PublicationEntry, StageEntry, TournamentKeys
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError
from tiltyard_tournaments.tournament_file.validation import check

if TYPE_CHECKING:
    from tiltyard_tournaments.running.tournament import Tournament

OF_THE_FILE: Final = ("output", STAGES)
"""Keys that no stage has."""
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]*")
OF_OWN_ROUNDS: Final = ("late", "half-point-byes")
"""Keys that speak of rounds, and of teams by their names."""
OF_TEAMS: Final = ("disqualify", "withdraw", "order")
"""Keys that name teams, for all stages in which these are."""


def stages_of_document(document: Document, path: Path) -> list[Stage]:
    """The stages of a file's document.

    Raises:
        TournamentFileError: they have problems; what is wrong with the rest of the file is among them.
    """
    try:
        names = _stage_names(document)
    except TournamentFileError as error:
        raise TournamentFileError(document.name, [*error.problems, *_problems_of_the_rest(document, path)]) from None
    folder = output_folder(path, document.data.get("output"))
    return [Stage(name, folder / name) for name in names]


def _problems_of_the_rest(document: Document, path: Path) -> Sequence[Problem]:
    """What is wrong with a file besides its stages."""
    # That module finds this one.
    from tiltyard_tournaments.tournament_file.resolution import load_document

    data = {key: value for key, value in document.data.items() if key != STAGES}
    try:
        load_document(replace(document, data=data), (path,))
    except TournamentFileError as error:
        return error.problems
    except UserError:
        # Of what else stops it, people hear once the stages can be read.
        return ()
    return ()


def other_stages(stages: Sequence[Stage]) -> list[str]:
    """The names of stages that have results beside those of a file, and are in it no more, such as under an old name."""
    names = [stage.name for stage in stages]
    return sorted(path.parent.name for path in stages[0].folder.parent.glob(f"*/{STORE_NAME}") if path.parent.name not in names)


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
            raise UserError(f"{document.name}: has the stages {', '.join(names)}; choose one with --stage NAME")
        return document
    place = names.index(stage)
    own = {key: value for key, value in document.data[STAGES][place].items() if key != "name"}
    has_own_teams = "teams" in own
    # Rounds are those of the stages that the file's own teams play. Who leaves now leaves all stages.
    left_out = {STAGES, *OF_OWN_ROUNDS} if has_own_teams else {STAGES}
    whole = {key: value for key, value in document.data.items() if key not in left_out}
    if has_own_teams and isinstance(who_leaves := whole.get("withdraw"), dict):
        whole["withdraw"] = {team: first for team, first in who_leaves.items() if first == "now"}
    title = document.data.get("title", TournamentKeys.model_fields["title"].default)
    if cuts := _cuts(document, stage):
        whole.setdefault("cuts", cuts)
    folder = document.data.get("output") or path.with_suffix("").name
    if isinstance(whole.get("publication"), dict):
        whole["publication"] = _publication_of(whole["publication"], stage)
    data = {**whole, "title": f"{title}: {stage}", **own, "output": str(Path(folder, stage))}
    lines: dict[KeyPath, int] = {key: line for key, line in document.lines.items() if key[0] not in own and key[0] != STAGES}
    for key, line in document.lines.items():
        if key[:2] == (STAGES, place) and len(key) > 2:
            lines[key[2:]] = line
    whole_names = tuple(name for _, name in _team_names(whole)) if has_own_teams else ()
    return Document(document.name, data, lines, document.problems, tuple(names[:place]), whole_names)


def unknown_teams(document: Document, tournaments: Sequence[Tournament]) -> list[Problem]:
    """Names at the top level of a file that are of no team in any of its stages.

    Args:
        document: the whole file.
        tournaments: all its stages.
    """
    teams = [team for each in tournaments for team in (*each.teams, *(out.team for out in each.disqualified))]
    names = {name for team in teams for name in (team.label, team.name)}
    return [
        _problem(document, (key, name), str(NotFoundError("team", name, dict.fromkeys(team.label for team in teams))))
        for key, name in _team_names(document.data)
        if not any(is_same(each, name) for each in names)
    ]


def _team_names(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Teams of which the top level of a file says something, each after the key that does."""
    entries = [(key, data.get(key)) for key in OF_TEAMS]
    return [(key, name) for key, entry in entries if isinstance(entry, dict | list) for name in entry if isinstance(name, str)]


def _cuts(document: Document, stage: str) -> list[int]:
    """The places of a stage that matter, because others take the teams up to there; empty: only the first does."""
    cuts = {1}
    for other in document.data[STAGES]:
        teams = other.get("teams")
        for entry in teams if isinstance(teams, list) else [teams]:
            if isinstance(entry, dict) and entry.get("from") == stage:
                cuts |= {cut for cut in (entry.get("top"), entry.get("after")) if isinstance(cut, int) and cut > 0}
    return sorted(cuts)


def _publication_of(publication: dict[str, Any], stage: str) -> dict[str, Any]:
    """The file's keys of publishing, for a stage: its site has a title of its own, and is below the page above all."""
    title, address = publication.get("title"), publication.get("address")
    own = {"title": f"{title}: {stage}"} if isinstance(title, str) else {}
    if isinstance(address, str):
        own["address"] = f"{address.rstrip('/')}/{quote(stage)}/"
    return {**publication, **own}


def _stage_names(document: Document) -> list[str]:
    """The names of the stages in a document, in its order."""
    value = document.data.get(STAGES)
    if value is None:
        return []
    entries, problems = check(list[StageEntry], value, document, (STAGES,))
    names: list[str] = []
    publication = document.data.get("publication")
    folder = publication.get("folder") if isinstance(publication, dict) else None
    site = folder if isinstance(folder, str) else PublicationEntry().folder
    for place, entry in enumerate(entries or ()):
        where: KeyPath = (STAGES, place)
        if not NAME.fullmatch(entry.name):
            expected = "expected letters, digits, blanks, '-' and '_', as it is the name of a folder"
            problems.append(_problem(document, (*where, "name"), f"{expected}, got '{entry.name}'"))
        twin = next((name for name in names if name.casefold() == entry.name.casefold()), None)
        if twin is not None:
            both = f"'{twin}'" if twin == entry.name else f"'{twin}' and '{entry.name}', which some systems don't tell apart"
            problems.append(_problem(document, (*where, "name"), f"two stages are called {both}"))
        if entry.name.casefold() == site.casefold():
            problems.append(_problem(document, (*where, "name"), f"the site goes into the folder '{site}'; choose another name"))
        names.append(entry.name)
        for key in OF_THE_FILE:
            if key in (entry.model_extra or {}):
                problems.append(_problem(document, (*where, key), f"'{key}' belongs at the top level of the file"))
    if problems:
        raise TournamentFileError(document.name, problems)
    return names


def _problem(document: Document, where: KeyPath, message: str) -> Problem:
    return Problem(document.line_of(where), dotted(where), message)
