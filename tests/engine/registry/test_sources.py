"""Where plugins are looked for, and in which order."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.making import install, project, row_of, team_source, unique, write

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry, Source, installed_sources, load_source, path_sources
from tiltyard_engine.registry.sources import Origin, is_of


def found(group: str = "tiltyard", *distributions: str) -> list[Source]:
    """Installed sources of these distributions, in their order."""
    return [source for source in installed_sources(group) if source.distribution in distributions]


def test_installed_plugins_are_sorted_by_name_then_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "zeta-team", "2.0", {"bot": "zeta", "ant": "zeta.ant"})
    install(tmp_path, "alpha-team", "1.0", {"cow": "alpha:plugin", "bot": "alpha"})
    names = [(source.name, source.distribution) for source in found("tiltyard", "alpha-team", "zeta-team")]
    assert names == [("ant", "zeta-team"), ("bot", "alpha-team"), ("bot", "zeta-team"), ("cow", "alpha-team")]


def test_the_hosts_own_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "aaa-team", "1.0", {"aaa": "aaa"})
    install(tmp_path, "zeta-team", "1.0", {"zeta": "zeta"})
    own = frozenset(["zeta-team", "tiltyard-acorn"])
    names = [source.name for source in installed_sources(own=own)]
    assert names[:3] == ["acorn", "zeta", "aaa"]
    assert [is_of(source, own) for source in installed_sources(own=own)[:3]] == [True, True, False]
    assert installed_sources()[0].name == "aaa"


def test_only_what_is_installed_is_of_a_distribution(tmp_path: Path) -> None:
    project(tmp_path / "project", "tiltyard-acorn", {"acorn": "acorn"})
    (source,) = path_sources(tmp_path / "project")
    assert source.distribution == "tiltyard-acorn"
    assert not is_of(source, frozenset(["tiltyard-acorn"]))


def test_a_project_does_not_choose_its_folder_by_a_link(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    folder = project(tmp_path / "cunning", "cunning", {"cunning": "cunning"})
    (folder / "src").symlink_to(secrets)
    (source,) = path_sources(folder)
    assert source.error == f"pyproject.toml: src is a link to {secrets}, outside the project"
    assert source.folder == str(folder)


def test_an_installed_source_knows_its_distribution_and_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "Thunder_Team", "0.3", {"thunder": "thunder:plugin"})
    (source,) = found("tiltyard", "thunder-team")
    assert source == Source(
        name="thunder", origin=Origin.INSTALLED, value="thunder:plugin", distribution="thunder-team", version="0.3"
    )
    assert str(source) == "thunder (thunder-team 0.3)"


def test_other_groups_are_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "a-commander", "1", {"tool": "tool"}, group="tiltyard.commands")
    assert found("tiltyard", "a-commander") == []
    assert [source.name for source in found("tiltyard.commands", "a-commander")] == ["tool"]


def test_a_distribution_seen_twice_counts_once_as_the_first_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for site, version, entries in (("stale", "1.0", {"twin": "old", "gone": "gone"}), ("fresh", "2.0", {"twin": "new"})):
        (tmp_path / site).mkdir()
        monkeypatch.syspath_prepend(tmp_path / site)
        install(tmp_path / site, "twin-team", version, entries)
    assert [(source.name, source.value, source.version) for source in found("tiltyard", "twin-team")] == [("twin", "new", "2.0")]


def test_broken_metadata_of_a_distribution_is_its_own_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    folder = install(tmp_path, "broken-team", "1.0", {})
    write(folder / "entry_points.txt", "[tiltyard]\nno equals sign here\n")
    install(tmp_path, "sound-team", "1.0", {"sound": "sound"})
    broken, sound = sorted(found("tiltyard", "broken-team", "sound-team"), key=lambda source: source.distribution)
    assert sound.error == ""
    assert broken.name == "broken-team"
    assert "entry_points.txt" in broken.error


def test_broken_metadata_of_a_distribution_that_is_no_plugin_is_nobodys_business(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    folder = install(tmp_path, "stranger", "1.0", {})
    write(folder / "entry_points.txt", "[console_scripts]\nno equals sign here\n")
    assert found("tiltyard", "stranger") == []


def test_distributions_without_metadata_are_still_all_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("bare", "naked"):
        (install(tmp_path, f"{name}-team", "1.0", {name: name}) / "METADATA").unlink()
    nameless = [str(source) for source in installed_sources() if source.name in ("bare", "naked")]
    assert nameless == ["bare (unknown)", "naked (unknown)"]


def test_with_the_backport_of_the_standard_librarys_metadata_too(tmp_path: Path) -> None:
    """Dask imports it, and from then on it finds the distributions."""
    pytest.importorskip("importlib_metadata", reason="the backport is not installed")
    (install(tmp_path, "bare-team", "1.0", {"bare": "bare"}) / "METADATA").unlink()
    code = f"import sys, importlib_metadata; sys.path.insert(0, {str(tmp_path)!r})\n"
    code += "from tiltyard_engine.registry import installed_sources\n"
    code += "print([str(source) for source in installed_sources() if source.name == 'bare'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['bare (unknown)']\n", "")


def test_a_file(tmp_path: Path) -> None:
    path = write(tmp_path / "bot.py", "")
    (source,) = path_sources(path)
    assert source == Source(name="bot", origin=Origin.FILE, value=str(path))
    assert str(source) == str(path)


def test_a_package_folder(tmp_path: Path) -> None:
    write(tmp_path / "bot" / "__init__.py", "")
    assert path_sources(tmp_path / "bot") == [Source(name="bot", origin=Origin.PACKAGE, value=str(tmp_path / "bot"))]


def test_a_project_folder_has_a_source_an_entry_point(tmp_path: Path) -> None:
    folder = project(tmp_path / "thunder", "thunder-team", {"two": "thunder.two", "one": "thunder:one"}, "0.3")
    one, two = path_sources(folder)
    assert one == Source(
        name="one", origin=Origin.PROJECT, value="thunder:one", distribution="thunder-team", version="0.3", folder=str(folder)
    )
    assert (two.name, two.value) == ("two", "thunder.two")
    assert str(one) == str(folder)


def test_a_project_is_imported_from_src_where_it_has_one(tmp_path: Path) -> None:
    folder = project(tmp_path / "thunder", "thunder-team", {"thunder": "thunder"})
    (folder / "src").mkdir()
    (source,) = path_sources(folder)
    assert source.folder == str(folder / "src")


def test_a_folder_of_all_kinds_is_sorted_by_name(tmp_path: Path) -> None:
    write(tmp_path / "b.py", "")
    write(tmp_path / "a" / "__init__.py", "")
    project(tmp_path / "c", "c-team", {"see": "c"})
    write(tmp_path / ".hidden" / "__init__.py", "")
    write(tmp_path / "__pycache__" / "b.py", "")
    write(tmp_path / "notes.txt", "not a plugin")
    write(tmp_path / "maps" / "one.txt", "not a plugin either")
    assert [source.name for source in path_sources(tmp_path)] == ["a", "b", "see"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[project\nname = 3", "pyproject.toml: "),
        ("project = 3", "pyproject.toml: "),
        ("[project]\nentry-points = 3", "pyproject.toml: "),
        ("[project]\nname = 'x'", "no entry point in the group 'tiltyard'"),
        ("[project.entry-points.tiltyard]", "no entry point in the group 'tiltyard'"),
        ("[tool.ruff]", "no entry point in the group 'tiltyard'"),
    ],
)
def test_an_unusable_project_does_not_spoil_the_folder_it_lies_in(tmp_path: Path, text: str, reason: str) -> None:
    write(tmp_path / "bad" / "pyproject.toml", text)
    name = unique("good")
    write(tmp_path / f"{name}.py", team_source(name))
    registry = Registry.from_paths([tmp_path])
    assert row_of(registry, name).status == "ok"
    bad = row_of(registry, "bad")
    assert (bad.status, bad.file) == ("failed", str(tmp_path / "bad"))
    assert reason in bad.reason


def test_a_pyproject_in_another_encoding_is_reported(tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "pyproject.toml").write_bytes(b"\xff\xfe")
    (source,) = path_sources(tmp_path / "bad")
    assert source.error.startswith("pyproject.toml: 'utf-8' codec")


def test_python_files_in_a_folder_that_is_no_package_are_reported(tmp_path: Path) -> None:
    write(tmp_path / "alice" / "bot.py", "")
    (row,) = Registry.from_paths([tmp_path]).rows
    assert (row.name, row.status, row.file) == ("alice", "failed", str(tmp_path / "alice"))
    assert row.reason == "contains Python files, but none of them is a plugin, and there is no pyproject.toml with entry points"


def test_a_folder_that_cannot_be_read_does_not_spoil_its_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "good" / "__init__.py", "")
    (tmp_path / "locked").mkdir()
    is_file = Path.is_file

    def refusing(path: Path) -> bool:
        if path.parent.name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refusing)
    good, locked = path_sources(tmp_path)
    assert good.error == ""
    assert locked.error == "cannot be read: Permission denied"


def test_a_project_above_its_teams_is_only_the_folder_they_lie_in(tmp_path: Path) -> None:
    """A course's repository may have a pyproject.toml of its own, for its tools."""
    write(tmp_path / "pyproject.toml", "[tool.ruff]\n")
    write(tmp_path / "bot.py", "")
    assert [source.name for source in path_sources(tmp_path)] == ["bot"]


