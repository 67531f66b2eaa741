"""YAML with the line of every value, so that what is wrong with it can be pointed at."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError

KeyPath: TypeAlias = tuple[str | int, ...]
"""The place of a value: keys, and indexes in lists, from 0."""
MOST_BYTES: Final = 1 << 20
MOST_VALUES: Final = 100_000
"""Aliases can make a small file describe an enormous value."""


@dataclass(slots=True)
class Document:
    """The values of a file, and their lines."""

    name: str
    data: Any
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """The line, from 1, of every key, and of every item of a list."""

    def line_of(self, path: KeyPath) -> int:
        """The line of a value, or of the innermost thing around it that the file has."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 1


def read_document(path: Path, kind: str = "a tournament file") -> Document:
    """Read a YAML file; ``kind`` says in errors what was expected.

    Raises:
        UserError: it cannot be read.
        TournamentFileError: it is not valid YAML, not a mapping, or has a duplicate key.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        near = difflib.get_close_matches(path.name, sorted(other.name for other in path.parent.glob("*.y*ml")), n=1)
        hint = f"; did you mean {path.with_name(near[0])}?" if near else ""
        raise UserError(f"{path}: cannot be read: {error.strerror}{hint}") from error
    except IsADirectoryError as error:
        raise UserError(f"{path}: is a folder, expected {kind}") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise UserError(f"{path}: too large for {kind}: more than {MOST_BYTES:,} bytes")
    try:
        return parse_document(data.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise TournamentFileError(str(path), [Problem(line, "", f"byte {data[error.start]:#04x} is not UTF-8")]) from error


def parse_document(text: str, name: str) -> Document:
    """The document of a text; errors as ``read_document``."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        reader = _Reader()
        data = None if node is None else reader.read(node, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(filter(None, (error.problem, error.context and f"({error.context})")))
        raise TournamentFileError(name, [Problem(mark.line + 1 if mark else 1, "", f"not valid YAML: {what}")]) from error
    except yaml.YAMLError as error:
        raise TournamentFileError(name, [Problem(1, "", f"not valid YAML: {' '.join(str(error).split())}")]) from error
    except RecursionError as error:
        raise TournamentFileError(name, [Problem(1, "", "the values are nested too deeply")]) from error
    if reader.problems:
        raise TournamentFileError(name, reader.problems)
    if not isinstance(data, dict):
        found = "an empty file" if data is None else "a list" if isinstance(data, list) else "a single value"
        raise TournamentFileError(name, [Problem(1, "", f"expected keys and values, such as 'game: tanks', got {found}")])
    return Document(name, data, reader.lines)


class _Reader:
    """Turns nodes into plain values and records their lines."""

    def __init__(self) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.problems: list[Problem] = []
        self._constructor = yaml.constructor.SafeConstructor()
        self._values = 0

    def read(self, node: yaml.Node, path: KeyPath) -> Any:
        self._values += 1
        if self._values > MOST_VALUES:
            raise yaml.constructor.ConstructorError(None, None, f"more than {MOST_VALUES:,} values", node.start_mark)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._placed(item, (*path, place)) for place, item in enumerate(node.value)]
        try:
            return self._constructor.construct_object(node, deep=True)
        except ValueError as error:
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from error

    def _placed(self, node: yaml.Node, path: KeyPath) -> Any:
        self.lines[path] = node.start_mark.line + 1
        return self.read(node, path)

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value in node.value:
            line = key_node.start_mark.line + 1
            # A key is what is written: "on" or "1" is no other value here.
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else ""
            if not key:
                self.problems.append(Problem(line, dotted(path), "a key must be a word"))
            elif key in found:
                first = self.lines[(*path, key)]
                self.problems.append(Problem(line, dotted((*path, key)), f"duplicate key; the first one is in line {first}"))
            else:
                self.lines[(*path, key)] = line
                found[key] = self.read(value, (*path, key))
        return found


def dotted(path: KeyPath) -> str:
    """A path as people read it: ``format.rounds``, ``teams[2].limits``; list places count from 1."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text
