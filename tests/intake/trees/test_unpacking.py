"""Unpacking: what is whole comes out whole; whatever else comes, nothing is written outside, and never more than the bounds."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.intake.made_archives import files_below, tarred, zipped, zipped_as

from tiltyard_intake.archives.archive_members import folder_members
from tiltyard_intake.archives.bounds import BOUNDS, Account, Bounds
from tiltyard_intake.archives.member import Member, What, damage
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.trees.unpacking import copy_folder, fill, list_names, unpack

FILES = {"bot/main.cpp": b"int main() {}\n", "bot/tank.h": bytes(range(256)) * 300, "bot/empty": b""}
PACKED: Mapping[str, bytes] = {
    "bot.zip": zipped(FILES),
    "bot.tar": tarred(FILES),
    "bot.tar.gz": gzip.compress(tarred(FILES)),
    "bot.tgz": gzip.compress(tarred(FILES)),
    "bot.tbz2": bz2.compress(tarred(FILES)),
    "bot.tar.xz": lzma.compress(tarred(FILES)),
    "two-streams.tar.xz": lzma.compress(tarred(FILES)[:700]) + lzma.compress(tarred(FILES)[700:]),
    "bot.tar.zst": zstandard.compress(tarred(FILES)),
    # The name lies about the kind: the contents count.
    "bot.rar": zipped(FILES),
    "bot": gzip.compress(tarred(FILES)),
}
SMALL = Bounds(size=5_000, files=12, members=30, depth=4, nesting=2, ratio=20, ratio_from=1_000)
NAMES = st.sampled_from(
    ["a", "B", "b", "a/b", "a/../b", "../x", "/x", "./a", "c/d/e/f/g/h", "C:x", "..\\x", "\x1b", "é", "e\u0301", "a/"]
)
MEMBERS = st.lists(st.tuples(NAMES | st.text(min_size=1, max_size=12), st.binary(max_size=60) | st.just(bytes(4_000))), max_size=15)


@pytest.mark.parametrize("name", PACKED)
def test_what_was_packed_comes_out(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(PACKED[name])
    done = unpack(tmp_path / name, tmp_path / "tree")
    assert files_below(tmp_path / "tree") == FILES
    assert (done.files, done.size, done.notes()) == (3, sum(map(len, FILES.values())), [])
    assert sorted("/".join(parts) for parts in list_names(tmp_path / name)) == sorted(FILES)


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("zst", zstandard.compress)]
)
def test_one_compressed_file_has_the_name_without_the_ending(ending: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    (tmp_path / f"main.cpp.{ending}").write_bytes(pack(b"int main() {}\n"))
    unpack(tmp_path / f"main.cpp.{ending}", tmp_path / "tree")
    assert files_below(tmp_path / "tree") == {"main.cpp": b"int main() {}\n"}


def test_an_empty_zip_has_no_files(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({}))
    assert unpack(tmp_path / "a.zip", tmp_path / "tree").files == 0


@pytest.mark.parametrize(("mode", "expected"), [(0o4755, 0o755), (0o600, 0o644), (0o6777, 0o755), (0, 0o644)])
def test_of_a_mode_only_the_executable_bit_is_kept(mode: int, expected: int, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped_as(stat.S_IFREG | mode))
    old = os.umask(0)
    try:
        unpack(tmp_path / "a.zip", tmp_path / "tree")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "tree" / "odd").stat().st_mode) == expected


def test_modes_of_windows_mean_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped_as(0o120777, system=0))
    unpack(tmp_path / "a.zip", tmp_path / "tree")
    assert stat.S_ISREG((tmp_path / "tree" / "odd").lstat().st_mode)


def test_odd_names_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"\x1b[31mbot.py": b""}))
    done = unpack(tmp_path / "a.zip", tmp_path / "tree")
    assert list(files_below(tmp_path / "tree")) == ["_[31mbot.py"]
    assert done.notes() == ["names with characters that no name should have: _[31mbot.py"]


@pytest.mark.parametrize("ending", ["md", "txt", "py"])
def test_names_that_differ_in_case_alone_matter_for_sources_where_both_cannot_be(ending: str, tmp_path: Path) -> None:
    first, second = f"Read.{ending}", f"read.{ending}"

    def found(both_are_one: bool) -> Iterator[Member]:
        for name, data in ((first, b"1"), (second, b"2"), ("A/x", b"3"), ("a/y", b"4")):
            yield Member(name, What.FILE, False, lambda data=data: io.BytesIO(data))  # type: ignore[misc]
            if both_are_one and name == first:
                # What a file system without upper and lower case does by itself.
                os.link(folder / first, folder / second)

    folder = tmp_path / "tells them apart"
    folder.mkdir()
    done = fill(folder, found(False), name="a.zip", account=Account(BOUNDS))
    assert (files_below(folder), done.notes()) == ({first: b"1", second: b"2", "A/x": b"3", "a/y": b"4"}, [])
    folder = tmp_path / "takes them for one"
    folder.mkdir()
    if ending == "py":
        with pytest.raises(UnpackError, match=r"differ only in upper and lower case \(Read.py and read.py\); rename one") as raised:
            fill(folder, found(True), name="a.zip", account=Account(BOUNDS))
        assert raised.value.cause is Cause.TWINS
    else:
        done = fill(folder, found(True), name="a.zip", account=Account(BOUNDS))
        assert done.notes() == [f"left out, since another name differs only in upper and lower case: {second}"]
        assert (folder / first).read_bytes() == b"1"


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(FILES))
    (tmp_path / "tree").mkdir()
    with pytest.raises(FileExistsError):
        unpack(tmp_path / "a.zip", tmp_path / "tree")
    assert (tmp_path / "tree").is_dir()


def test_an_archive_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real.zip").write_bytes(zipped(FILES))
    (tmp_path / "a.zip").symlink_to(tmp_path / "real.zip")
    with pytest.raises(UnpackError) as raised:
        unpack(tmp_path / "a.zip", tmp_path / "tree")
    assert raised.value.cause is Cause.UNREADABLE


def test_tolerant_unpacking_goes_past_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"../x": b"", "a": b"1", "A": b"2", "a/b": b""}))
    done = unpack(tmp_path / "a.zip", tmp_path / "tree", tolerant=True)
    assert files_below(tmp_path / "tree") == {"A": b"2", "a": b"1"}
    assert len(done.refused) == 2


def test_bounds_hold_for_all_archives_of_a_team_together(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"a": os.urandom(3_000)}))
    account = Account(SMALL)
    unpack(tmp_path / "a.zip", tmp_path / "one", account=account)
    with pytest.raises(UnpackError) as raised:
        unpack(tmp_path / "a.zip", tmp_path / "two", account=account)
    assert raised.value.cause is Cause.TOO_LARGE


class TestFolders:
    def test_links_and_pipes(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "a.py").write_bytes(b"1")
        (tmp_path / "in" / "door").symlink_to("/etc")
        done = copy_folder(tmp_path / "in", tmp_path / "out", name="ann", account=Account(BOUNDS))
        assert files_below(tmp_path / "out") == {"a.py": b"1"}
        assert done.notes() == ["links are left out: door"]
        os.mkfifo(tmp_path / "in" / "pipe")
        with pytest.raises(
            UnpackError, match=r"^ann: contains something that is neither a file nor a folder \(pipe\); leave it out$"
        ):
            copy_folder(tmp_path / "in", tmp_path / "other", name="ann", account=Account(BOUNDS))
        assert not (tmp_path / "other").exists()

    def test_names_in_no_encoding(self, tmp_path: Path) -> None:
        (tmp_path / "in" / "été").mkdir(parents=True)
        Path(os.fsdecode(os.fsencode(tmp_path / "in" / "été") + b"/\xe9.py")).write_bytes(b"1")
        copy_folder(tmp_path / "in", tmp_path / "out", name="ann", account=Account(BOUNDS))
        assert files_below(tmp_path / "out") == {"été/é.py": b"1"}

    def test_a_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(UnpackError) as raised:
            list(folder_members(tmp_path / "gone", "ann", BOUNDS))
        assert str(raised.value) == "ann: cannot be read: .: No such file or directory"


def test_only_errors_of_readers_become_damage() -> None:
    with pytest.raises(ZeroDivisionError), damage("a.zip"):
        raise ZeroDivisionError


def check(folder: Path, packed: bytes, name: str) -> None:
    """Unpack it in a folder of its own: it works within the bounds, or nothing is left; outside, nothing changes at all."""
    folder.mkdir()
    (folder / name).write_bytes(packed)
    inside = folder / "deep" / "tree"
    said = ""
    try:
        done = unpack(folder / name, inside, account=Account(SMALL))
    except UnpackError as error:
        said = str(error)
    if said:
        assert said.isprintable()
        assert not inside.exists()
    else:
        files = files_below(inside)
        assert len(files) == done.files <= SMALL.files
        assert sum(map(len, files.values())) == done.size <= SMALL.size
        assert all(not path.is_symlink() for path in inside.rglob("*"))
    assert {path.relative_to(folder).parts[:2] for path in folder.rglob("*")} <= {(name,), ("deep",), ("deep", "tree")}


@given(members=MEMBERS)
def test_any_zip(members: list[tuple[str, bytes]], tmp_path_factory: pytest.TempPathFactory) -> None:
    with warnings.catch_warnings():
        # Names that stand there twice.
        warnings.simplefilter("ignore")
        try:
            packed = zipped(members)
        except UnicodeEncodeError:
            return
    check(tmp_path_factory.mktemp("zip") / "here", packed, "a.zip")


@given(
    members=MEMBERS, kind=st.sampled_from([tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
)
def test_any_tar(members: list[tuple[str, bytes]], kind: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", errors="surrogatepass") as archive:
        for number, (name, data) in enumerate(members):
            info = tarfile.TarInfo(name)
            info.type = kind if number % 3 == 0 else tarfile.REGTYPE
            info.linkname, info.size = "../" * number, len(data)
            archive.addfile(info, io.BytesIO(data))
    check(tmp_path_factory.mktemp("tar") / "here", file.getvalue(), "a.tar")


@given(name=st.sampled_from(sorted(PACKED)), damage_at=st.integers(0), value=st.binary(min_size=1, max_size=8), cut=st.booleans())
def test_any_damage(name: str, damage_at: int, value: bytes, cut: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = PACKED[name]
    place = damage_at % len(whole)
    packed = whole[:place] if cut else whole[:place] + value + whole[place + len(value) :]
    folder = tmp_path_factory.mktemp("damaged") / "here"
    folder.mkdir()
    (folder / name).write_bytes(packed)
    said = ""
    try:
        unpack(folder / name, folder / "tree")
    except UnpackError as error:
        said = str(error)
    assert said.isprintable()
    assert {path.name for path in folder.iterdir()} == ({name} if said else {name, "tree"})
