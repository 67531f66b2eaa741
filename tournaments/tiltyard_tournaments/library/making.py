"""Tournaments from a file or from a program's arguments."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from tiltyard_engine.records import MapFile
from tiltyard_engine.registry import Selection
from tiltyard_simulator.registry.object_teams import ObjectRecords, is_named
from tiltyard_tournaments.library.cup import Cup
from tiltyard_tournaments.tournament_file.contest import STAGES, contest
from tiltyard_tournaments.tournament_file.document import Document, read_document
from tiltyard_tournaments.tournament_file.resolution import load_document

ENTRY: Final = "team"
"""The key of an entry of a file that says which team it is."""
FROM: Final = "from"
"""The key in its place, for teams of an earlier stage."""
TEMPORARY: Final = "tiltyard-results-"


def open_file(path: Path) -> Cup:
    """The tournament of a file; see ``tiltyard_tournaments.load``."""
    return _cup(read_document(path), path, ObjectRecords())


def from_keys(keys: dict[str, Any], folder: str = "tournament", objects: ObjectRecords | None = None) -> Cup:
    """The tournament of a file's keys; see ``tiltyard_tournaments.tournament``.

    Args:
        keys: their values may be objects.
        folder: for the results, where no key says it.
        objects: those of other tournaments that are the same here.
    """
    objects = objects or ObjectRecords()
    data = _own_keys(keys, objects)
    if not (objects.sources or objects.teams) or data.get("output") is not None:
        return _cup(Document("tournament()", data), Path(folder), objects)
    # Matches of objects can't be told from those of other objects later, so their results are of no use to another session.
    return _cup(Document("tournament()", data | {"output": temporary_folder(objects)}), Path(folder), objects)


def _own_keys(keys: Mapping[str, Any], objects: ObjectRecords) -> dict[str, Any]:
    """The keys of a file, or of one of its stages, as YAML would give them."""
    data = dict(keys)
    for key in ("teams", "game", "maps", "manager"):
        if key in data:
            data[key] = _with_words(key, data, objects)
    if isinstance(data.get(STAGES), list | tuple):
        data[STAGES] = [_own_keys(stage, objects) if isinstance(stage, Mapping) else stage for stage in data[STAGES]]
    dashed = ("tie_breaks", "on_crash", "half_point_byes")
    return {name.replace("_", "-") if name in dashed else name: _plain(value) for name, value in data.items()}


def temporary_folder(objects: ObjectRecords) -> str:
    """A folder that is there as long as the objects are known."""
    folder = tempfile.mkdtemp(prefix=TEMPORARY)
    weakref.finalize(objects, shutil.rmtree, folder, ignore_errors=True)
    return folder


def _cup(document: Document, path: Path, objects: ObjectRecords) -> Cup:
    if STAGES in document.data:
        return cast("Cup", contest().stages_cup(document, path, objects))
    return Cup(load_document(document, (path,), Selection.from_environment(), objects), str(path), objects)


def _with_words(key: str, data: Mapping[str, Any], objects: ObjectRecords) -> Any:
    """The value of a key with words in place of objects."""
    value = data[key]
    if key == "teams":
        return _teams(value, objects)
    if key == "maps":
        each = value if isinstance(value, list | tuple) else [value]
        return [objects.record(one) if isinstance(one, MapFile) else one for one in each]
    if value is None or is_named(value):
        return value
    return objects.manager(value, data.get("game")) if key == "manager" else objects.record(value)


def _teams(value: Any, objects: ObjectRecords) -> list[Any]:
    """The entries of a file; a mapping of names to teams stands for entries with these names."""
    if isinstance(value, Mapping) and not (ENTRY in value or FROM in value):
        value = [{ENTRY: team, "name": name} for name, team in value.items()]
    each = value if isinstance(value, list | tuple) else [value]
    return [_entry(one, objects) for one in each]


def _entry(entry: Any, objects: ObjectRecords) -> Any:
    if isinstance(entry, Mapping):
        return {**entry, ENTRY: objects.team(entry[ENTRY], str(entry.get("name") or ""))} if ENTRY in entry else entry
    return objects.team(entry)


def _plain(value: Any) -> Any:
    """A value as YAML would give it."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
