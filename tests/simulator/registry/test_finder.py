from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import WriteMap

from tiltyard_engine.errors import MapError, NotFoundError, UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry, Row, Selection
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.registry import map_files
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.game_search import fitting_game
from tiltyard_simulator.registry.map_files import read_map_file
from tiltyard_tanks.plugin import games


@pytest.fixture
def game() -> Game[object]:
    (only,) = games()
    return only  # type: ignore[return-value]


@pytest.fixture
def folder(tmp_path: Path, programs: Path) -> Path:
    """Two usable teams' files, one file of GameManagers, and files that fail, in a folder."""
    made = tmp_path / "teams"
    made.mkdir()
    shutil.copy(programs / "teams" / "sound.py", made / "b.py")
    shutil.copy(programs / "teams" / "faulty.py", made / "a.py")
    shutil.copy(programs / "managers" / "faulty.py", made / "managers.py")
    for file in sorted((programs / "broken").glob("*.py")):
        shutil.copy(file, made)
    (made / "notes.txt").write_text("not a plugin")
    return made


def test_a_folder_is_taken_in_the_order_of_its_files(folder: Path, registry: Registry) -> None:
    chosen = Finder(registry).plugins(str(folder), ALGORITHM, "tanks")
    assert [reference.name for reference in chosen.references] == [
        *("crasher", "liar", "dier", "printer"),
        *("shooter", "spinner", "idler"),
    ]


def test_what_cannot_be_used_is_named_with_its_reason(folder: Path, registry: Registry) -> None:
    left_out = "\n".join(Finder(registry).plugins(str(folder), ALGORITHM, "tanks").left_out)
    assert "syntax_error.py: syntax_error: cannot be imported: SyntaxError" in left_out
    assert "raises.py: raises: cannot be imported: RuntimeError: broken on purpose" in left_out
    assert "no_hooks.py: no_hooks: contributes nothing" in left_out
    assert "managers.py: contains no algorithm for tanks" in left_out
    assert "notes" not in left_out


def test_a_stray_init_file_hides_no_plugins(folder: Path, registry: Registry) -> None:
    expected = Finder(registry).plugins(str(folder), ALGORITHM, "tanks")
    (folder / "__init__.py").write_text("")
    assert Finder(registry).plugins(str(folder), ALGORITHM, "tanks") == expected


def test_two_with_one_name_are_both_there(tmp_path: Path, programs: Path, registry: Registry) -> None:
    for name in ("b.py", "a.py"):
        shutil.copy(programs / "teams" / "sound.py", tmp_path / name)
    chosen = Finder(registry).plugins(str(tmp_path), ALGORITHM)
    assert {Path(reference.source.value).name for reference in chosen.references} == {"a.py", "b.py"}
    assert chosen.left_out == []


def test_installed_ones_come_by_name_and_failures_are_told(registry: Registry) -> None:
    broken = Registry(
        registry.entries,
        [
            Row(
                name="thunder",
                kind="plugin",
                game="",
                distribution="thunder-dist",
                version="1",
                file="",
                status="failed",
                reason="cannot be imported: boom",
            ),
            Row(
                name="odd",
                kind=MANAGER,
                game="",
                distribution="odd-dist",
                version="1",
                file="",
                status="failed",
                reason="on_fault is 3",
            ),
        ],
    )
    chosen = Finder(broken).plugins("installed", ALGORITHM, "tanks")
    names = [reference.name for reference in chosen.references]
    assert names == sorted(names)
    assert "acorn" in names
    assert chosen.left_out == ["thunder-dist: thunder: cannot be imported: boom"]


@pytest.mark.parametrize(("name", "reason"), [("missing", "no such file or folder"), ("file", "not a plugin")])
def test_what_is_no_folder_is_refused(tmp_path: Path, registry: Registry, name: str, reason: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=f"{name}: {reason}"):
        Finder(registry).plugins(str(tmp_path / name), ALGORITHM)


