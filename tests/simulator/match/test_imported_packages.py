"""The digest of an installed plugin is that of the files that are imported."""

from __future__ import annotations

import hashlib
import os
import py_compile
import shutil
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.engine.making import install, team_source, write

import tiltyard_acorn
from tiltyard_engine.registry.sources import Origin, Source, installed_sources
from tiltyard_simulator.match import plugin_files
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.plugin_files import imported_from_elsewhere, installed_files

ACORN = Path(str(tiltyard_acorn.__file__)).parent
ASK = """
import sys
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.sources import installed_sources
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.plugin_files import imported_from_elsewhere, installed_files
name = sys.argv[1]
source = next(source for source in installed_sources() if source.distribution == name)
try:
    print(code_digest(source))
    print(*imported_from_elsewhere(name), sep="; ")
    print(*installed_files(name))
except UserError as error:
    print(error)
"""


@contextmanager
def importing_from(*path: Path) -> Iterator[None]:
    """As in a process with these folders in PYTHONPATH, which has imported no plugin and looked for none."""
    before = {name: sys.modules[name] for name in sys.modules if name.partition(".")[0] == tiltyard_acorn.__name__}
    with pytest.MonkeyPatch.context() as patch:
        for name in before:
            patch.delitem(sys.modules, name)
        for folder in reversed(path):
            patch.syspath_prepend(str(folder))
        forget()
        yield
    forget()


def forget() -> None:
    plugin_files.forget()
    code_digest.cache_clear()


def ask(*path: Path, distribution: str = "tiltyard-acorn") -> list[str]:
    """With these folders on the path: the digest, what is imported from elsewhere, what is the plugin's."""
    with importing_from(*path):
        source = next(source for source in installed_sources() if source.distribution == distribution)
        elsewhere = "; ".join(map(str, imported_from_elsewhere(distribution)))
        return [code_digest(source), elsewhere, " ".join(installed_files(distribution))]


def ask_process(*path: Path, words: tuple[str, ...] = ("-P", "-c", ASK), cwd: Path | None = None) -> list[str]:
    """What a new process with these folders in PYTHONPATH says."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    done = subprocess.run(
        [sys.executable, *words, "tiltyard-acorn"],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def copy_of_acorn(folder: Path, changed: bool) -> Path:
    """The folder with a copy of the package in it."""
    package = shutil.copytree(ACORN, folder / "tiltyard_acorn")
    if changed:
        with (package / "tank.py").open("a") as file:
            file.write("# another\n")
    return folder


def test_a_copy_that_comes_first_counts_with_what_is_in_it(tmp_path: Path) -> None:
    installed, told, _ = ask()
    assert told == ""
    equal, told, own = ask(copy_of_acorn(tmp_path / "equal", changed=False))
    assert equal == installed
    assert ask_process(tmp_path / "equal") == [equal, told, own]
    copy = tmp_path / "equal" / "tiltyard_acorn"
    assert told == f"the package tiltyard_acorn is imported from {copy}, not from {ACORN} of the installed tiltyard-acorn"
    # Other teams may read neither of them.
    assert {str(copy), str(ACORN.parent)} < set(own.split())
    changed, told, _ = ask(copy_of_acorn(tmp_path / "changed", changed=True))
    assert changed != installed
    assert str(tmp_path / "changed" / "tiltyard_acorn") in told


def test_the_way_of_the_copy_plays_no_part(tmp_path: Path) -> None:
    """Whether a folder, a link, an archive, in any order with others."""
    changed = copy_of_acorn(tmp_path / "changed", changed=True)
    digest = ask(changed)[0]
    (tmp_path / "link").symlink_to(changed)
    (tmp_path / "other").mkdir()
    assert ask(tmp_path / "link")[0] == digest
    assert ask(tmp_path / "other", changed, copy_of_acorn(tmp_path / "equal", changed=False))[0] == digest
    archive = tmp_path / "changed.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted((changed / "tiltyard_acorn").glob("*.py")):
            file.write(path, f"tiltyard_acorn/{path.name}")
    zipped, told, _ = ask(archive)
    assert len({zipped, digest, ask()[0]}) == 3
    assert f"imported from {archive}, not from" in told


def test_one_module_that_a_project_contains_twice(tmp_path: Path) -> None:
    """Both files belong to the project, so that what it contains does not say which one is imported."""
    project = tmp_path / "project"
    site = tmp_path / "site"
    write(project / "pyproject.toml", "[project]\nname = 'hazel'\n")
    for folder, action in (("src", "SHOOT"), ("old", "MOVE_FORWARD")):
        write(project / folder / "hazel.py", team_source("hazel", action=f"return ActionRequest.{action}"))
    about = install(site, "hazel", "1.0", {"hazel": "hazel", "also-hazel": "hazel:other"})
    write(about / "direct_url.json", f'{{"url": "file://{project}", "dir_info": {{"editable": true}}}}')
    write(site / "hazel.pth", f"{project}/src\n")
    write(about / "RECORD", f"hazel.pth,,\n{about.name}/RECORD,,\n")
    first, told, _ = ask(project / "src", site, distribution="hazel")
    assert told == ""
    second, told, _ = ask(project / "old", project / "src", site, distribution="hazel")
    assert first != second
    assert told == (
        f"the package hazel is imported from {project}/old/hazel.py, not from {project}/src/hazel.py of the installed hazel"
    )


def test_what_no_metadata_list_counts_as_well(tmp_path: Path) -> None:
    write(tmp_path / "walnut.py", team_source("walnut"))
    install(tmp_path, "walnut", "1.0", {"walnut": "walnut"})
    before = ask(tmp_path, distribution="walnut")[0]
    write(tmp_path / "walnut.py", team_source("walnut", action="return ActionRequest.MOVE_FORWARD"))
    assert ask(tmp_path, distribution="walnut")[0] != before


def test_distributions_that_share_a_package_without_code(tmp_path: Path) -> None:
    """A package below it belongs to one of them; of two places, the first on the path counts."""
    site = tmp_path / "site"
    for name in ("birch", "cedar"):
        file = write(site / "trees" / name / "__init__.py", team_source(name))
        digest = urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
        about = install(site, name, "1.0", {name: f"trees.{name}"})
        write(about / "RECORD", f"trees/{name}/__init__.py,sha256={digest},\n{about.name}/RECORD,,\n")
    installed, told, _ = ask(site, distribution="birch")
    assert told == ""
    write(tmp_path / "copy" / "trees" / "birch" / "__init__.py", team_source("birch"))
    equal, told, _ = ask(tmp_path / "copy", site, distribution="birch")
    assert equal == installed
    assert told.startswith(f"the package trees.birch is imported from {tmp_path}/copy/trees/birch")
    write(tmp_path / "copy" / "trees" / "birch" / "more.py", "x = 1\n")
    assert ask(tmp_path / "copy", site, distribution="birch")[0] != installed
    assert ask(tmp_path / "copy", site, distribution="cedar")[1] == ""


def test_what_only_this_process_would_import_is_refused(tmp_path: Path) -> None:
    """Matches are played by processes that don't see the folder of the main script."""
    folder = copy_of_acorn(tmp_path / "here", changed=True)
    script = write(folder / "ask.py", ASK)
    copy = folder / "tiltyard_acorn"
    refusal = (
        f"the package tiltyard_acorn is imported from {copy} in this process, but from {ACORN} where matches are played;"
        f" remove one of the two, or start tiltyard from another folder than {folder}"
    )
    assert ask_process(words=(str(script),)) == [refusal]
    assert ask_process(words=("-m", "ask"), cwd=folder) == [refusal]
    # Named by PYTHONPATH, they see it too.
    assert ask_process(folder, words=(str(script),))[0] == ask(folder)[0]


