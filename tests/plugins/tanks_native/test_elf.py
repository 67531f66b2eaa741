from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plugins.tanks_native.compiled import BOARD, Files, play_inline, script

from tiltyard_engine.seat_kinds.native_matches import NativeMatch
from tiltyard_tanks_native.elf.demangler import demangle, demangle_words
from tiltyard_tanks_native.elf.examination import examine
from tiltyard_tanks_native.elf.image import NotLoadableError, read_image
from tiltyard_tanks_native.elf.libraries import cached_libraries, read_cache
from tiltyard_tanks_native.files import NativeFile
from tiltyard_tanks_native.host import CompiledHost


def reason(path: Path) -> str:
    with pytest.raises(NotLoadableError) as raised:
        examine(path)
    return str(raised.value)


def changed(path: Path, change: Callable[[bytearray], None]) -> Path:
    content = bytearray(path.read_bytes())
    change(content)
    new = path.with_name("changed.so")
    new.write_bytes(content)
    return new


def put(place: int, data: bytes) -> Callable[[bytearray], None]:
    def change(content: bytearray) -> None:
        content[place : place + len(data)] = data

    return change


def replaced(old: bytes, new: bytes) -> Callable[[bytearray], None]:
    def change(content: bytearray) -> None:
        place = content.find(b"\0" + old + b"\0")
        assert place >= 0
        assert len(old) == len(new)
        content[place + 1 : place + 1 + len(old)] = new

    return change


def test_good_files(files: Files) -> None:
    examine(files.algorithm("script_1"))
    examine(files.manager("good"))


def test_what_an_image_says(files: Files) -> None:
    image = read_image(files.algorithm("script_1"), exports=True)
    assert "libc.so.6" in image.needed
    assert any(version.startswith("GLIBC_2") for version in image.needed_versions["libc.so.6"])
    assert any("PlayerRegistration" in symbol.name and not symbol.version for symbol in image.imports)
    assert any("TankAlgorithm" in name for name in image.exported), "its own copies of the interface's tables"


def test_symbols_are_read_without_section_headers(files: Files) -> None:
    """As in a file that was stripped of them; the loader does not look at them either."""
    path = files.manager("good")
    bare = changed(path, put(40, bytes(8)))
    bare.write_bytes(bare.read_bytes()[:60] + bytes(4) + bare.read_bytes()[64:])
    whole, stripped = read_image(path, exports=True), read_image(bare, exports=True)
    assert (whole.imports, whole.exported) == (stripped.imports, stripped.exported)
    examine(bare)


def test_a_symbol_that_nobody_has(files: Files) -> None:
    words = reason(files.named("Algorithm_1.so", "missing_source"))
    assert words.startswith("undefined symbols Elsewhere::Elsewhere(int), Elsewhere::~Elsewhere()")
    assert words.endswith("not in the file and not in the interface; check that its build includes all source files")


def test_an_older_header(files: Files) -> None:
    assert reason(files.named("Algorithm_1.so", "old_headers")) == (
        "built against another version of the course's headers: it calls PlayerRegistration::PlayerRegistration("
        "std::function<std::unique_ptr<Player> (int, size_t, size_t)>), but here it is PlayerRegistration::PlayerRegistration("
        "std::function<std::unique_ptr<Player> (int, size_t, size_t, size_t, size_t)>)"
    )


def test_a_draft_of_the_headers(files: Files) -> None:
    """It registers as it should, and would crash when run."""
    words = reason(files.named("GameManager_1.so", "draft"))
    assert words.startswith(
        "built against another version of the course's headers: its DraftManager::run(size_t, size_t, SatelliteView&, "
    )
    assert words.endswith(" has different parameters than the current run()")


def test_nothing_is_registered(files: Files) -> None:
    words = reason(files.named("Algorithm_1.so", "nothing"))
    assert words.startswith("it registers nothing: it uses neither TankAlgorithmRegistration and PlayerRegistration, as an")


def test_a_version_that_is_not_here(files: Files) -> None:
    path = files.algorithm("script_1")
    versions = [version for names in read_image(path).needed_versions.values() for version in names]
    version = next(version for version in versions if version.startswith("GLIBCXX_3.4."))
    newer = "GLIBCXX_9.9." + "9" * (len(version) - 12)
    words = reason(changed(path, replaced(version.encode(), newer.encode())))
    assert words.startswith(f"it needs {newer} of libstdc++.so.6, but this machine only has GLIBCXX_3.4.")
    assert words.endswith("it was built with a newer compiler or system; build it here, or on an older one")


def test_a_newer_systems_file_that_wants_no_more_than_there_are_stand_ins_for(
    files: Files, library: Path, host: CompiledHost
) -> None:
    """It is loaded and plays, in a process of Python's and in the host program."""
    path = files.named("Algorithm_newer_1.so", "newer")
    wanted = {version for names in read_image(path).needed_versions.values() for version in names}
    assert {"GLIBCXX_3.4.31", "GLIBCXX_3.4.32", "CXXABI_1.3.15"} <= wanted
    examine(path)
    expected, _ = play_inline(files.referee("good").create(), [script(1), script(2)])
    newer = next(NativeFile(path).algorithms())
    result, seats = play_inline(files.referee("good").create(), [newer, script(2)])
    assert (result, seats[0].fault) == (expected, None)
    algorithms = path, files.algorithm("script_2")
    outcome = host.play(
        NativeMatch(
            manager=files.manager("good"),
            algorithms=algorithms,
            board=BOARD,
            map_name="board",
            names=("a", "b"),
            folder=files.folder,
        )
    )
    assert (outcome.claim, outcome.faults) == (expected, ())


