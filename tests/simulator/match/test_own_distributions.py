"""What is the project's own, and what pip is told to install of it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.registry.registry import GAME, MANAGER
from tiltyard_simulator.match.own_distributions import GAME_EXTRAS, OWN_DISTRIBUTIONS
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def extras() -> dict[str, list[str]]:
    """As the metadata of a wheel have them."""
    return dict(ProjectMetadata(str(ROOT), PluginManager()).core.optional_dependencies)


def test_each_game_is_an_extra_with_its_distribution(extras: dict[str, list[str]]) -> None:
    for game, words in GAME_EXTRAS.items():
        assert words == f"tiltyard[{game}]"
        named = {re.split(r"[<>=]", requirement)[0] for requirement in extras[game]}
        assert f"tiltyard-{game}" in named
        assert named <= OWN_DISTRIBUTIONS


def test_all_is_all_of_the_projects_own_but_what_needs_large_packages(extras: dict[str, list[str]]) -> None:
    named = {re.split(r"[<>=]", requirement)[0] for game in GAME_EXTRAS for requirement in extras[game]}
    assert named == OWN_DISTRIBUTIONS - {"tiltyard"}
    (whole,) = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]["all"]
    assert set(whole.removeprefix("tiltyard[").removesuffix("]").split(",")) == extras.keys() - {"all", "openspiel", "pettingzoo"}


@pytest.fixture
def bare() -> Registry:
    """What ``pip install tiltyard`` alone has."""
    return open_registry(IsolationPolicy(), Selection(only=frozenset(["tiltyard"])))


def test_without_any_game_people_are_told_what_to_install(bare: Registry) -> None:
    what = r"no game is installed; install one of them: tiltyard\[tanks\], tiltyard\[filler\]"
    with pytest.raises(UserError, match=rf"^no game manager is called 'reference'; {what}"):
        bare.find(MANAGER, "reference")
    with pytest.raises(UserError, match=rf"^{what}"):
        Finder(bare).referee(algorithms=["acorn"])
    with pytest.raises(UserError, match=r"^no game is called 'tanks'; install it with: pip install 'tiltyard\[tanks\]'$"):
        Finder(bare).referee(game="tanks")


def test_a_game_that_is_there_is_not_to_be_installed(registry: Registry) -> None:
    with pytest.raises(UserError, match=r"^no game is called 'tank'; did you mean tanks\?$"):
        registry.find(GAME, "tank")
