"""What all distributions share stands in one place, and nowhere else by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from release.errors import ReleaseError
from release.metadata import BOUNDED_TEXTS, PYPROJECT, ROOT, bounds, distributions, project, sync


def test_all_files_say_what_the_root_says() -> None:
    assert sync(check=True) == []


def test_every_template_that_bounds_the_engine_follows_the_version() -> None:
    """A team or a game that ``tiltyard new`` makes must install beside the tiltyard that made it."""
    templates = [path for room in ("engine", "simulator", "tournaments", "plugins") for path in (ROOT / room).rglob("*.template")]
    bounded = {path.relative_to(ROOT).as_posix() for path in templates if "tiltyard-engine>=" in path.read_text(encoding="utf-8")}
    assert bounded == {name for name in BOUNDED_TEXTS if name.endswith(".template")}


def test_every_distribution_is_released() -> None:
    assert {folder / "pyproject.toml" for folder in distributions()} == {
        PYPROJECT, *ROOT.glob("[a-z]*/pyproject.toml"), *ROOT.glob("[a-z]*/*/pyproject.toml"),
    }  # fmt: skip


def test_every_package_of_the_host_is_in_its_wheel() -> None:
    hatch = tomllib.loads(PYPROJECT.read_text())["tool"]["hatch"]["build"]["targets"]
    packages = {
        path.parent.relative_to(ROOT).as_posix()
        for room in ("simulator", "tournaments")
        for path in ROOT.glob(f"{room}/*/__init__.py")
    }
    assert set(hatch["wheel"]["packages"]) == packages
    assert {f"/{package}" for package in packages} < set(hatch["sdist"]["include"])


def test_what_differs_is_seen_and_mended(tree: Path) -> None:
    plugin, licence = tree / "plugins/acorn/pyproject.toml", tree / "engine/LICENSE"
    right = plugin.read_text()
    engine = f"tiltyard-engine{bounds(project()['version'])}"
    assert engine in right
    wrong = right.replace(f'version = "{project()["version"]}"', 'version = "9.9.9"').replace(engine, "tiltyard-engine>=9.9,<9.10")
    plugin.write_text(wrong.replace('    "Typing :: Typed",\n', ""))
    licence.unlink()
    changed = ["plugins/acorn/pyproject.toml", "engine/LICENSE"]
    assert sync(check=True) == changed
    assert not licence.exists()
    assert sync() == changed
    assert plugin.read_text() == right
    assert sync(check=True) == []


def test_the_address_stands_in_one_place(tree: Path) -> None:
    path = tree / "pyproject.toml"
    path.write_text(path.read_text().replace('home = "https://tiltyard.invalid"', 'home = "https://forge.example/tiltyard/"'))
    sync()
    texts = {path: path.read_text() for path in tree.rglob("pyproject.toml")}
    assert all('Issues = "https://forge.example/tiltyard/issues"\n' in text for text in texts.values())
    assert not [path for path, text in texts.items() if "tiltyard.invalid" in text]


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        ("classifiers = [", r"no key 'classifiers' in \[project\]; write 'classifiers = \[\]' there"),
        ("# End.\n", "the lines '# Written by: python3 -m release sync' and '# End.' are missing"),
    ],
)
def test_a_place_that_is_missing_is_named(tree: Path, cut: str, said: str) -> None:
    plugin = tree / "plugins/acorn/pyproject.toml"
    plugin.write_text(plugin.read_text().replace(cut, "classes = ["))
    with pytest.raises(ReleaseError, match=f"^plugins/acorn/pyproject.toml: {said}$"):
        sync()
