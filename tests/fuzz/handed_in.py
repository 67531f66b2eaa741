"""Readers of what students hand in for a class: archives, exports of platforms, their metadata, and lists of students."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import msgspec
import zstandard
from tests.fuzz.archive_fields import PACK
from tests.fuzz.damage import Form
from tests.fuzz.trial import Reader, at
from tests.intake.command.test_settings_file import GOOD
from tests.intake.made_archives import pax, pax_record, tarred, tarred_as, zipped, zipped_as
from tests.intake.made_exports import CANVAS, GRADESCOPE, METADATA, MOODLE_FOLDERS

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.environments import environment_of
from tiltyard_intake.archives.bounds import Bounds
from tiltyard_intake.archives.member import HandedInFile
from tiltyard_intake.command.deadlines import deadline_of
from tiltyard_intake.command.settings_file import read_intake_settings
from tiltyard_intake.environments.allowed import Allowed, judge
from tiltyard_intake.environments.package_requests import requested_packages
from tiltyard_intake.environments.requirements import RequirementsError, read_requirements
from tiltyard_intake.exports import lms_exports, peek
from tiltyard_intake.exports.entries import read_entries
from tiltyard_intake.exports.gradescope import read_metadata
from tiltyard_intake.exports.roster import read_roster
from tiltyard_intake.pages.intake_page import intake_page
from tiltyard_intake.report import team_report
from tiltyard_intake.trees.team_tree import make_tree
from tiltyard_intake.trees.unpacking import list_names
from tiltyard_simulator.teams import TEAMS_RECORD, team_folder

CRATES: Final = b"""[dependencies]
rand = "0.8"
x = { package = "y", version = "1", features = ["z"], git = "https://localhost/x", rev = "1" }
z = { workspace = true }
[workspace.dependencies]
z = "1"
[target.'cfg(unix)'.build-dependencies]
libc = "0.2"
"""
MODULES: Final = b"module bot\n\ngo 1.20\nrequire (\n\texample.com/a v1.0.0 // indirect\n)\nreplace example.com/b => ./b\n"
CSPROJ: Final = (
    b'<Project><TargetFramework>net8.0</TargetFramework><PackageReference Include="A" Version="1" />'
    b'<!-- x --><PackageReference Include="B"><Version>2</Version></PackageReference></Project>'
)
CMAKE: Final = (
    b"FetchContent_Declare(a # x\n GIT_REPOSITORY https://localhost/a GIT_TAG v1)\nfetchcontent_declare(b URL https://x/b)\n"
)
FILES: Final = {"bot/main.cpp": b"int main() {}\n" * 9, "bot/tank.h": bytes(range(256)), "bot/build/x.o": b""}
REPORT: Final = team_report.IntakeReport(
    game="tanks",
    teams=(
        team_report.TeamReport(
            label="Ann", verdict=team_report.Verdict.PLAYS, team="Ann", handed_in="2026-11-30T10:00:00+00:00", products=("Ann.py",)
        ),
    ),
)
ROSTER: Final = 'Name;ID;Group\nAlder, Ann;1001;Team A\nZoë Birch;1002;Team A\n"Cem\nÇelik";1003;\n'
REQUIREMENTS: Final = [
    b"numpy>=2,<3  # arrays\nscipy==1.17.1 \\\n  --hash=sha256:00\nnetworkx[extra]~=3.0\n-r other.txt\na @ https://b/c.whl\n",
    b'colorama; sys_platform == "win32" and python_version < "3.11" or extra == "x"\ntiltyard-engine===0.1\n',
    "numpy\r\nscipy!=1.*\r\n".encode("utf-16"),
]
DEPENDENCIES: Final = b'[project]\nname = "bot"\ndependencies = ["numpy>=2", "tomli; python_version < \'3.11\'"]\n'
TEAMS: Final = b'{"ann.py": "0123456789abcdef0123456789abcdef01234567", "ben": "0123456789abcdef0123456789abcdef01234568"}'


@cache
def _tars() -> Sequence[bytes]:
    tar = tarred(FILES)
    return [tar, gzip.compress(tar, mtime=0), bz2.compress(tar), lzma.compress(tar), zstandard.compress(tar)]


@cache
def _exports() -> Sequence[bytes]:
    return [zipped(files) for files in (MOODLE_FOLDERS, CANVAS, GRADESCOPE, {"ann.zip": zipped(FILES), "bob.py": b""})]


@cache
def _zips() -> Sequence[bytes]:
    """Of each way to write one: methods, sizes behind the contents, sizes of 64 bits, links, comments, names in UTF-8."""
    varied = []
    for method, is_streamed, is_large in itertools.product(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2), (0, 1), (0, 1)
    ):
        file = io.BytesIO()
        target: Any = _Unseekable(file) if is_streamed else file
        with zipfile.ZipFile(target, "w", method) as archive:
            for name, data in FILES.items():
                with archive.open(name, "w", force_zip64=bool(is_large)) as member:
                    member.write(data)
            archive.writestr("d/", b"")
            archive.writestr("ä.txt", b"x" * 3000)
            archive.comment = b"comment" * is_large
        varied.append(file.getvalue())
    return [
        *varied,
        zipped({"in.zip": zipped(FILES)}),
        zipped_as(stat.S_IFLNK | 0o777, "link", b"main.cpp"),
        _with_end64(varied[0]),
    ]


class _Unseekable:
    """Makes zipfile write sizes and checksums behind the contents."""

    def __init__(self, file: io.BytesIO) -> None:
        self.write, self.flush = file.write, file.flush


def _with_end64(data: bytes) -> bytes:
    """The zip with the records of large ones before its end."""
    end = data.rindex(b"PK\x05\x06")
    _, _, _, _, count, size, offset, _ = struct.unpack("<4s4H2IH", data[end : end + 22])
    record = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, offset)
    return data[:end] + record + struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1) + data[end:]


@cache
def _all_tars() -> Sequence[bytes]:
    """In each format: long names, links, folders, and files with holes in all four ways of GNU tar."""
    made = []
    for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w", format=form) as archive:
            for name, data in FILES.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
            for name, kind in (("d", tarfile.DIRTYPE), ("l", tarfile.SYMTYPE), ("h", tarfile.LNKTYPE), ("p" * 90 + "/x", b"0")):
                info = tarfile.TarInfo(name)
                info.type, info.linkname = kind, "main.cpp"
                archive.addfile(info)
            if form != tarfile.USTAR_FORMAT:
                archive.addfile(tarfile.TarInfo("long/" * 40 + "name"))
        made.append(file.getvalue())
    old = tarred_as(tarfile.GNUTYPE_SPARSE, "holes", data=b"x" * 512)
    keys = [("GNU.sparse.size", "9"), ("GNU.sparse.offset", "0"), ("GNU.sparse.numbytes", "1"), ("GNU.sparse.major", "1")]
    sparse = [pax(b"".join(pax_record(*key) for key in keys[first:]), b"1\n0\n1\n".ljust(512, b"\0") + b"x") for first in (0, 3)]
    return [*made, old, *sparse, pax(pax_record("size", "1") + pax_record("path", "a.py"), b"x")]


@cache
def _all_packed() -> Sequence[bytes]:
    return [pack(data) for pack in PACK for data in (*_all_tars()[:3], FILES["bot/main.cpp"])]


def _tree(path: Path) -> None:
    with suppress(UserError):
        list_names(path)
    make_tree([HandedInFile(path, path.name)], path.parent / "tree")


def _directly(name: str, bounds: Bounds, given_up: object, function: Callable[..., Any], *arguments: Any) -> Any:
    """What is read in a process of its own elsewhere: here the trial's own process has bounds, and its tracebacks are seen."""
    return function(*arguments)