def test_a_path_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"bot\.py: no such file or folder"):
        path_sources(tmp_path / "bot.py")


def test_python_is_known_in_capitals_too(tmp_path: Path) -> None:
    write(tmp_path / "Bot.PY", "")
    (source,) = path_sources(tmp_path)
    assert (source, source.origin) == (path_sources(tmp_path / "Bot.PY")[0], Origin.FILE)
    write(tmp_path / "bot.py", "")
    assert [source.name for source in path_sources(tmp_path)] == ["Bot", "bot"]


@pytest.mark.parametrize("name", ["bot.pyw", "Bot.PYW", "bot.pyc", "bot.py.txt"])
def test_what_is_almost_python_says_what_to_do(name: str, tmp_path: Path) -> None:
    write(tmp_path / name, "")
    words = rf"{name.partition('.')[0]}\.py$"
    with pytest.raises(UserError, match=words):
        path_sources(tmp_path / name)
    (source,) = path_sources(tmp_path)
    assert re.search(words, source.error)
    # Beside its source it is of no interest.
    write(tmp_path / f"{name.partition('.')[0]}.py", "")
    assert [source.error for source in path_sources(tmp_path)] == [""]


def test_a_file_that_is_not_python(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"bot\.txt: not a plugin: expected a folder, a \.py or \.so file"):
        path_sources(write(tmp_path / "bot.txt", ""))


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