def test_a_file_with_a_sanitizer(files: Files) -> None:
    path = files.algorithm("script_1")
    words = reason(changed(path, replaced(b"libgcc_s.so.1", b"libasan.so.08")))
    assert (
        words
        == "it was built with -fsanitize=address, so libasan.so.08 would have to be loaded first; build it without that option"
    )


def test_a_library_that_is_not_here(files: Files) -> None:
    path = files.algorithm("script_1")
    words = reason(changed(path, replaced(b"libgcc_s.so.1", b"libnone.so.77")))
    assert words == "it needs the library libnone.so.77, which is not on this machine"


def other_machine(content: bytearray) -> None:
    content[18:20] = struct.pack("<H", 183 if content[18] != 183 else 62)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (other_machine, "it is for ARM64, but this machine is x86_64"),
        (put(4, b"\1"), "it is for a 32-bit machine"),
        (put(5, b"\2"), "it is for a big-endian machine"),
        (put(16, b"\1\0"), "it is an object file that is not linked, not a shared object"),
        (put(16, b"\2\0"), "it is a program, not a shared object"),
        (put(0, b"\xcf\xfa\xed\xfe"), "it is a macOS file (Mach-O), not a Linux shared object"),
        (put(0, b"!<arch>\n"), "it is a static library (an archive of object files), not a Linux shared object"),
        (put(0, b"MZ"), "it is a Windows file (PE), not a Linux shared object"),
        (put(0, b"<!DOCTYPE html>"), "not an ELF file, so not a Linux shared object"),
        (put(32, b"\xff" * 8), "a damaged ELF file: a table points outside the file"),
        (put(56, b"\0\0"), "it has no dynamic section, so it cannot be loaded"),
        (lambda content: content.clear(), "the file is empty"),
        (lambda content: content.__delitem__(slice(30, None)), "a damaged ELF file: it ends in the middle of the header"),
    ],
)
def test_other_files(files: Files, change: Callable[[bytearray], None], expected: str) -> None:
    import platform

    if platform.machine() != "x86_64" and "ARM64" in expected:
        pytest.skip("the words are of another machine")
    assert reason(changed(files.algorithm("script_1"), change)).startswith(expected)


def test_a_program_of_this_machine(program: Path) -> None:
    assert reason(program) == "it is a program, not a shared object"


def test_missing_and_unreadable(tmp_path: Path) -> None:
    assert reason(tmp_path / "none.so") == "cannot be read: No such file or directory"
    assert reason(tmp_path) == "cannot be read: Is a directory"


@given(st.binary(max_size=300), st.booleans())
@settings(max_examples=200)
def test_whatever_a_file_holds_is_no_other_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, begins_well: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "random.so"
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HH", 3, 62)
    path.write_bytes(head + content if begins_well else content)
    with pytest.raises(NotLoadableError):
        examine(path)


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    folder = tmp_path_factory.mktemp("real")
    return folder / "damaged.so", Files(shared, folder).manager("good").read_bytes()


@given(st.data())
@settings(max_examples=150)
def test_however_a_real_file_is_damaged_there_is_no_other_error(real: tuple[Path, bytes], data: st.DataObject) -> None:
    path, content = real
    damaged = bytearray(content[: data.draw(st.integers(0, len(content)), label="length")])
    for _ in range(data.draw(st.integers(0, 6), label="wounds")):
        if damaged:
            # Most of what leads anywhere is near the beginning.
            place = data.draw(st.one_of(st.integers(0, min(len(damaged), 0x3000) - 1), st.integers(0, len(damaged) - 1)))
            wound = data.draw(st.binary(min_size=1, max_size=8))
            damaged[place : place + len(wound)] = wound
    path.write_bytes(damaged)
    with suppress(NotLoadableError):
        examine(path)


def test_the_loaders_cache() -> None:
    name, path = b"libx.so.1\0", b"/lib/libx.so.1\0"
    start = 48 + 24
    entry = struct.pack("<iIIIQ", 0x303, start, start + len(name), 0, 0)
    content = struct.pack("<20sII5I", b"glibc-ld.so.cache1.1", 1, len(name + path), *[0] * 5) + entry + name + path
    assert read_cache(content) == {"libx.so.1": ["/lib/libx.so.1"]}
    assert read_cache(b"ld.so-1.7.0\0" + bytes(20) + content[:0] + content)  # an old cache before the new one
    for length in range(len(content)):
        read_cache(content[:length])
    assert all(paths for paths in cached_libraries().values())


def test_demangled_symbols() -> None:
    assert demangle("_ZN5BoardC1Ev") == "Board::Board()"
    assert demangle("memcpy") == "memcpy"
    assert demangle("_Znonsense") == "_Znonsense"
    assert demangle_words("x.so: undefined symbol: _ZN5Board5sizesEv, twice") == "x.so: undefined symbol: Board::sizes(), twice"
