"""What a team asks for: plain requirements are read, all else is refused by file and line, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.intake.making import plant

from tiltyard_intake.environments.requirements import LARGEST, MOST, RequirementsError, read_requirements
from tiltyard_intake.trees.source_files import names_in

PYPROJECT = '[project]\nname = "bot"\ndependencies = {}\n'


def read(tree: Path, files: dict[str, str | bytes], root: str = "") -> list[str]:
    plant(tree, files)
    return [f"{each.place} {each.requirement}" for each in read_requirements(tree, names_in(tree), root)]


def test_plain_requirements_of_both_files_are_read(tmp_path: Path) -> None:
    text = (
        "# what we need\n\nnumpy >= 2  # arrays\nscipy==1.17.1 \\\n  --hash=sha256:00 \\\n  --hash=sha256:11\n"
        'networkx[extra]\ncolorama; sys_platform == "win32"\n'
    )
    found = read(tmp_path, {"requirements.txt": text, "pyproject.toml": PYPROJECT.format('["shared~=1.0"]')})
    assert found == [
        "requirements.txt:3 numpy>=2",
        "requirements.txt:4 scipy==1.17.1",
        "requirements.txt:7 networkx[extra]",
        "pyproject.toml, [project] dependencies shared~=1.0",
    ]


def test_the_file_nearest_to_the_team_counts(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "top",
        "work/requirements.txt": "near",
        "work/bot/bot.py": "",
        "x/requirements.txt": "x",
    }
    assert read(tmp_path, files, "work/bot") == ["work/requirements.txt:1 near"]
    assert read(tmp_path, {}, "other") == ["requirements.txt:1 top"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_files_of_windows_are_read(encoding: str, tmp_path: Path) -> None:
    assert read(tmp_path, {"requirements.txt": "numpy\r\nscipy\r\n".encode(encoding)}) == [
        "requirements.txt:1 numpy",
        "requirements.txt:2 scipy",
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("-r other.txt", "names another file; write its requirements here"),
        ("-rother.txt", "names another file"),
        ("--requirement=other.txt", "names another file"),
        ("-c limits.txt", "names another file"),
        ("-e .", "is an editable installation"),
        ("--index-url https://pypi.example/simple", "is an option of pip; leave it out"),
        ("-i https://pypi.example/simple", "is an option of pip"),
        ("--pre", "is an option of pip"),
        ("https://example.com/a-1.0-py3-none-any.whl", "is a URL; write only the package's name and version"),
        ("git+https://example.com/a", "is a URL"),
        ("a @ file:///tmp/a.whl", "names a URL"),
        ("./a", "is a file"),
        ("a-1.0-py3-none-any.whl", "is a file"),
        ("numpy scipy", "isn't a requirement; expected a plain requirement, such as numpy>=2"),
        ("numpy=2", "isn't a requirement"),
        (f"a=={'1' * 600}", "has 603 characters"),
    ],
)
def test_all_else_is_refused_with_its_line(line: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(RequirementsError) as caught:
        read(tmp_path, {"requirements.txt": f"# first\nnumpy\n{line}\n"})
    assert str(caught.value).startswith("requirements.txt:3: ")
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"pyproject.toml": PYPROJECT.format('"numpy"')}, "is a string ('numpy'), expected a list"),
        ({"pyproject.toml": PYPROJECT.format("[1]")}, "an integer (1) is not a string"),
        ({"pyproject.toml": "["}, "pyproject.toml: "),
        ({"requirements.txt": b"\xff\xfe\xff"}, "requirements.txt: is not UTF-8 text"),
        ({"requirements.txt": "#" * (LARGEST + 1)}, "has more than 64 KiB"),
        ({"requirements.txt": "a\n" * (MOST + 1)}, f"at most {MOST} are allowed"),
    ],
)
def test_damaged_files_are_refused(files: dict[str, str | bytes], why: str, tmp_path: Path) -> None:
    with pytest.raises(RequirementsError) as caught:
        read(tmp_path, files)
    assert why in str(caught.value)
