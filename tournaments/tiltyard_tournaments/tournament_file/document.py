"""YAML with the line of every value, so that what is wrong with it can be pointed at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import refuse_address
from tiltyard_engine.texts.near_names import near_names
from tiltyard_simulator.match.own_cache import cached, code_state, comes_back, digest_of
from tiltyard_tournaments.store.store_file import STORE_NAME
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError

if TYPE_CHECKING:
    import yaml

KeyPath: TypeAlias = tuple[str | int, ...]
"""The place of a value: keys, and indexes in lists, from 0."""
MOST_BYTES: Final = 1 << 20
MOST_VALUES: Final = 100_000
"""Aliases can make a small file describe an enormous value."""

OTHER_FILES: Final[Mapping[str, tuple[str, str]]] = {
    ".py": ("Python code", "'tiltyard check {}' plays it as a team"),
    ".so": ("compiled code", "'tiltyard check {}' plays it as a team"),
    ".toml": ("TOML", "'tiltyard check {}' plays a program.toml as a team"),
    ".zip": ("an archive", "'tiltyard intake {}' makes teams from it"),
    ".jsonl": ("a replay or an export", "'tiltyard watch {}' shows a replay"),
    ".sqlite": ("a tournament's results", "name the tournament's file"),
}
"""What people give in place of a file in YAML by its name's end: what it is, and what to do with it."""
RUN_FOLDER: Final = "the output folder of a run", "; the commands replay, why, whatif and verify take it"


@dataclass(slots=True)
class Document:
    """The values of a file, and their lines."""

    name: str
    data: Any
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """The line, from 1, of every key, and of every item of a list."""
    problems: list[Problem] = field(default_factory=list)
    """What is wrong with the keys as they are written. It keeps nobody from reading the values."""
    earlier_stages: tuple[str, ...] = ()
    """Where this is a stage of a file: those before it."""
    whole_names: tuple[str, ...] = ()
    """Where this is a stage with teams of its own: those of which the whole file says something. It need not have them."""

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
        TournamentFileError: it is not valid YAML, or not a mapping.
    """
    refuse_address(str(path))
    if path.suffix in OTHER_FILES and path.is_file():
        what, hint = OTHER_FILES[path.suffix]
        raise UserError(f"{path}: is {what}, expected {kind} in YAML; {hint.format(path)}")
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        stems = {other.stem: other for other in sorted(path.parent.glob("*.y*ml"))}
        near = near_names(path.stem, stems)
        hint = f"; did you mean {stems[near[0]]}?" if near else ""
        raise UserError(f"{path}: cannot be read: {error.strerror}{hint}") from error
    except IsADirectoryError as error:
        beside, inside = path.parent / f"{path.name}.yaml", sorted(path.glob("*.y*ml"))
        what, hint = RUN_FOLDER if (path / STORE_NAME).is_file() else ("a folder", "")
        if beside.is_file() or len(inside) == 1:
            hint = f"; did you mean {beside if beside.is_file() else inside[0]}?"
        raise UserError(f"{path}: is {what}, expected {kind}{hint}") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise UserError(f"{path}: too large for {kind}: more than {MOST_BYTES:,} bytes")
    if b"\0" in data:
        raise UserError(f"{path}: is no text, expected {kind} in YAML")
    try:
        return _parsed_before(data.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise TournamentFileError(str(path), [Problem(line, "", f"byte {data[error.start]:#04x} is not UTF-8")]) from error


def _parsed_before(text: str, name: str) -> Document:
    """As ``parse_document``. The document of a text is kept for the next command: the parser takes a moment to load."""

    def pack(document: Document) -> bytes:
        return msgspec.msgpack.encode((document.data, list(document.lines.items())))

    def unpack(data: bytes) -> Document:
        values, lines = msgspec.msgpack.decode(data, type=tuple[Any, list[tuple[KeyPath, int]]])
        return Document(name, values, dict(lines))

    key = digest_of([*code_state([__name__.partition(".")[0]]), text])
    return cached(
        f"document-{key[:2]}.msgpack",
        key,
        lambda: parse_document(text, name),
        is_sound=comes_back(pack, unpack),
        pack=pack,
        unpack=unpack,
    )


def parse_document(text: str, name: str) -> Document:
    """The document of a text; errors as ``read_document``."""
    import yaml

    from tiltyard_tournaments.tournament_file.yaml_errors import yaml_problem

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        reader = _Reader()
        data = None if node is None else reader.read(node, ())
    except yaml.YAMLError as error:
        raise TournamentFileError(name, [yaml_problem(error, text)]) from error
    except RecursionError as error:
        raise TournamentFileError(name, [Problem(1, "", "the values are nested too deeply")]) from error
    if not isinstance(data, dict):
        kind = "an empty file" if data is None else "a list" if isinstance(data, list) else "a single value"
        raise TournamentFileError(name, [Problem(1, "", f"expected keys and values, such as 'game: tanks', got {kind}")])
    return Document(name, data, reader.lines, reader.problems)


class _Reader:
    """Turns nodes into plain values and records their lines."""

    def __init__(self) -> None:
        import yaml

        self.lines: dict[KeyPath, int] = {}
        self.problems: list[Problem] = []
        self._constructor = yaml.constructor.SafeConstructor()
        self._values = 0

    def read(self, node: yaml.Node, path: KeyPath) -> Any:
        import yaml

        self._values += 1
        if self._values > MOST_VALUES:
            raise yaml.constructor.ConstructorError(None, None, f"more than {MOST_VALUES:,} values", node.start_mark)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._read_at(item, (*path, place)) for place, item in enumerate(node.value)]
        try:
            return self._constructor.construct_object(node, deep=True)
        except ValueError as error:
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from error

    def _read_at(self, node: yaml.Node, path: KeyPath) -> Any:
        self.lines[path] = node.start_mark.line + 1
        return self.read(node, path)

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        import yaml

        data: dict[str, Any] = {}
        for key_node, value in node.value:
            line = key_node.start_mark.line + 1
            # A key is what is written: "on" or "1" is no other value here.
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else ""
            if not key:
                self.problems.append(Problem(line, dotted(path), "a key must be a word"))
            elif key in data:
                first = self.lines[(*path, key)]
                self.problems.append(Problem(line, dotted((*path, key)), f"duplicate key; the first one is in line {first}"))
            else:
                self.lines[(*path, key)] = line
                data[key] = self.read(value, (*path, key))
        return data


def dotted(path: KeyPath) -> str:
    """A path as people read it: ``format.rounds``, ``teams[2].limits``; list places count from 1."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text