@pytest.mark.parametrize("is_checked", [True, False])
def test_byte_code_that_python_runs_without_a_look_at_the_source(tmp_path: Path, is_checked: bool) -> None:
    folder = copy_of_acorn(tmp_path / "copy", changed=False)
    tank = folder / "tiltyard_acorn" / "tank.py"
    digest = ask(folder)[0]
    mode = py_compile.PycInvalidationMode.CHECKED_HASH if is_checked else py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(tank), invalidation_mode=mode, doraise=True)
    assert (ask(folder)[0] == digest) is is_checked


def test_byte_code_instead_of_a_source(tmp_path: Path) -> None:
    folder = copy_of_acorn(tmp_path / "copy", changed=False)
    tank = folder / "tiltyard_acorn" / "tank.py"
    found: set[str] = set()
    for text in ("x = 1\n", "x = 2\n"):
        tank.write_text(text)
        py_compile.compile(str(tank), cfile=str(tank.with_suffix(".pyc")), doraise=True)
        tank.unlink()
        found.add(ask(folder)[0])
    assert len(found) == 2


def test_nothing_of_this_project_is_imported_from_elsewhere() -> None:
    for source in installed_sources():
        assert imported_from_elsewhere(source.distribution) == ()
        assert len(code_digest(source)) == 32


def test_a_files_digest_is_new_when_only_its_time_is_the_same(tmp_path: Path) -> None:
    bot = write(tmp_path / "bot.py", "x = 1\n")
    source = Source(name="bot", origin=Origin.FILE, value=str(bot))
    code_digest.cache_clear()
    before, times = code_digest(source), bot.stat()
    bot.write_text("x = 2\n")
    os.utime(bot, ns=(times.st_atime_ns, times.st_mtime_ns))
    code_digest.cache_clear()
    assert code_digest(source) != before


def test_a_package_without_code_of_its_own_in_two_places(tmp_path: Path) -> None:
    """Python imports its modules from both; of two with one name, the first."""
    for folder, file in (("site", "elm"), ("site", "oak"), ("copy", "elm")):
        write(tmp_path / folder / "wood" / f"{file}.py", team_source(file))
    about = install(tmp_path / "site", "wood", "1.0", {"wood": "wood"})
    write(about / "RECORD", f"wood/elm.py,,\nwood/oak.py,,\n{about.name}/RECORD,,\n")
    installed, told, _ = ask(tmp_path / "site", distribution="wood")
    assert told == ""
    assert ask(tmp_path / "copy", tmp_path / "site", distribution="wood")[0] == installed
    write(tmp_path / "copy" / "wood" / "oak.py", "x = 1\n")
    assert ask(tmp_path / "copy", tmp_path / "site", distribution="wood")[0] != installed
