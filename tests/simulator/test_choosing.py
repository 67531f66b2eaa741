from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.conftest import WriteMap

from tiltyard_engine.errors import MapError, UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry, Row
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator import choosing
from tiltyard_simulator.choosing import choose_all, choose_map, choose_maps, read_map_file, usual_players
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
    chosen = choose_all(str(folder), ALGORITHM, registry, "tanks")
    assert [reference.name for reference in chosen.references] == [
        *("crasher", "liar", "dier", "printer"),
        *("shooter", "spinner", "idler"),
    ]


def test_what_cannot_be_used_is_named_with_its_reason(folder: Path, registry: Registry) -> None:
    left_out = "\n".join(choose_all(str(folder), ALGORITHM, registry, "tanks").left_out)
    assert "syntax_error.py: syntax_error: cannot be imported: SyntaxError" in left_out
    assert "raises.py: raises: cannot be imported: RuntimeError: broken on purpose" in left_out
    assert "no_hooks.py: no_hooks: contributes nothing" in left_out
    assert "managers.py: contributes no algorithm for tanks" in left_out
    assert "notes" not in left_out


def test_a_stray_init_file_hides_no_plugins(folder: Path, registry: Registry) -> None:
    expected = choose_all(str(folder), ALGORITHM, registry, "tanks")
    (folder / "__init__.py").write_text("")
    assert choose_all(str(folder), ALGORITHM, registry, "tanks") == expected


def test_of_two_with_one_name_the_first_counts(tmp_path: Path, programs: Path, registry: Registry) -> None:
    for name in ("b.py", "a.py"):
        shutil.copy(programs / "teams" / "sound.py", tmp_path / name)
    chosen = choose_all(str(tmp_path), ALGORITHM, registry)
    assert {Path(reference.source.value).name for reference in chosen.references} == {"a.py"}
    assert len(chosen.left_out) == 3


def test_installed_ones_come_by_name_and_failures_are_told(registry: Registry) -> None:
    broken = Registry(
        registry.entries,
        [
            Row("thunder", "plugin", "", "thunder-dist", "1", "", "failed", "cannot be imported: boom"),
            Row("odd", MANAGER, "", "odd-dist", "1", "", "failed", "on_fault is 3"),
        ],
    )
    chosen = choose_all("installed", ALGORITHM, broken, "tanks")
    names = [reference.name for reference in chosen.references]
    assert names == sorted(names)
    assert "acorn" in names
    assert chosen.left_out == ["thunder-dist: thunder: cannot be imported: boom"]


@pytest.mark.parametrize(("name", "reason"), [("missing", "no such folder"), ("file", "not a folder")])
def test_what_is_no_folder_is_refused(tmp_path: Path, registry: Registry, name: str, reason: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=f"{name}: {reason}"):
        choose_all(str(tmp_path / name), ALGORITHM, registry)


def refuse_listing(self: Path) -> None:
    raise PermissionError(13, "Permission denied", str(self))


def test_a_folder_that_cannot_be_listed_is_refused(
    tmp_path: Path, registry: Registry, game: Game[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "iterdir", refuse_listing)
    with pytest.raises(UserError, match="Permission denied"):
        choose_all(str(tmp_path), ALGORITHM, registry)
    with pytest.raises(UserError, match="cannot be listed: Permission denied"):
        choose_maps([str(tmp_path)], registry, game, 2)


def test_maps_of_a_folder_are_sorted_and_bad_ones_left_out(
    write_map: WriteMap, tmp_path: Path, registry: Registry, game: Game[object]
) -> None:
    for name in ("b.txt", "a.map", ".hidden"):
        write_map(f"maps/{name}")
    (tmp_path / "maps" / "c.txt").write_text("no map\n")
    (tmp_path / "maps" / "sub").mkdir()
    found = choose_maps([str(tmp_path / "maps")], registry, game, 2)
    assert [source.name for source in found.maps] == ["a", "b"]
    assert len(found.left_out) == 1
    assert "c.txt, line 2: expected 'MaxSteps = <number>'" in found.left_out[0]


def test_a_map_that_was_named_must_be_usable(tmp_path: Path, registry: Registry, game: Game[object]) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("no map\n")
    with pytest.raises(MapError):
        choose_maps([str(bad)], registry, game, 2)


def test_installed_maps_are_those_for_so_many_players(registry: Registry, game: Game[object]) -> None:
    names = [source.name for source in choose_maps(["installed"], registry, game, 2).maps]
    assert names == sorted(names)
    assert "narrow-pass" in names


def test_a_map_is_a_file_or_a_shipped_name(write_map: WriteMap, registry: Registry) -> None:
    assert choose_map(str(write_map("my.map.txt")), registry, "tanks").name == "my.map"
    assert choose_map("narrow-pass", registry, "tanks").data.startswith(b"Narrow")
    with pytest.raises(UserError, match="did you mean narrow-pass"):
        choose_map("narow-pass", registry, "tanks")


def test_a_missing_or_absurd_map_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"x\.txt: cannot be read: No such file"):
        read_map_file(tmp_path / "x.txt")
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        read_map_file(tmp_path)
    monkeypatch.setattr(choosing, "MAX_MAP_BYTES", 1000)
    with pytest.raises(UserError, match="too large for a map"):
        read_map_file(Path("/dev/zero"))


def test_a_map_may_come_through_a_pipe(write_map: WriteMap) -> None:
    reading, writing = os.pipe()
    os.write(writing, write_map().read_bytes())
    os.close(writing)
    assert read_map_file(Path(f"/dev/fd/{reading}")).data == write_map().read_bytes()
    os.close(reading)


@pytest.mark.parametrize(("seats", "players"), [(range(2, 10), 2), (range(1, 10), 2), (range(3, 5), 3), (range(1, 2), 1)])
def test_two_players_are_usual(seats: range, players: int) -> None:
    assert usual_players(Game("game", seats, lambda name, data, seats: None)) == players
