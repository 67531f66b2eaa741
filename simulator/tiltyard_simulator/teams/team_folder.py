"""Which teams a word stands for, and the record of who they are in a folder that an intake has made.

The record lies in that folder, so that it comes along wherever the folder is copied to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.texts.names import is_same, normal
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line
from tiltyard_simulator.registry.lookup import INSTALLED, FoundPlugins, choose, choose_all, is_plain_folder
from tiltyard_simulator.teams import TEAMS_RECORD
from tiltyard_simulator.teams.line_files import read_lines
from tiltyard_simulator.teams.team_labels import path_of

"""In each folder of teams that an intake has made."""
NEWER: Final = ".tiltyard-intake-newer.jsonl"
"""What came since the record was last written, a line for each team."""
MOST_BYTES: Final = 16 << 20
LONGEST_REASON: Final = 300
EVERY: Final = ":*"
"""After a file: all teams in it."""
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


def choose_teams(text: str, registry: Registry, game: str | None = None) -> FoundPlugins:
    """The teams that a word stands for: all of a folder, ``installed``, all of a file as ``FILE:*``, or one.

    Of a folder that an intake has made it also tells who has none.

    Raises:
        UserError: there is no such team, the folder is missing or cannot be listed, or the intake's record in it is damaged.
    """
    if not stands_for_several(text):
        team = choose(text, ALGORITHM, registry, game)
        label = label_of(team)
        return FoundPlugins([team], labels={team: label} if label else {})
    found = choose_all(text.removesuffix(EVERY), ALGORITHM, registry, game)
    if text == INSTALLED or not Path(text).is_dir():
        return found
    folder = Path(text)
    record = read_team_folder(folder)
    # A disk of macOS gives names back in another form.
    labels = {normal(name): one_line(label, LONGEST_NAME) for name, label in record.labels.items()}
    of_files: dict[str, list[int]] = {}
    for number, reference in enumerate(found.references):
        path = path_of(reference.source)
        parts = path.relative_to(folder.resolve()).parts if path.is_relative_to(folder.resolve()) else ()
        # A folder that is one team's as a whole has no name in itself.
        name = normal(parts[0]) if parts else ""
        if name in labels:
            of_files.setdefault(name, []).append(number)
    for name, numbers in of_files.items():
        for number in numbers:
            team = found.references[number]
            found.labels[team] = labels[name] if len(numbers) == 1 else f"{labels[name]}: {team.name}"
    out = [(one_line(label, LONGEST_NAME), one_line(reason, LONGEST_REASON)) for label, reason in record.not_admitted]
    found.refused = [*((labels.get(normal(name), name), reason) for name, reason in found.refused), *out]
    found.left_out += [f"{text}: {label}: {reason}" for label, reason in out]
    return found


def stands_for_several(text: str) -> bool:
    """Whether a word may stand for more than one team."""
    return text == INSTALLED or text.endswith(EVERY) or is_plain_folder(Path(text))


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
