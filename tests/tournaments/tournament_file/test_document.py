from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.tournament_file.document import dotted, parse_document, read_document
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError

TEXT = """\
title: Cup
teams:
  - acorn
  - team: bots/ann.py
    limits: {move_seconds: 2}
maps: [a,
  b]
"""


def test_every_value_has_its_line() -> None:
    document = parse_document(TEXT, "cup.yaml")
    assert document.data == {
        "title": "Cup",
        "teams": ["acorn", {"team": "bots/ann.py", "limits": {"move_seconds": 2}}],
        "maps": ["a", "b"],
    }
    assert document.line_of(("teams", 1, "limits", "move_seconds")) == 5
    assert [document.line_of(("maps", place)) for place in (0, 1)] == [6, 7]
    assert document.line_of(("teams", 1, "name")) == 4
    assert document.line_of(("formats",)) == 1


def test_paths_as_people_read_them() -> None:
    assert dotted(("teams", 1, "limits", "move_seconds")) == "teams[2].limits.move_seconds"
    assert dotted(()) == ""


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: [1, 2\nb: 3\n", 1, "this '[' isn't closed: expected ',' or ']' before line 2"),
        ("x: 1\na: {b: 1\n\n\nc: 3\n", 2, "this '{' isn't closed: expected ',' or '}' before line 5"),
        ("x: 1\na: [1,\n2\n", 2, "this '[' isn't closed: expected ',' or ']' before the end of the file"),
        ('x: 1\na: "b\nc: 3\n', 2, "this quote isn't closed"),
        ('a: ["b" "c"]\n', 1, "expected ',' or ']', but got"),
        ("a: 1\n\tb: 2\n", 2, "not valid YAML: a tab; use spaces"),
        ("a:\n  - b\n\t- c\n", 3, "not valid YAML: a tab; use spaces"),
        ("a: Cup: the final\n", 1, "put text with a colon in quotes"),
        ("a: *.txt\n", 1, "put the value in quotes"),
        ("a: *all\n", 1, "put the value in quotes"),
        ("a: @b\n", 1, "a value can't begin with '@'; put the value in quotes"),
        ("a: >b\n", 1, "put the value in quotes"),
        ('a: "C:\\q"\n', 1, "use single quotes"),
        ("a:\n  - b\n  c\n", 3, "expected 'KEY: VALUE' or '- ITEM'"),
        ("a:\n  - b\n - c\n", 3, "check the indentation"),
        ("a: - b\n", 1, "begin the list on a line of its own"),
        ("a: 1\n---\nb: 2\n", 2, "a second document begins here"),
        ("a: 1\nb: \x07\n", 2, "the character #x0007, which text can't contain"),
        ("- a\n- b\n", 1, "expected keys and values, such as 'game: tanks', got a list"),
        ("", 1, "expected keys and values, such as 'game: tanks', got an empty file"),
        ("a: !!python/object:os.system x\n", 1, "not valid YAML: could not determine a constructor"),
        ("a: &x [*x]\n", 1, "the values are nested too deeply"),
        ("a: 2026-13-45\n", 1, "not valid YAML"),
        ("a: &a [" + "1," * 400 + "]\nb: [" + "*a," * 300 + "]\n", 1, "more than 100,000 values"),
    ],
)
def test_what_is_no_tournament_file(text: str, line: int, message: str) -> None:
    with pytest.raises(TournamentFileError) as caught:
        parse_document(text, "cup.yaml")
    first = str(caught.value).splitlines()[0]
    assert first.startswith(f"cup.yaml:{line}: ")
    assert message in first


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "a", "duplicate key; the first one is in line 1"),
        ("b: 1\n? [a]\n: 1\n", 2, "", "a key must be a word"),
    ],
)
def test_a_wrong_key_does_not_hide_what_else_is_wrong(text: str, line: int, key: str, message: str) -> None:
    document = parse_document(text, "cup.yaml")
    assert document.problems == [Problem(line, key, message)]
    assert document.data["b"] in (1, 2)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        # It is valid YAML with keys and values.
        ("a.py", b"x: int\ny: int\n", r"is Python code, expected a tournament file in YAML; 'tiltyard check .*a\.py' plays it"),
        ("a.py", b"def f(:\n   [x for\n", "is Python code, expected"),
        ("final.jsonl", b"{}\n", r"is a replay or an export, .*; 'tiltyard watch .*final\.jsonl' shows"),
        ("moodle.zip", b"PK\x03\x04", r"is an archive, .*; 'tiltyard intake .*moodle\.zip' makes teams"),
        ("robot", b"\x7fELF\x00\x01", "is no text, expected a tournament file in YAML"),
    ],
)
def test_another_kind_of_file(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=message) as caught:
        read_document(tmp_path / name)
    assert "not valid YAML" not in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_bytes(b"title: x\nteams: \xff\n")
    with pytest.raises(TournamentFileError, match=r"cup\.yaml:2: byte 0xff is not UTF-8"):
        read_document(tmp_path / "cup.yaml")


def test_a_file_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"cannot be read: No such file or directory$"):
        read_document(tmp_path / "cup.yaml")
    (tmp_path / "cup.yaml").touch()
    with pytest.raises(UserError, match=r"No such file or directory; did you mean .*/cup\.yaml\?$"):
        read_document(tmp_path / "cup.yml")
    (tmp_path / "cup").mkdir()
    with pytest.raises(UserError, match=r"is a folder, expected a tournament file; did you mean .*/cup\.yaml\?$"):
        read_document(tmp_path / "cup")
    # The only one in a folder; a folder may have no name.
    monkeypatch.chdir(tmp_path)
    for words in (".", "./."):
        with pytest.raises(UserError, match=r"is a folder, expected a tournament file; did you mean cup\.yaml\?$"):
            read_document(Path(words))
    (tmp_path / "other.yml").touch()
    with pytest.raises(UserError, match=r"is a folder, expected a tournament file$"):
        read_document(tmp_path)
    with pytest.raises(UserError, match=r"/: is a folder, expected a tournament file"):
        read_document(Path("/"))
    with pytest.raises(UserError, match=r"/dev/zero: too large for a tournament file"):
        read_document(Path("/dev/zero"))
    # It was offered: its name has as many letters, and the same end.
    with pytest.raises(UserError, match=r"No such file or directory$"):
        read_document(tmp_path / "abc.yaml")


@given(st.text(st.sampled_from("ab:- \n\t{}[],'\"&*!?|>#%@0"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        data: object = parse_document(text, "cup.yaml").data
    except TournamentFileError as error:
        data = {problem.line for problem in error.problems if problem.line < 1} or {}
    assert isinstance(data, dict)