def _report(path: Path) -> None:
    """A report is read at the next intake, shown again, and says what to remove."""
    report = team_report.read_report(path.parent)
    assert report is not None
    intake_page(team_report.encodable(report), "")
    team_report.write_report(report, path.parent / "again")


def _settings(path: Path) -> None:
    settings = read_intake_settings(path)
    settings.own_recipes("tanks")
    deadline_of(settings.deadline)


def _entries(path: Path) -> None:
    with patch.object(lms_exports, "read_bounded", _directly), patch.object(peek, "read_bounded", _directly):
        entries = read_entries(path, work=path.parent / "work").entries
    for number, entry in enumerate(entries):
        with suppress(UserError):
            make_tree(entry.sources, path.parent / "teams" / str(number))


def _requirements(path: Path) -> None:
    try:
        judge(read_requirements(path.parent, [path.name], ""), Allowed())
    except RequirementsError as error:
        raise UserError(str(error)) from error


def _packages(path: Path) -> None:
    _, problems = requested_packages(path.parent, [path.name])
    if problems:
        raise UserError(problems[0])


def _environments(path: Path) -> None:
    environment_of(path.parents[1] / "ann.py")


HANDED_IN: Final = (
    Reader(name="archive-zip", samples=_zips, read=at("a.zip", _tree), form=Form.ZIP, seconds=2),
    Reader(name="archive-tar", samples=_all_tars, read=at("a.tar", _tree), form=Form.TAR, seconds=2),
    Reader(name="archive-packed", samples=_all_packed, read=at("a.tar.gz", _tree), form=Form.PACKED, seconds=2),
    Reader(name="archive-file", samples=_all_packed, read=at("a", _tree), form=Form.PACKED, seconds=2),
    Reader(name="archive-export", samples=lambda: [*_exports(), *_zips()], read=at("e.zip", _entries), form=Form.ZIP, seconds=2),
    Reader(name="intake-zip", samples=lambda: [zipped(FILES), zipped({"in.zip": zipped(FILES)})], read=at("a.zip", _tree)),
    Reader(name="intake-tar", samples=_tars, read=at("a.tar.gz", _tree)),
    Reader(
        name="intake-compressed",
        samples=lambda: [gzip.compress(b"x" * 99, mtime=0), lzma.compress(b"x" * 99)],
        read=at("a.py.gz", _tree),
    ),
    Reader(name="intake-export", samples=_exports, read=at("export.zip", _entries)),
    Reader(
        name="intake-roster",
        samples=lambda: [ROSTER.encode(code) for code in ("utf-8", "cp1252", "utf-16")],
        read=at("students.csv", read_roster),
    ),
    Reader(name="intake-requirements", samples=lambda: REQUIREMENTS, read=at("requirements.txt", _requirements)),
    Reader(name="intake-dependencies", samples=lambda: [DEPENDENCIES], read=at("pyproject.toml", _requirements)),
    Reader(name="intake-crates", samples=lambda: [CRATES], read=at("Cargo.toml", _packages)),
    Reader(name="intake-modules", samples=lambda: [MODULES], read=at("go.mod", _packages)),
    Reader(name="intake-csproj", samples=lambda: [CSPROJ], read=at("a.csproj", _packages)),
    Reader(name="intake-cmake", samples=lambda: [CMAKE], read=at("CMakeLists.txt", _packages)),
    Reader(name="teams-environments", samples=lambda: [TEAMS], read=at("teams/.environments/teams.json", _environments)),
    Reader(name="intake-gradescope", samples=lambda: [METADATA], read=at("submission_metadata.yml", read_metadata)),
    Reader(
        name="intake-report",
        samples=lambda: [msgspec.json.encode(REPORT)],
        read=at(team_report.REPORT, _report),
        form=Form.JSON,
    ),
    Reader(
        name="intake-teams",
        samples=lambda: [msgspec.json.encode(team_folder.TeamFolder(labels={"a.py": "Ann"}, not_admitted=(("Ben", "why"),)))],
        read=at(TEAMS_RECORD, lambda path: team_folder.read_team_folder(path.parent)),
        form=Form.JSON,
    ),
    Reader(name="intake-settings", samples=lambda: [GOOD.encode()], read=at("intake.yaml", _settings)),
)
"""A line a reader, as in ``files``."""
