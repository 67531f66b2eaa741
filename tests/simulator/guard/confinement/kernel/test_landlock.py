"""Which rules are made of readable and hidden paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_simulator.guard.confinement.kernel.landlock import READ, Access, handled_access, rules_for


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a/x.py", "a/deep/y.py", "b/z.py", "c/own/k.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to("b")
    return tmp_path.resolve()


def rules(tree: Path, readable: list[str], hidden: list[str]) -> dict[str, Access]:
    made = rules_for([str(tree / name) for name in readable], [str(tree / name) for name in hidden], READ)
    return {str(Path(path).relative_to(tree)): access for path, access in made.items()}


def test_nothing_hidden_is_one_rule(tree: Path) -> None:
    assert rules(tree, [""], []) == {".": READ}


def test_a_hidden_folder_and_links_to_it_get_no_rule(tree: Path) -> None:
    assert rules(tree, [""], ["b"]) == {".": Access.READ_DIR, "a": READ, "c": READ}


def test_only_folders_on_the_way_are_opened_up(tree: Path) -> None:
    assert rules(tree, [""], ["a/deep"]) == {".": Access.READ_DIR, "a": Access.READ_DIR, "a/x.py": READ, "b": READ, "c": READ}


def test_the_deeper_path_wins(tree: Path) -> None:
    assert rules(tree, ["", "c/own"], ["c"]) == {".": Access.READ_DIR, "a": READ, "b": READ, "c/own": READ}
    assert rules(tree, ["c"], ["c"]) == {}


def test_the_whole_file_tree_is_never_readable(tree: Path) -> None:
    assert rules(tree, ["a", "/"], []) == {"a": READ}


def test_older_kernels_are_asked_for_what_they_know() -> None:
    assert Access.TRUNCATE not in handled_access(2)
    assert Access.IOCTL_DEV not in handled_access(4)
    assert handled_access(1) == Access((1 << 13) - 1)
    assert handled_access(7) == Access((1 << 16) - 1)
