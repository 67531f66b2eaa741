"""Environments are made with real uv or pip from a folder of wheels: as a whole or not at all, and one for equal locks."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.intake.making import plant
from tests.intake.wheels import make_wheel

from tiltyard_engine.registry.environments import ENVIRONMENTS, TEAMS_FILE, environment_of, packages_folder, read_teams
from tiltyard_intake.environments.allowed import allowed_of
from tiltyard_intake.environments.installers import Installer
from tiltyard_intake.environments.locks import LockError, read_lock, read_pip_report
from tiltyard_intake.environments.team_environments import Equipped, TeamEnvironments

PIP = [sys.executable, "-m", "pip"]
KILLED = """
import sys
from pathlib import Path
from tests.intake.environments.test_team_environments import equipped
from tiltyard_intake.environments.installers import Installer
class Slow(Installer):
    def install(self, lock, folder):
        super().install(lock, folder)
        print("installed", flush=True)
        sys.stdin.read()
equipped(Path(sys.argv[1]), Path(sys.argv[2]), Slow(Path(sys.argv[2])))
"""


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    make_wheel(folder, "shared", "1.0")
    make_wheel(folder, "shared", "2.0", requires=["inner>=1"])
    make_wheel(folder, "inner", "1.5")
    return folder


def asking(tree: Path, requirements: str) -> tuple[Path, list[str], str]:
    """A team that asks for something."""
    return plant(tree, {"requirements.txt": requirements}), ["requirements.txt"], ""


def equipped(base: Path, wheels: Path, installer: Installer | None = None, requirements: str = "shared") -> Equipped:
    environments = TeamEnvironments(base / "teams", allowed_of([], wheels), installer)
    return environments.equip(*asking(base / "trees" / str(abs(hash(requirements))), requirements))


def made(base: Path) -> list[str]:
    return sorted(path.name for path in (base / "teams" / ENVIRONMENTS).iterdir() if len(path.name) == 40)


def test_equal_locks_share_one_environment(wheels: Path, tmp_path: Path) -> None:
    asked = ["shared", "shared>1", "shared==1.0", "inner\nshared"]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: equipped(tmp_path, wheels, requirements=text), asked))
    assert [each.packages for each in found] == [("inner 1.5", "shared 2.0")] * 2 + [("shared 1.0",), ("inner 1.5", "shared 2.0")]
    assert made(tmp_path) == sorted({each.digest for each in found})
    folder = tmp_path / "teams" / ENVIRONMENTS / found[0].digest
    said = subprocess.run(
        [folder / "bin" / "python", "-c", "import shared; print(shared.VERSION)"], capture_output=True, text=True, check=True
    )
    assert said.stdout == "2.0\n"
    lock = (folder / "lock.txt").read_text()
    assert "shared==2.0 \\\n    --hash=sha256:" in lock
    # A newer version changes nothing for those who are locked, in the same folder of wheels as it was.
    environments = TeamEnvironments(tmp_path / "teams", allowed_of([], wheels), Installer(wheels, ["/nowhere/uv"]))
    assert environments.equip(*asking(tmp_path / "again", "shared")).digest == found[0].digest


def test_folders_of_teams_can_share_them(wheels: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    found = []
    for number, installer in enumerate((None, Installer(wheels, ["/nowhere/uv"]))):
        teams = plant(tmp_path / "versions" / str(number) / "teams", {"team.py": ""})
        environments = TeamEnvironments(teams, allowed_of([], wheels), installer, shared)
        digest = environments.equip(*asking(tmp_path / "tree", "shared")).digest
        environments.assign([teams / "team.py"], digest)
        found.append(environment_of(teams / "team.py"))
    assert found == [str(shared / digest)] * 2
    # The links are good wherever all of it lies.
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("shared", "versions"):
        (tmp_path / name).rename(moved / name)
    assert environment_of(moved / "versions" / "1" / "teams" / "team.py") == str(moved / "shared" / digest)


def test_pip_makes_them_where_there_is_no_uv(wheels: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("pip") is None:
        pytest.skip("no pip here")
    found = equipped(tmp_path, wheels, Installer(wheels, PIP))
    assert found.packages == ("inner 1.5", "shared 2.0")
    assert (packages_folder(tmp_path / "teams" / ENVIRONMENTS / found.digest) / "shared.py").is_file()


def test_what_is_killed_in_the_middle_leaves_nothing_half(wheels: Path, tmp_path: Path) -> None:
    root = str(Path(__file__).parents[3])
    environment = {**os.environ, "PYTHONPATH": root}
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(wheels)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"installed\n"
        process.send_signal(signal.SIGKILL)
    assert made(tmp_path) == []
    assert len([*(tmp_path / "teams" / ENVIRONMENTS).iterdir()]) == 2  # the locks, and the half of it
    found = equipped(tmp_path, wheels)
    assert made(tmp_path) == [found.digest]
    assert {path.name for path in (tmp_path / "teams" / ENVIRONMENTS).iterdir()} == {"locks", found.digest}


def test_what_cannot_be_had_is_said(wheels: Path, tmp_path: Path) -> None:
    error = equipped(tmp_path, wheels, requirements="shared==3").error
    assert f"the wheels in {wheels} don't give what is asked for" in error
    assert "shared==3" in error
    unreachable = Installer(None, ["uv", "--offline"])
    assert "the package index can't be reached: run this again later, or use --wheels FOLDER" in unreachable._in_words(
        "error: Failed to fetch: `https://pypi.org/simple/shared/`"
    )


def test_a_dry_run_asks_no_index_and_writes_nothing(wheels: Path, tmp_path: Path) -> None:
    environments = TeamEnvironments(tmp_path / "teams", allowed_of([], wheels), Installer(wheels, ["/nowhere/uv"]))
    found = environments.equip(*asking(tmp_path / "tree", "shared>1\ninner"), is_dry=True)
    assert (found.note, found.error) == ("would install shared>1, inner", "")
    assert not (tmp_path / "teams").exists()


def test_who_runs_on_which_is_written_down(wheels: Path, tmp_path: Path) -> None:
    teams = plant(tmp_path / "teams", {"ann.py": "", "ben.py": "", "sub/cem.py": ""})
    environments = TeamEnvironments(teams, allowed_of([], wheels))
    digest = environments.equip(*asking(tmp_path / "tree", "shared")).digest
    environments.assign([teams / "ann.py", teams / "sub" / "cem.py"], digest)
    environments.assign([teams / "ben.py"], digest)
    assert Path(environment_of(teams / "ann.py")).name == digest
    environments.assign([teams / "ann.py"], "")
    assert read_teams(teams) == {"ben.py": digest}
    (teams / "ben.py").unlink()
    environments.assign((), "")
    assert json.loads((teams / ENVIRONMENTS / TEAMS_FILE).read_text()) == {}


@pytest.mark.parametrize("archive", [{"hash": "sha256=ab12"}, {"hash": "sha256=ab12", "hashes": {"sha256": "ab12"}}])
def test_reports_of_old_and_new_pips_are_read(archive: object) -> None:
    # pip 23.0, which Debian 12 has, says a hash in one text; later ones say both.
    report = {"metadata": {"name": "shared", "version": "2.0"}, "download_info": {"url": "x/a.whl", "archive_info": archive}}
    assert "--hash=sha256:ab12" in read_pip_report(json.dumps({"install": [report]})).text


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_lock, "shared>=1\n"),
        (read_lock, "shared==1.0\n"),
        (read_lock, ""),
        (read_pip_report, "[]"),
        (read_pip_report, '{"install": [{"metadata": {"name": "a", "version": "1"}, "download_info": {"url": "x/a.tar.gz"}}]}'),
    ],
)
def test_what_is_no_lock_is_refused(read: object, text: str) -> None:
    assert callable(read)
    with pytest.raises(LockError):
        read(text)
