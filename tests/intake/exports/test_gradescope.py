"""What Gradescope says of its submissions, and what it might say wrongly."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.intake.made_exports import METADATA

from tiltyard_engine.errors import UserError
from tiltyard_intake.exports.gradescope import Submission, read_metadata


def read(tmp_path: Path, text: bytes) -> dict[str, Submission]:
    (tmp_path / "submission_metadata.yml").write_bytes(text)
    return dict(read_metadata(tmp_path / "submission_metadata.yml"))


def test_names_ids_and_times(tmp_path: Path) -> None:
    assert read(tmp_path, METADATA) == {
        "submission_11": Submission(("Ann Alder",), ("1001",), datetime(2024, 5, 6, 9, 0, 0, 353219, tzinfo=UTC)),
        "submission_12": Submission(("Bob Birch", "Cem Çelik"), ("1002", "1003"), datetime(2024, 5, 6, 15, tzinfo=UTC)),
        "submission_13": Submission(("Ann Alder",), ("1001",), datetime(2024, 5, 6, 10, tzinfo=UTC)),
        "submission_14": Submission(("Dee Dillon",), ("1004",), None),
    }


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (b"2024-05-06 10:00:00", datetime(2024, 5, 6, 10, tzinfo=UTC)),
        (b"'2024-05-06T10:00:00-02:00'", datetime(2024, 5, 6, 12, tzinfo=UTC)),
        (b"yesterday", None),
        (b"2024-05-06", None),
        (b"[1]", None),
    ],
)
def test_times(text: bytes, time: datetime | None, tmp_path: Path) -> None:
    found = read(tmp_path, b"submission_1: {':created_at': " + text + b"}")
    assert found["submission_1"].handed_in == time


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "no submissions; expected names such as submission_123"),
        (b"- a", "no submissions"),
        (b"{a: [", "not YAML: "),
        (b"a: " + b"[" * 100_000, "not YAML: nested more than 100 deep"),
        (b"a: !!python/object/apply:os.system ['true']", "not YAML: could not determine a constructor"),
        (b"a: &a [*a, !ruby/object:X {b: *c}]", "not YAML: "),
    ],
)
def test_what_is_wrong(text: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        read(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path / 'submission_metadata.yml'}: {message}")


PIECES = st.sampled_from(
    [
        ":submitters",
        ":name",
        ":sid",
        ":created_at",
        ": ",
        "\n",
        "  ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "!ruby/object:X ",
        "1",
        "a",
        "&x ",
        "*x",
    ]
)


@given(text=st.lists(PIECES, max_size=20).map("".join))
def test_any_text_is_read_or_refused(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    found: dict[str, Submission] | None = None
    try:
        found = read(tmp_path_factory.mktemp("any"), text.encode())
    except UserError as error:
        said = str(error)
        if "submission_metadata.yml: " not in said:
            raise
    assert found is None or all(isinstance(name, str) for name in found)