SPECIAL: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "is a pipe, expected a file"),
    "socket": (make_socket, "is a socket, expected a file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "is a device, expected a file"),
    "loop": (lambda path: path.symlink_to(path.name), "cannot be read: Too many levels of symbolic links"),
    "nowhere": (lambda path: path.symlink_to("nowhere/at/all"), "is a link to a file that doesn't exist"),
}


@pytest.mark.parametrize("suffix", [".py", ".so"])
@pytest.mark.parametrize("kind", SPECIAL)
def test_a_special_file_is_a_row_and_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, suffix: str) -> None:
    make, reason = SPECIAL[kind]
    monkeypatch.chdir(tmp_path)
    make(Path(f"{kind}{suffix}"))
    name = unique("good")
    write(tmp_path / f"{name}.py", team_source(name))
    registry = Registry.from_paths([tmp_path])
    assert row_of(registry, name).status == "ok"
    row = row_of(registry, kind)
    assert (row.status, row.reason, row.file) == ("failed", reason, str(tmp_path / f"{kind}{suffix}"))
    with pytest.raises(UserError) as caught:
        path_sources(tmp_path / f"{kind}{suffix}")
    assert str(caught.value).endswith(reason)


def test_a_path_that_is_no_text_is_a_row(tmp_path: Path) -> None:
    name = unique("good")
    write(tmp_path / f"{name}.py", team_source(name))
    Path(os.fsdecode(bytes(tmp_path) + b"/bot\xff.py")).write_text(team_source("bot"))
    Path(os.fsdecode(bytes(tmp_path) + b"/team\xff")).mkdir()
    Path(os.fsdecode(bytes(tmp_path) + b"/team\xff/__init__.py")).write_text(team_source("team"))
    registry = Registry.from_paths([tmp_path])
    assert row_of(registry, name).status == "ok"
    assert [row.reason for row in registry.failures()] == ["its path is not valid UTF-8; rename it"] * 2
    assert all(row.name.isprintable() for row in registry.rows)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a=" + "[" * 200_000, "pyproject.toml: lists or tables nested too deeply"),
        ("a=" + "x" * 300_000, "pyproject.toml: more than 262144 bytes"),
        ("[project.entry-points.tiltyard]\nbot = 3", "pyproject.toml: the entry point 'bot' is an integer (3), expected a string"),
        (
            "[project.entry-points.tiltyard.bot]\nbot = 3",
            "pyproject.toml: the entry point 'bot' is an object ({'bot': 3}), expected",
        ),
        (
            "[project.entry-points.tiltyard]\n" + "".join(f"bot{number} = 'bot'\n" for number in range(101)),
            "pyproject.toml: 101 entry points in the group 'tiltyard'; at most 100 are allowed",
        ),
    ],
)
def test_a_project_made_to_stop_the_reader_is_a_row(tmp_path: Path, text: str, reason: str) -> None:
    write(tmp_path / "bad" / "pyproject.toml", text)
    (row,) = Registry.from_paths([tmp_path]).rows
    assert row.status == "failed"
    assert row.reason.startswith(reason)


