"""The list of students: a CSV with names, ids and groups, as learning platforms and spreadsheets write it."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors, some_of
from tiltyard_engine.texts.names import normal
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line

LARGEST: Final = 16 * 2**20
"""Bytes of the file."""
DELIMITERS: Final = ",;\t|"
NAME: Final = frozenset({"name", "fullname", "student", "studentname", "displayname", "sortablename", "participant", "membername"})
FIRST: Final = frozenset({"firstname", "first", "givenname", "forename"})
LAST: Final = frozenset({"lastname", "last", "surname", "familyname"})
GROUP: Final = frozenset({"group", "groupname", "groups", "team", "teamname"})
ID: Final = frozenset(
    {
        "studentid",
        "idnumber",
        "sid",
        "studentnumber",
        "studentno",
        "matriculationnumber",
        "matrikelnummer",
        "number",
        "id",
        "identifier",
        "userid",
        "canvasuserid",
        "sisid",
        "sisuserid",
        "orgdefinedid",
    }
)
USERNAME: Final = frozenset({"username", "user", "login", "loginid", "sisloginid", "githubusername", "github", "netid"})
_PARTICIPANT: Final = re.compile(r"participant\s+(\d+)", re.IGNORECASE)
_WORDS: Final = re.compile(r"[^\W_]+")
SHORTEST_ID: Final = 4
"""Characters: shorter ids are found only where they are the whole of a name, or where an export says that they are ids."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """One line of the list: a student."""

    name: str
    ids: tuple[str, ...] = ()
    """Numbers and user names, the first one the student's id if the list has a column for it."""
    group: str = ""
    line: int
    """Where it stands, from 1."""


class Roster:
    """Who takes part, and who belongs together."""

    def __init__(self, people: Sequence[Person]) -> None:
        self.people = tuple(people)

    def group(self, name: str) -> tuple[Person, ...]:
        """The members of a group, in the list's order."""
        return self._groups.get(simple(name), ())

    def by_id(self, text: str) -> Person | None:
        """Whose id or user name it is."""
        return self._ids.get(normal(text).casefold())

    def by_name(self, text: str) -> Person | None:
        """Whose name it is: first name first or last, with spaces or without. None if that fits several people."""
        persons = {person.line: person for key in spellings(text) for person in self._names.get(key, ())}
        return next(iter(persons.values())) if len(persons) == 1 else None

    def named_in(self, text: str) -> tuple[Person, ...]:
        """The people whose ids stand in a name, such as that of ``Algorithm_209277367_322542887.so``."""
        words = [word for word in _WORDS.findall(text) if len(word) >= SHORTEST_ID]
        return tuple(dict.fromkeys(person for word in words if (person := self.by_id(word))))

    @cached_property
    def _groups(self) -> Mapping[str, tuple[Person, ...]]:
        groups: dict[str, tuple[Person, ...]] = defaultdict(tuple)
        for person in self.people:
            if person.group:
                groups[simple(person.group)] += (person,)
        return dict(groups)

    @cached_property
    def _ids(self) -> Mapping[str, Person]:
        return {word.casefold(): person for person in self.people for word in person.ids}

    @cached_property
    def _names(self) -> Mapping[str, list[Person]]:
        names: dict[str, list[Person]] = defaultdict(list)
        for person in self.people:
            for key in spellings(person.name):
                names[key].append(person)
        return dict(names)


