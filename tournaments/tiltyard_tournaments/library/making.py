"""Tournaments from a file or from a program's arguments."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.records import MapFile
from tiltyard_engine.registry import Registry, Selection
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.library.cup import Cup
from tiltyard_tournaments.running.given_teams import GivenRecords, GivenTeam, is_named
from tiltyard_tournaments.tournament_file.document import Document, read_document
from tiltyard_tournaments.tournament_file.resolution import resolve

ENTRY: Final = "team"
"""The key of an entry of a file that says which team it is."""
TEMPORARY: Final = "tiltyard-results-"


def open_file(path: Path) -> Cup:
    """The tournament of a file; see ``tiltyard_tournaments.load``."""
    return _cup(read_document(path), path, GivenRecords(), {})


def from_keys(keys: dict[str, Any], folder: str = "tournament", given: GivenRecords | None = None) -> Cup:
    """The tournament of a file's keys; see ``tiltyard_tournaments.tournament``.

    Args:
        keys: their values may be objects.
        folder: for the results, where no key says it.
        given: objects that were given already and are the same here.
    """
    given = given or GivenRecords()
    data = dict(keys)
    teams: dict[str, GivenTeam] = {}
    for key in ("teams", "game", "maps", "manager"):
        if key in data:
            data[key] = _with_words(key, data, given, teams)
    data = {name.replace("_", "-") if name in ("tie_breaks", "on_crash") else name: _plain(value) for name, value in data.items()}
    if not (given.sources or given.teams) or data.get("output") is not None:
        return _cup(Document("tournament()", data), Path(folder), given, teams)
    # Matches of objects can't be told from those of other objects later, so their results are of no use to another session.
    return _cup(Document("tournament()", data | {"output": temporary_folder(given)}), Path(folder), given, teams)


def temporary_folder(given: GivenRecords) -> str:
    """A folder that is there as long as the given objects are known."""
    folder = tempfile.mkdtemp(prefix=TEMPORARY)
    weakref.finalize(given, shutil.rmtree, folder, ignore_errors=True)
    return folder


def _cup(document: Document, path: Path, given: GivenRecords, teams: Mapping[str, GivenTeam]) -> Cup:
    selection = Selection.from_environment()

    def registry_for(policy: IsolationPolicy) -> Registry:
        return given.add_to(open_registry(policy, selection))

    return Cup(resolve(document, path, registry_for, teams), str(path), given)


def _with_words(key: str, data: Mapping[str, Any], given: GivenRecords, teams: dict[str, GivenTeam]) -> Any:
    """The value of a key with words in place of objects."""
    value = data[key]
    if key == "teams":
        return _teams(value, given, teams)
    if key == "maps":
        each = value if isinstance(value, list | tuple) else [value]
        return [given.record(one) if isinstance(one, MapFile) else one for one in each]
    if value is None or is_named(value):
        return value
    return given.manager(value, data.get("game")) if key == "manager" else given.record(value)


def _teams(value: Any, given: GivenRecords, teams: dict[str, GivenTeam]) -> list[Any]:
    """The entries of a file; a mapping of names to teams stands for entries with these names."""
    if isinstance(value, Mapping) and ENTRY not in value:
        value = [{ENTRY: team, "name": name} for name, team in value.items()]
    each = value if isinstance(value, list | tuple) else [value]
    return [_entry(one, given, teams) for one in each]


def _entry(entry: Any, given: GivenRecords, teams: dict[str, GivenTeam]) -> Any:
    if isinstance(entry, Mapping):
        return {**entry, ENTRY: _word(entry[ENTRY], given, teams, str(entry.get("name") or ""))} if ENTRY in entry else entry
    return _word(entry, given, teams)


def _word(value: Any, given: GivenRecords, teams: dict[str, GivenTeam], name: str = "") -> Any:
    """What stands for a team in a file: its name or path, or for an object a word that can be neither."""
    if is_named(value):
        return value
    team = given.team(value, name)
    word = f"<{team.name}>"
    teams[word] = team
    return word


def _plain(value: Any) -> Any:
    """A value as YAML would give it."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
