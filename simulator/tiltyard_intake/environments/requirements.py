"""What a team's ``requirements.txt`` and ``pyproject.toml`` ask for: plain requirements alone, found without running anything.

Sources: pip's requirements file format; the packaging user guide, "Dependency specifiers" and "Declaring project metadata".
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion

from tiltyard_engine.errors import UserError, show
from tiltyard_engine.registry.sources import PYPROJECT
from tiltyard_engine.registry.toml_files import read_toml

FILE: Final = "requirements.txt"
LARGEST: Final = 1 << 16
"""Bytes of either file."""
MOST: Final = 200
LONGEST: Final = 500
"""Characters of a line; longer ones are no requirement that a person wrote."""
_BEGINNINGS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
"""As pip; PowerShell writes UTF-16."""
_COMMENT: Final = re.compile(r"(?:^|\s+)#.*$")
_HASHES: Final = re.compile(r"(?:\s+--hash[= ]\S+)+\s*$")
_VCS: Final = re.compile(r"^(?:git|hg|svn|bzr)\+")
PLAIN: Final = "expected a plain requirement, such as numpy>=2"


class RequirementsError(Exception):
    """A team's requirements can't be used; the message names file and line, and what to do."""


@dataclass(frozen=True, slots=True)
class TeamRequirement:
    """One requirement of a team, and where it stands."""

    requirement: Requirement
    place: str
    """The file, and the line where there is one."""


def read_requirements(tree: Path, names: Sequence[str], root: str) -> list[TeamRequirement]:
    """All that a team asks for, and that counts on this machine.

    Args:
        tree: the team's files; it has no links.
        names: which there are, relative to the tree.
        root: the folder in which its team lies, relative to the tree. The files count that are nearest to it, upwards.

    Raises:
        RequirementsError: something else than a plain requirement stands there.
    """
    requirements: list[TeamRequirement] = []
    for file, read in ((FILE, _of_requirements), (PYPROJECT, _of_project)):
        name = _nearest(file, names, root)
        if name is not None:
            requirements += read(tree, name)
    if len(requirements) > MOST:
        raise RequirementsError(f"asks for {len(requirements)} packages; at most {MOST} are allowed")
    return [each for each in requirements if _counts_here(each)]


def _counts_here(each: TeamRequirement) -> bool:
    """Whether a requirement is for this machine: its marker says so."""
    marker = each.requirement.marker
    try:
        return marker is None or marker.evaluate({"extra": ""})
    except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion) as error:
        raise RequirementsError(f"{each.place}: {each.requirement}: what follows the ';' can't be compared: {error}") from None


def _nearest(file: str, names: Sequence[str], root: str) -> str | None:
    folder = PurePosixPath(root)
    places = [str(parent / file) for parent in (folder, *folder.parents)]
    return next((place for place in places if place in names), None)


def _of_requirements(tree: Path, name: str) -> Iterator[TeamRequirement]:
    for number, line in _lines(_text(tree, name)):
        yield _requirement(line, f"{name}:{number}")


def _text(tree: Path, name: str) -> str:
    try:
        with (tree / name).open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise RequirementsError(f"{name}: cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise RequirementsError(f"{name}: has more than {LARGEST >> 10} KiB; {PLAIN} in each line")
    encoding = next((encoding for mark, encoding in _BEGINNINGS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise RequirementsError(f"{name}: is not UTF-8 text; save it as UTF-8") from None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Each logical line with the number of its first: a backslash at the end joins two. Comments and empty lines are left out."""
    line_start, first = "", 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        first = first if line_start else number
        line_start += line
        if line_start.endswith("\\") and number <= text.count("\n") + 1:
            line_start = f"{line_start[:-1]} "
            continue
        logical, line_start = _COMMENT.sub("", line_start).strip(), ""
        if logical:
            yield first, logical


def _of_project(tree: Path, name: str) -> Iterator[TeamRequirement]:
    try:
        project = read_toml(tree / name, LARGEST).get("project", {})
    except UserError as error:
        raise RequirementsError(str(error)) from error
    lines = project.get("dependencies", []) if isinstance(project, dict) else []
    place = f"{name}, [project] dependencies"
    if not isinstance(lines, list):
        raise RequirementsError(f"{place}: is {show(lines)}, expected a list of strings")
    for each in lines:
        if not isinstance(each, str):
            raise RequirementsError(f"{place}: {show(each)} is not a string; {PLAIN}")
        yield _requirement(each, place)


def _requirement(text: str, place: str) -> TeamRequirement:
    line = _HASHES.sub("", text)
    excerpt = line if len(line) <= 80 else f"{line[:76]} ..."
    why = _why_not_plain(line)
    if why:
        raise RequirementsError(f"{place}: {excerpt}: {why}")
    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        raise RequirementsError(f"{place}: {excerpt}: isn't a requirement; {PLAIN}") from None
    if requirement.url:
        raise RequirementsError(f"{place}: {excerpt}: names a URL; write only the package's name and version")
    return TeamRequirement(requirement, place)


def _why_not_plain(line: str) -> str:
    option = re.split(r"[\s=]", line, maxsplit=1)[0]
    if len(line) > LONGEST:
        return f"has {len(line)} characters; {PLAIN}"
    if option in ("-r", "--requirement", "-c", "--constraint") or re.match(r"-[rc]\S", line):
        return "names another file; write its requirements here"
    if option in ("-e", "--editable") or re.match(r"-e\S", line):
        return "is an editable installation; hand its code in, or name a package"
    if line.startswith("-"):
        return "is an option of pip; leave it out: the organiser says where packages come from"
    if _VCS.match(line) or re.match(r"^[\w+.-]+://", line):
        return "is a URL; write only the package's name and version"
    if line.startswith((".", "/", "~")) or re.fullmatch(r"\S+\.(?:whl|zip|gz)", line):
        return "is a file; write only the package's name and version"
    return ""