def simple(text: str) -> str:
    """A name's letters and digits alone, without accents: what is left of it in the names of files."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(sign for sign in plain if sign.isalnum())


def spellings(name: str) -> set[str]:
    """The ways in which a name may be written: Canvas writes ``Bob Smith`` as ``smithbob``, Moodle as it is."""
    last, comma, first = name.partition(",")
    words = _WORDS.findall(name)
    orders = {name, f"{first} {last}" if comma else name, " ".join(words[-1:] + words[:-1]), " ".join(words[1:] + words[:1])}
    return {key for order in orders if (key := simple(order))}


def read_roster(path: Path) -> Roster:
    """Read a list of students.

    Columns are found by their usual names; others, such as e-mail addresses, are not read. Any of comma, semicolon, tab and bar may
    stand between cells. The file may be UTF-8 or UTF-16, or CP1252 as older spreadsheets write it.

    Raises:
        UserError: it cannot be read or is no such list. The message names the line.
    """
    with file_errors(path, "read"), path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UserError(f"{path}: larger than {LARGEST // 2**20} MB; expected a list of students as CSV")
    return parse_roster(_text(path, data), path)


def parse_roster(text: str, path: Path) -> Roster:
    """Read the text of a list of students; ``path`` is named in messages.

    Raises:
        UserError: it is no such list.
    """
    rows = _rows(text, path)
    if not rows:
        raise UserError(
            f"{path}: empty; expected a first line with the names of columns, such as 'name,id,group'", see="student-list"
        )
    line, header = rows[0]
    columns = _columns(header, f"{path}: line {line}")
    people = [person for line, row in rows[1:] if (person := _person(row, columns, line, f"{path}: line {line}"))]
    if not people:
        raise UserError(f"{path}: no students below the line with the names of columns", see="student-list")
    _check_ids(people, path)
    return Roster(people)


def _text(path: Path, data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\0" in data:
        raise UserError(f"{path}: not a text; expected a list of students as CSV (a spreadsheet can save one)")
    else:
        # The five bytes that CP1252 does not have are shown as such.
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode(encodings[-1], "replace")


def _rows(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """The lines that are not blank, with their numbers."""
    text = text.replace("\0", "")
    first = next((line for line in text.splitlines() if line.strip()), "")
    # Excel writes such a line so that it knows itself what stands between cells.
    match = re.fullmatch(r"sep=(.)", first.strip())
    if match:
        text = text.replace(first, "", 1)
    delimiter = match[1] if match else max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            cells = [normal(" ".join(cell.split())) for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise UserError(f"{path}: line {reader.line_num}: not CSV: {error}") from error
    return rows


def _columns(header: Sequence[str], where: str) -> Mapping[str, list[int]]:
    """Which columns say what, by their places."""
    kinds = {"name": NAME, "first": FIRST, "last": LAST, "group": GROUP, "id": ID, "username": USERNAME}
    titles = [simple(title) for title in header]
    places = {kind: [place for place, title in enumerate(titles) if title in names] for kind, names in kinds.items()}
    for kind in ("name", "group"):
        if len(places[kind]) > 1:
            both = some_of([f"'{header[place]}'" for place in places[kind]])
            raise UserError(f"{where}: several columns for a student's {kind}: {both}; keep one", see="student-list")
    if not any(places[kind] for kind in ("name", "last", "id", "username")):
        heads = some_of([f"'{one_line(title, LONGEST_NAME)}'" for title in header if title])
        raise UserError(
            f"{where}: no column has a usual name; expected 'name' or 'id', and perhaps 'group'; found {heads}",
            see="student-list",
        )
    return places


def _person(row: Sequence[str], columns: Mapping[str, list[int]], line: int, where: str) -> Person | None:
    def cells(kind: str) -> list[str]:
        return [row[place] for place in columns[kind] if place < len(row) and row[place]]

    name = " ".join(cells("name")[:1] or cells("first")[:1] + cells("last")[:1])
    if name == "Points Possible" or name == "Student, Test":
        # Lines of Canvas's own in each of its lists.
        return None
    ids = [_PARTICIPANT.sub(r"\1", word) for word in cells("id") + cells("username")]
    if not name and not ids:
        raise UserError(f"{where}: no name and no id; expected one of them", see="student-list")
    return Person(name=name or ids[0], ids=tuple(dict.fromkeys(ids)), group=(cells("group") or [""])[0], line=line)


def _check_ids(people: Iterable[Person], path: Path) -> None:
    persons: dict[str, Person] = {}
    for person in people:
        for word in person.ids:
            other = persons.setdefault(word.casefold(), person)
            if other is not person:
                text = one_line(word, LONGEST_NAME)
                raise UserError(
                    f"{path}: line {person.line}: the id '{text}' is also in line {other.line}; each student has one line",
                    see="student-list",
                )