def refuse_listing(self: Path) -> None:
    raise PermissionError(13, "Permission denied", str(self))


def test_a_folder_that_cannot_be_listed_is_refused(
    tmp_path: Path, registry: Registry, game: Game[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "iterdir", refuse_listing)
    with pytest.raises(UserError, match="Permission denied"):
        Finder(registry).plugins(str(tmp_path), ALGORITHM)
    with pytest.raises(UserError, match="cannot be listed: Permission denied"):
        Finder(registry).maps([str(tmp_path)], game, 2)


def test_maps_of_a_folder_are_sorted_and_bad_ones_left_out(
    write_map: WriteMap, tmp_path: Path, registry: Registry, game: Game[object]
) -> None:
    for name in ("b.txt", "a.map", ".hidden"):
        write_map(f"maps/{name}")
    (tmp_path / "maps" / "c.txt").write_text("no map\n")
    (tmp_path / "maps" / "sub").mkdir()
    found = Finder(registry).maps([str(tmp_path / "maps")], game, 2)
    assert [source.name for source in found.maps] == ["a", "b"]
    assert len(found.left_out) == 1
    assert "c.txt, line 2: expected 'MaxSteps = <number>'" in found.left_out[0]


def test_a_map_that_was_named_must_be_usable(tmp_path: Path, registry: Registry, game: Game[object]) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("no map\n")
    with pytest.raises(MapError):
        Finder(registry).maps([str(bad)], game, 2)


def test_installed_maps_are_those_for_so_many_players(registry: Registry, game: Game[object]) -> None:
    names = [source.name for source in Finder(registry).maps(["installed"], game, 2).maps]
    assert names == sorted(names)
    assert "narrow-pass" in names


def test_a_map_is_a_file_or_a_shipped_name(write_map: WriteMap, registry: Registry) -> None:
    assert Finder(registry).map(str(write_map("my.map.txt")), "tanks").name == "my.map"
    assert Finder(registry).map("narrow-pass", "tanks").data.startswith(b"Narrow")
    with pytest.raises(UserError, match="did you mean narrow-pass"):
        Finder(registry).map("narow-pass", "tanks")


def test_a_missing_or_absurd_map_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"x\.txt: cannot be read: No such file"):
        read_map_file(tmp_path / "x.txt")
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        read_map_file(tmp_path)
    monkeypatch.setattr(map_files, "MAX_MAP_BYTES", 1000)
    with pytest.raises(UserError, match="too large for a map"):
        read_map_file(Path("/dev/zero"))


def test_a_map_may_come_through_a_pipe(write_map: WriteMap) -> None:
    reading, writing = os.pipe()
    os.write(writing, write_map().read_bytes())
    os.close(writing)
    assert read_map_file(Path(f"/dev/fd/{reading}")).data == write_map().read_bytes()
    os.close(reading)


@pytest.mark.parametrize(
    ("algorithms", "maps", "game"),
    [
        (["acorn", "bramble"], ["installed"], "tanks"),
        (["acorn", "submissions/"], ["all installed"], "tanks"),
        (["installed"], ["narrow-pass", "maps/*.txt"], "tanks"),
        (["champion"], ["map01"], "filler"),
        (["champion", "heat"], ["installed"], "filler"),
        ([], ["map00"], "filler"),
        # The map file is of a name that nobody knows; the names tell.
        (["acorn"], ["maps/arena.txt"], "tanks"),
    ],
)
def test_the_game_follows_from_the_names(registry: Registry, algorithms: list[str], maps: list[str], game: str) -> None:
    assert fitting_game(registry, algorithms, maps) == game


def test_the_game_follows_from_files_folders_and_what_they_hold(folder: Path, registry: Registry) -> None:
    assert fitting_game(registry, [str(folder)]) == "tanks"
    assert fitting_game(registry, [str(folder / "b.py")]) == "tanks"
    assert fitting_game(registry, [f"{folder / 'b.py'}:idler"]) == "tanks"


