"""The record of whose teams lie in a folder that an intake has made.

The record lies in that folder, so that it comes along wherever the folder is copied to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.texts.names import is_same
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line
from tiltyard_simulator.teams import TEAMS_RECORD
from tiltyard_simulator.teams.line_files import read_lines
from tiltyard_simulator.teams.team_labels import path_of

"""In each folder of teams that an intake has made."""
NEWER: Final = ".tiltyard-intake-newer.jsonl"
"""What came since the record was last written, a line for each team."""
MOST_BYTES: Final = 16 << 20
LONGEST_REASON: Final = 300
_ADVICE: Final = "Run the intake again, or remove the file: teams are then shown under the names that they declare"


class TeamFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of teams that an intake has made."""

    format: Literal["tiltyard intake 1"] = "tiltyard intake 1"
    labels: dict[str, str] = {}
    """Whose each file or folder is, by its name."""
    not_admitted: tuple[tuple[str, str], ...] = ()
    """Who handed something in that became no team, and why."""


class NewerTeam(msgspec.Struct, frozen=True, kw_only=True):
    """A team since the record was written."""

    label: str
    files: tuple[str, ...]
    reason: str


def read_team_folder(folder: Path) -> TeamFolder:
    """The record of a folder of teams; an empty one if no intake has made it.

    Raises:
        UserError: there is one that can't be read.
    """
    path = folder / TEAMS_RECORD
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return TeamFolder()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise UserError(f"{path}: isn't what an intake writes: more than {MOST_BYTES:,} bytes. {_ADVICE}")
    try:
        record = msgspec.json.decode(data, type=TeamFolder)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path}: isn't what an intake writes ({error}). {_ADVICE}") from error
    newer = {each.label: each for each in read_lines(folder / NEWER, NewerTeam)}
    labels = {name: label for name, label in record.labels.items() if label not in newer}
    labels |= {name: each.label for each in newer.values() for name in each.files}
    out = [row for row in record.not_admitted if row[0] not in newer]
    out += [(each.label, each.reason) for each in newer.values() if each.reason]
    return TeamFolder(labels=labels, not_admitted=tuple(out))


def label_of(team: Reference) -> str:
    """Whose a team is that lies in a folder that an intake has made; empty if it lies elsewhere.

    Raises:
        UserError: the intake's record there is damaged.
    """
    if team.source.origin in (Origin.INSTALLED, Origin.GIVEN):
        return ""
    path = path_of(team.source).resolve()
    # A package may lie below the folder of its own that the record names.
    for place in (path, path.parent):
        labels = read_team_folder(place.parent).labels
        label = next((labels[name] for name in labels if is_same(name, place.name)), "")
        if label:
            return one_line(label, LONGEST_NAME)
    return ""
