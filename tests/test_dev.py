"""``dev.py`` installs what uv.lock names, and finds other Pythons."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest
from tests.scripts import ROOT, load_script


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    """The script, as a module."""
    return load_script("dev.py")


def test_all_that_is_locked_is_constrained(dev: ModuleType) -> None:
    locked = dev.read_toml(ROOT / "uv.lock")["package"]
    names = {package["name"] for package in locked}
    constrained = {re.split("==", line)[0] for line in dev.locked_versions()}
    assert names - constrained == {name for name in names if name.startswith("tiltyard")}


def test_a_package_with_several_versions_has_them_apart(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "uv.lock"
    entry = '[[package]]\nname = "{}"\nversion = "{}"\nsource = {}\n{}\n'
    registry = '{ registry = "https://pypi.org/simple" }'
    lock.write_text(
        entry.format("numpy", "2.4", registry, "resolution-markers = [\"python_full_version < '3.12'\"]")
        + entry.format("numpy", "2.5", registry, "resolution-markers = [\"python_full_version >= '3.15'\", \"os_name == 'nt'\"]")
        + entry.format("rich", "15.0", registry, "")
        + entry.format("tiltyard", "0.1", '{ editable = "." }', "")
    )
    monkeypatch.setattr(dev, "LOCK", lock)
    assert dev.locked_versions() == [
        "numpy==2.4 ; (python_full_version < '3.12')",
        "numpy==2.5 ; (python_full_version >= '3.15') or (os_name == 'nt')",
        "rich==15.0",
    ]


def test_what_is_installed_here_is_what_is_locked(dev: ModuleType) -> None:
    """But for a package with several versions, of which pip knows which is meant."""
    pinned = dict(line.split("==") for line in dev.locked_versions() if ";" not in line)
    present = {re.sub(r"[-_.]+", "-", found.name).lower(): found.version for found in metadata.distributions()}
    both = pinned.keys() & present.keys()
    assert {"pluggy", "pytest", "msgspec"} <= both
    assert {name: present[name] for name in both} == {name: pinned[name] for name in both}


def test_a_build_of_the_same_sources_is_taken_from_those_that_were_kept(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def build(*words: str, environment: Mapping[str, str] | None = None) -> None:
        if "wheel" in words:
            folder = Path(words[words.index("--wheel-dir") + 1])
            folder.mkdir(parents=True)
            built.append((Path(words[-1]) / "rules.py").read_text())
            (folder / "rules.whl").write_text(built[-1])

    sources = [tmp_path / "plugins" / name / "rules.py" for name in dev.COMPILED_PLUGINS]
    for source in (*sources, tmp_path / "engine" / "types.py"):
        source.parent.mkdir(parents=True)
        source.write_text("old")
    wheels = tmp_path / ".compiled" / "wheels"
    for name, value in {"ROOT": tmp_path, "COMPILED": wheels.parent, "COMPILED_WHEELS": wheels, "run": build}.items():
        monkeypatch.setattr(dev, name, value)
    monkeypatch.setenv(dev.KEPT_BUILDS, str(tmp_path / "kept"))

    def compiled() -> str:
        dev.compile_rules()
        return (wheels / "rules.whl").read_text()

    assert [compiled(), compiled()] == ["old", "old"]
    assert built == ["old"]
    # What it imports counts too: types decide what the compiler makes.
    (tmp_path / "engine" / "types.py").write_text("new")
    assert compiled() == "old"
    assert built == ["old", "old"]
    for number in range(2 * dev.MOST_KEPT):
        sources[-1].write_text(f"new {number}")
        assert compiled() == f"new {number}"
    assert len(list((tmp_path / "kept").iterdir())) == dev.MOST_KEPT
    monkeypatch.delenv(dev.KEPT_BUILDS)
    compiled()
    assert len(built) == 3 + 2 * dev.MOST_KEPT


def test_a_group_has_what_the_groups_in_it_have(dev: ModuleType) -> None:
    everything = dev.requirements("dev")
    assert {*dev.requirements("build"), *dev.requirements("test")} < set(everything)
    assert all(isinstance(requirement, str) for requirement in everything)


def test_the_lock_names_the_public_index_alone() -> None:
    hosts = set(re.findall(r"https?://[^/\"]+", (ROOT / "uv.lock").read_text(encoding="utf-8")))
    assert hosts == {"https://pypi.org", "https://files.pythonhosted.org"}


def test_what_is_large_is_only_in_the_environment_of_the_tests(dev: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    room, other = ROOT / "plugins/openspiel", ROOT / "plugins/pettingzoo"
    assert [plugin for plugin in dev.plugins() if dev.is_optional(plugin)] == [room, other]
    assert not {room, other} & {*dev.rooms()}
    failing = "import sys; print('ERROR: No matching distribution found for open-spiel', file=sys.stderr); sys.exit(1)"
    dev.install_optional([sys.executable, "-c", failing], room)
    told = (
        "plugins/openspiel is not installed, and its tests will be skipped: ERROR: No matching distribution found for open-spiel\n"
    )
    assert capsys.readouterr().err == told


def test_another_python_is_found_past_commands_that_do_nothing(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bin" / "python3.99"
    working = tmp_path / "pyenv" / "versions" / "3.99.1" / "bin" / "python3.99"
    for path, text in ((broken, "#!/bin/sh\nexit 127\n"), (working, f'#!/bin/sh\nexec {sys.executable} "$@"\n')):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "nowhere"))
    assert dev.find_python("3.99") is None
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert dev.find_python("3.99") == str(working)


def test_a_python_that_is_missing_is_said(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    dev.main(["test-on", "3.99"])
    assert capsys.readouterr().out == "no Python 3.99: it is not tested\n"


def test_where_uv_is_missing_or_fails_pip_does_it(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = tmp_path / "uv"
    monkeypatch.setattr(dev, "command", lambda name, folder=tmp_path: str(folder / name))
    assert not dev.set_up_with_uv("test", folder=tmp_path / "other", python=sys.executable)
    dev.working_uv.cache_clear()
    uv.write_text("#!/bin/sh\nexit 1\n")
    uv.chmod(0o755)
    assert dev.working_uv() is None
    assert not dev.set_up_with_uv("test", folder=tmp_path / "other", python=sys.executable)
    assert not (tmp_path / "other").exists()


def test_pip_installs_uv_and_uv_the_rest(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pip finds no uv, or uv reaches no index, and in an environment that isn't the main one, pip does it all."""
    uv, constraints = tmp_path / "uv", tmp_path / "constraints"
    monkeypatch.setattr(dev, "ENVIRONMENT", tmp_path)
    monkeypatch.setattr(dev, "command", lambda name, folder=tmp_path: str(folder / name))
    dev.working_uv.cache_clear()
    finds_none = ["sh", "-c", "exit 1"]
    finds_broken, finds = (["sh", "-c", f"printf '#!/bin/sh\nexit {status}\n' >{uv}; chmod +x {uv}"] for status in (1, 0))
    for pip in (finds_none, finds_broken):
        assert dev.with_uv(pip, tmp_path, constraints) == pip
    assert dev.with_uv(finds, tmp_path / "other", constraints) == finds
    for pip in (finds, finds_none):
        assert dev.with_uv(pip, tmp_path, constraints)[:4] == [str(uv), "--quiet", "pip", "install"]
    dev.working_uv.cache_clear()


def test_setup_ends_with_what_to_do_next(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "set_up", lambda *groups: None)
    dev.main(["setup"])
    assert capsys.readouterr().err == (
        ".venv is ready. Next: 'source .venv/bin/activate', then 'tiltyard', which says what there is to do.\n"
    )