def test_what_holds_no_algorithms_tells_no_game(folder: Path, registry: Registry) -> None:
    for text in ("managers.py", "syntax_error.py", "notes.txt", "missing.py", "missing.py:idler"):
        with pytest.raises(UserError, match="can't tell which game to play"):
            fitting_game(registry, [str(folder / text)])
        assert fitting_game(registry, [str(folder / text), "heat"]) == "filler"


def test_the_game_follows_from_map_files_where_nothing_else_tells(tmp_path: Path, write_map: WriteMap, registry: Registry) -> None:
    write_map("maps/duel.txt")
    (tmp_path / "maps" / ".hidden").write_bytes(b"......\n.@..$.\n")
    (tmp_path / "maps" / "a-note.txt").write_text("These are maps.")
    (tmp_path / "field").write_bytes(b"......\n.@..$.\n")
    assert fitting_game(registry, ["installed"], [str(tmp_path / "maps")]) == "tanks"
    assert fitting_game(registry, maps=["installed", str(tmp_path / "field")]) == "filler"
    with pytest.raises(UserError, match="can't tell which game to play"):
        fitting_game(registry, ["installed"], [str(tmp_path / "maps" / "a-note.txt")])


def test_an_installed_name_is_meant_before_a_file_of_that_name(
    tmp_path: Path, programs: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(programs / "teams", tmp_path / "heat")
    assert fitting_game(registry, ["heat"]) == "filler"
    assert fitting_game(registry, ["./heat"]) == "tanks"


def test_a_game_in_this_folder_is_to_be_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = Path(__file__).parents[3] / "docs" / "examples" / "games" / "pig_race.py"
    (tmp_path / "pig_race.py").write_bytes(example.read_bytes())
    found = Registry.installed(Selection())
    found.folder = tmp_path
    with pytest.raises(UserError, match=r"; \./pig_race\.py here has a game: add --trust \./pig_race\.py"):
        fitting_game(found, ["pig-race-random"])


GAMES = r"advance, filler, (openspiel/\.\.\., )?penguins or tanks"
"""Without the parts of a course's marking, of which nobody makes a tournament."""


@pytest.mark.parametrize(
    ("algorithms", "maps", "message"),
    [
        ([], [], rf"can't tell which game .* maps: name the game, {GAMES}, or a GameManager$"),
        (["installed"], ["installed"], f"name the game, {GAMES}, or a GameManager$"),
        (["./mine", "./theirs"], ["maps/"], "can't tell which game to play"),
        (
            ["acron", "my.py"],
            ["narow-pass"],
            r"or a GameManager; no such file or folder: my\.py; nothing installed is called 'acron' or 'narow-pass'$",
        ),
        (["acorn"], ["map00"], "aren't all for one game: acorn is for tanks; map00 is for filler$"),
        (["acorn", "heat"], [], "aren't all for one game: acorn is for tanks; heat is for filler$"),
    ],
)
def test_where_nothing_tells_the_game_or_too_much(registry: Registry, algorithms: list[str], maps: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        fitting_game(registry, algorithms, maps)


def test_a_folder_that_may_be_meant_is_named(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots").mkdir()
    with pytest.raises(UserError, match=r"nothing installed is called 'robotz'; did you mean robots\?$"):
        fitting_game(registry, ["robotz"], [])


def test_programs_for_a_game_that_is_not_installed(tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    robot = tmp_path / "robots" / "heap"
    robot.mkdir(parents=True)
    (robot / "program.toml").write_text('game = "nim"\ncommand = ["./robot"]\n')
    installed = rf"installed: {GAMES.replace(' or ', ', ')}"
    for others in ([], ["acorn"]):
        with pytest.raises(UserError, match=f"^robots/: is for the game nim, which isn't installed; {installed}$"):
            fitting_game(registry, ["robots/", *others])


def test_a_game_that_is_not_there(registry: Registry) -> None:
    with pytest.raises(UserError, match="no game is called 'hex'; known: advance, filler, penguins, tanks"):
        Finder(registry).referee(game="hex")


def test_without_any_game() -> None:
    with pytest.raises(UserError, match="no game is installed; install one of them: "):
        fitting_game(Registry(), ["acorn"], ["map00"])


def game_with_managers(folder: Path, names: list[str], default: str = "") -> Registry:
    """A registry with the game nim and GameManagers of these names."""
    managers = "\n".join(f'    yield Manager(name="{name}", game="nim", create=Referee)' for name in names)
    text = f"""
from tiltyard_engine import *

class Referee(GameManager):
    def run(self, match):
        return GameResult(0, "", 0, ())

@hookimpl
def games():
    yield Game(name="nim", seats=range(2, 3), maps=GameMaps(lambda name, data, seats: data), default_manager="{default}")

@hookimpl
def game_managers():
    yield from ()
{managers}
"""
    (folder / "nim.py").write_text(text)
    return Registry.from_paths([folder / "nim.py"])


@pytest.mark.parametrize(("game", "manager"), [("tanks", "reference"), ("filler", "filler"), ("penguins", "penguins")])
def test_a_game_names_its_default_manager(game: str, manager: str, registry: Registry) -> None:
    assert Finder(registry).manager(game).name == manager


def test_a_game_with_one_manager_need_not_name_it(tmp_path: Path) -> None:
    assert Finder(game_with_managers(tmp_path, ["strict"])).manager("nim").name == "strict"


def test_the_named_manager_is_taken_of_several(tmp_path: Path) -> None:
    assert Finder(game_with_managers(tmp_path, ["strict", "kind"], default="kind")).manager("nim").name == "kind"


@pytest.mark.parametrize(
    ("names", "default", "message"),
    [
        ([], "", r"^no GameManager for nim is installed$"),
        (
            ["strict", "kind"],
            "",
            r"^nim has several GameManagers and names none of them as its default: choose one of kind, strict$",
        ),
        (["strict"], "strickt", r"^no game manager is called 'strickt'.*did you mean strict"),
    ],
)
def test_a_game_without_a_default_manager_says_so(names: list[str], default: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        Finder(game_with_managers(tmp_path, names, default)).manager("nim")


def test_the_manager_of_a_game_that_is_not_installed(registry: Registry) -> None:
    with pytest.raises(UserError, match="no game is called 'chess'; known: advance"):
        Finder(registry).manager("chess")


def test_the_referee_follows_from_whatever_is_named(registry: Registry, programs: Path) -> None:
    def found(**named: Any) -> tuple[str, str]:
        referee = Finder(registry).referee(**named)
        return referee.game.name, referee.manager.name

    assert found(algorithms=["heat", "nearest"], maps=["map00"]) == ("filler", "filler")
    assert found(game="filler") == ("filler", "filler")
    assert found(manager="filler-42") == ("filler", "filler-42")
    assert found(game="tanks", manager="two-ahead") == ("tanks", "two-ahead")
    assert found(manager=str(programs / "managers" / "wrapped.py") + ":recorded-reference")[0] == "tanks"
    # What is named outright needs no other names that tell.
    assert found(game="tanks", algorithms=["./mine"], maps=["arena.txt"]) == ("tanks", "reference")


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"game": "tank"}, "no game is called 'tank'; did you mean tanks"),
        ({"manager": "refrence"}, "no game manager is called 'refrence'; did you mean reference"),
        ({"game": "filler", "manager": "reference"}, "no game manager .*is called 'reference'"),
    ],
)
def test_a_referee_that_there_is_not(registry: Registry, named: dict[str, str], message: str) -> None:
    with pytest.raises(NotFoundError, match=message):
        Finder(registry).referee(**named)
