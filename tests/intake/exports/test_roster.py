"""Lists of students as people have them, and what is wrong with them by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.errors import UserError
from tiltyard_intake.exports.roster import Person, parse_roster, read_roster, simple, spellings

PATH = Path("students.csv")
ANN = Person(name="Ann Alder", ids=("1001",), group="Team A", line=2)


def people(text: str) -> list[tuple[str, tuple[str, ...], str]]:
    return [(person.name, person.ids, person.group) for person in parse_roster(text, PATH).people]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_delimiter(delimiter: str) -> None:
    assert parse_roster(f"Name{delimiter}ID{delimiter}Group\nAnn Alder{delimiter}1001{delimiter}Team A\n", PATH).people == (ANN,)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_encoding_and_end_of_line(encoding: str, line_end: str, tmp_path: Path) -> None:
    path = tmp_path / "students.csv"
    path.write_bytes(f"name;id{line_end}Zoë Müller;7{line_end}".encode(encoding))
    assert [person.name for person in read_roster(path).people] == ["Zoë Müller"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Moodle's list of participants, and its grading worksheet.
        ("First name,Surname,ID number,Email address,Groups\nAnn,Alder,1001,a@x.org,Team A\n", ("Ann Alder", ("1001",), "Team A")),
        (
            "Identifier,Full name,Email address,Status\nParticipant 1327627,Ann Alder,a@x.org,Submitted\n",
            ("Ann Alder", ("1327627",), ""),
        ),
        # Canvas's list of marks.
        (
            'Student,ID,SIS User ID,SIS Login ID\n"    Points Possible",,,\n"Alder, Ann",101,u1,alder\n"Student, Test",9,,\n',
            ("Alder, Ann", ("101", "u1", "alder"), ""),
        ),
        # GitHub Classroom.
        (
            '"identifier","github_username","github_id","name"\n"1001","anncodes","55","Ann Alder"\n',
            ("Ann Alder", ("1001", "anncodes"), ""),
        ),
        ("sep=;\nname;username\nAnn Alder;ann\n", ("Ann Alder", ("ann",), "")),
        ("\n\n name , student_id \n\n Ann   Alder , 1001 \n\n", ("Ann Alder", ("1001",), "")),
        ("username\nann\n", ("ann", ("ann",), "")),
        ('name,id\n"Alder\nAnn",1001\n', ("Alder Ann", ("1001",), "")),
    ],
)
def test_lists_of_every_platform(text: str, expected: tuple[str, tuple[str, ...], str]) -> None:
    assert people(text) == [expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "students.csv: empty; expected a first line with the names of columns, such as 'name,id,group'"),
        ("name,id\n", "students.csv: no students below the line with the names of columns"),
        (
            "mark,note\n1,2\n",
            "students.csv: line 1: no column has a usual name; expected 'name' or 'id', and perhaps 'group'; found 'mark', 'note'",
        ),
        ("name,id\nAnn,1\n\nBob,1\n", "students.csv: line 4: the id '1' is also in line 2; each student has one line"),
        ("name,id,mark\nAnn,1,\n,,7\n", "students.csv: line 3: no name and no id; expected one of them"),
        ("name,group,team\nAnn,A,B\n", "students.csv: line 1: several columns for a student's group: 'group', 'team'; keep one"),
        ('name,id\n"Ann"x,1\n', "students.csv: line 2: not CSV: ',' expected after '\"'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        parse_roster(text, PATH)
    assert str(raised.value) == message


def test_a_spreadsheet_is_no_csv(tmp_path: Path) -> None:
    path = tmp_path / "students.xlsx"
    path.write_bytes(b"PK\x03\x04\0\0\0")
    with pytest.raises(UserError, match="not a text; expected a list of students as CSV"):
        read_roster(path)
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_roster(tmp_path / "missing.csv")


def test_people_are_found_by_every_spelling() -> None:
    roster = parse_roster('name,id\nAnn Alder,1001\n"Ó Briain, Máire Áine",1002\nדנה לוי,1003\n', PATH)
    for spelling in ("Ann Alder", "alderann", "ANN_ALDER", "Alder, Ann", "annalder"):
        assert (person := roster.by_name(spelling))
        assert person.line == 2
    for spelling in ("Máire Áine Ó Briain", "obriainmaireaine"):
        assert (person := roster.by_name(spelling))
        assert person.line == 3
    assert (person := roster.by_name("דנה לוי"))
    assert person.line == 4
    assert roster.by_name("Bob") is None


def test_two_of_a_name_are_nobody() -> None:
    roster = parse_roster("name,id\nAnn Alder,1\nAlder Ann,2\n", PATH)
    assert roster.by_name("Ann Alder") is None
    assert (person := roster.by_id("2"))
    assert person.line == 3


def test_short_ids_are_not_found_in_names() -> None:
    roster = parse_roster("name,id\nAnn,12\nBob,1234\n", PATH)
    assert [person.name for person in roster.named_in("bot_12_1234_1234")] == ["Bob"]


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_by_a_user_error(text: str) -> None:
    said = ""
    try:
        assert parse_roster(text, PATH).people
    except UserError as error:
        said = str(error)
    assert said.startswith("students.csv: ") or not said


@given(st.text(max_size=40))
def test_spellings_are_simple(name: str) -> None:
    assert all(key and key == simple(key) for key in spellings(name))
