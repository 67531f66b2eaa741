"""Whose code may run in the runner's own process."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.making import project, team_source, write

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.registry import Registry, Source, Trust, path_sources
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.registry.trust import game_to_trust, how_to_trust


def installed(distribution: str, name: str = "bot") -> Source:
    return Source(name=name, origin=Origin.INSTALLED, value="bot", distribution=distribution, version="1.0")


def test_nobody_is_trusted_whom_the_user_does_not_name() -> None:
    assert not Trust().covers(installed("tiltyard-acorn"))
    assert not Trust().covers(installed("thunder-team"))


def test_an_installed_one_is_trusted_by_its_distribution_however_it_is_spelt() -> None:
    trust = Trust.of(["Thunder_Team"])
    assert trust.covers(installed("thunder-team"))
    assert not trust.covers(installed("other-team", "thunder-team"))


def test_a_name_that_anybody_may_choose_is_no_ground_for_trust(tmp_path: Path) -> None:
    trust = Trust.of(["thunder-team"])
    write(tmp_path / "thunder-team.py", team_source())
    project(tmp_path / "project", "thunder-team", {"thunder-team": "thunder"})
    assert [trust.covers(source) for source in path_sources(tmp_path)] == [False, False]


def test_paths_are_trusted_with_all_that_is_below_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mine/bot.py", "mine_too/bot.py"):
        write(tmp_path / name, team_source())
    project(tmp_path / "mine" / "project" / "src", "src", {})
    project(tmp_path / "mine" / "project", "p", {"p": "p"})
    monkeypatch.chdir(tmp_path)
    trust = Trust.of(["./mine"])
    (bot,), (project_source,), (other,) = (path_sources(Path(name)) for name in ("mine/bot.py", "mine/project", "mine_too"))
    assert trust.covers(bot)
    assert trust.covers(project_source)
    assert not trust.covers(other)
    assert Trust.of(["mine_too/bot.py"]).covers(other)


def test_the_environment_names_some_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_TRUST", " thunder-team, /srv/teams ,")
    trust = Trust.from_environment(["pytest"])
    assert trust == Trust(frozenset({"thunder-team", "pytest"}), frozenset({"/srv/teams"}))


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("mine.py", "./mine.py"),
        ("a-game/src/a_game/game.py", "./a-game"),
        ("a_game.py", "./a_game.py"),
        ("a-game/tests/one.txt", ""),
    ],
)
@pytest.mark.parametrize("code", ["games, algorithms, maps = game_hooks('mine')", "    yield Game(name='mine')", "x = 1"])
def test_a_game_that_lies_in_the_folder_is_found_by_its_text(tmp_path: Path, file: str, found: str, code: str) -> None:
    write(tmp_path / file, code)
    name = "mine" if file == "mine.py" else "a-game"
    assert game_to_trust(name, tmp_path) == ("" if code == "x = 1" else found)
    for other in ("yours", "../mine", "x" * 300, "mine\0", "", "."):
        assert game_to_trust(other, tmp_path) == ""


def test_a_missing_game_that_lies_in_the_folder_is_told_unless_it_is_trusted(tmp_path: Path) -> None:
    write(tmp_path / "mine.py", "raise ValueError  # Game()")
    registry = Registry(folder=tmp_path)
    with pytest.raises(
        NotFoundError, match=r"^no game is called 'mine'; \./mine\.py here has a game: add --trust \./mine\.py, or "
    ):
        registry.game("mine")
    for path in ("./mine.py", "mine.py", "./mine", "mine/"):
        with pytest.raises(NotFoundError, match=r"add --trust \./mine\.py, .*; a game is called by its own name, which its code"):
            registry.game(path)
    registry.add(path_sources(tmp_path / "mine.py"))
    with pytest.raises(NotFoundError, match=r"no game is called './mine'; a game is called by its own name"):
        registry.game("./mine")
    with pytest.raises(NotFoundError, match="the plugin mine failed: cannot be imported: ValueError"):
        registry.game("mine")


def test_the_current_folder_and_the_one_around_it_are_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Trust.from_environment([".", ".."]) == Trust(paths=frozenset({str(tmp_path), str(tmp_path.parent)}))


def test_how_to_trust_names_a_whole_project_as_people_write_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path / "games" / "mine", "mine", {"mine": "mine.game"})
    write(root / "src" / "mine" / "game.py", "")
    (source,) = path_sources(root)
    assert how_to_trust(source) == str(root)
    for here, words in ((tmp_path, "./games/mine"), (root, ".")):
        monkeypatch.chdir(here)
        assert how_to_trust(source) == words
        assert Trust.of([words]).covers(source)


def test_how_to_trust_says_what_is_then_trusted(tmp_path: Path) -> None:
    project(tmp_path / "project", "p", {"p": "p"})
    sources = [*path_sources(write(tmp_path / "bot.py", "")), *path_sources(tmp_path / "project"), installed("thunder-team")]
    assert all(Trust.of([how_to_trust(source)]).covers(source) for source in sources)
