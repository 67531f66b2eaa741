"""The file ``submission_metadata.yml`` of Gradescope's exports: who handed in what, and when.

It maps a folder's name, such as ``submission_123``, to keys that begin with a colon: ``:submitters`` (each with ``:name``, ``:sid``
and ``:email``), ``:created_at``, and more that is not read here, such as results, and earlier attempts without their files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_intake.archives.archive_kinds import open_plain

FILE: Final = "submission_metadata.yml"
LARGEST: Final = 64 * 2**20
"""Bytes: results of tests are in it too."""

DEEPEST: Final = 100
"""Values in values."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What the file says about one submission."""

    names: tuple[str, ...]
    ids: tuple[str, ...]
    """The students' own numbers."""
    handed_in: datetime | None


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads plain values, and Ruby's objects as what they hold."""


def _ruby(loader: Any, _suffix: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node) if isinstance(node, yaml.SequenceNode) else loader.construct_scalar(node)


_Loader.add_multi_constructor("!ruby/", _ruby)


def read_metadata(path: Path) -> Mapping[str, Submission]:
    """Read the file.

    Raises:
        UserError: it cannot be read, or does not say what it should.
    """
    with file_errors(path, "read"), open_plain(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UserError(f"{path}: larger than {LARGEST // 2**20} MB")
    try:
        _check_depth(data)
        content = yaml.load(data, Loader=_Loader)  # noqa: S506  # It is a safe loader.
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise UserError(f"{path}: no submissions; expected names such as submission_123")
    return {str(name): _submission(values) for name, values in content.items() if isinstance(values, dict)}


def _check_depth(data: bytes) -> None:
    """Refuse values in values beyond any use: the loader in C would end the whole process for them."""
    depth = 0
    for event in yaml.parse(data, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")


def _submission(values: Mapping[object, object]) -> Submission:
    submitters = values.get(":submitters")
    people = [person for person in submitters if isinstance(person, dict)] if isinstance(submitters, list) else []
    names = tuple(str(person.get(":name") or person.get(":email") or "") for person in people)
    ids = tuple(str(person.get(":sid") or "") for person in people)
    return Submission(tuple(filter(None, names)), tuple(filter(None, ids)), _time(values.get(":created_at")))


def _time(value: object) -> datetime | None:
    if isinstance(value, dict):
        # Ruby's TimeWithZone.
        return _time(value.get("utc"))
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    # YAML gives times without a zone in UTC.
    return value if value.tzinfo else value.replace(tzinfo=UTC)