@pytest.mark.parametrize(
    ("file", "data", "reason"),
    [
        ("METADATA", b"Name: bad\xff-team\nVersion: 1\n", "METADATA: 'utf-8' codec can't decode"),
        ("entry_points.txt", b"[tiltyard]\nbad = \xff\n", "entry_points.txt: 'utf-8' codec can't decode"),
    ],
)
def test_metadata_that_are_no_text_are_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, data: bytes, reason: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "sound-team", "1.0", {"sound": "sound"})
    (install(tmp_path, "bad-team", "1.0", {"bad": "bad"}) / file).write_bytes(data)
    assert [source.error for source in found("tiltyard", "sound-team")] == [""]
    (bad,) = [source for source in installed_sources() if source.error]
    assert bad.error.startswith(reason)


PARTS = ("bot", ".py", ".so", "\n", "\x1b[2J", "\udcff", " ", "é", "-", "__init__.py", "pyproject.toml", "program.toml", "~", ".")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join),
            st.sampled_from(["file", "folder", "package", "project", "program", *SPECIAL]),
            st.binary(max_size=40),
        ),
        max_size=6,
    )
)
def test_whatever_a_folder_holds_is_a_row(tmp_path_factory: pytest.TempPathFactory, children: list[tuple[str, str, bytes]]) -> None:
    folder = tmp_path_factory.mktemp("fuzzed")
    insides = {"package": "__init__.py", "project": "pyproject.toml", "program": "program.toml"}
    before = Path.cwd()
    os.chdir(folder)
    try:
        for name, kind, data in children:
            path = Path(name)
            if name in (".", "..") or path.exists() or path.is_symlink():
                continue
            if kind in SPECIAL:
                SPECIAL[kind][0](path)
            elif kind == "file":
                path.write_bytes(data)
            else:
                path.mkdir()
                if kind in insides:
                    (path / insides[kind]).write_bytes(data)
    finally:
        os.chdir(before)
    for source in path_sources(folder):
        assert source.error or f"{source}".encode()
        assert load_source(source).problems or source.origin in (Origin.FILE, Origin.PACKAGE)


def test_an_empty_folder_has_no_plugins(tmp_path: Path) -> None:
    assert path_sources(tmp_path) == []
