from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import RunCommand, WriteMap

from tiltyard_engine.errors import UserError
from tiltyard_matchups.comparative import ComparativeOptions
from tiltyard_matchups.competition import CompetitionOptions
from tiltyard_matchups.simulator_command import COMPARATIVE, KEYS, main, parse, split_arguments

FULL = ("-comparative", "game_map=m", "game_managers_folder=g", "algorithm1=a", "algorithm2=b")

Ran = tuple[int, str, str]
Simulate = Callable[..., Ran]


@pytest.fixture
def simulate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Simulate:
    """The command in this process, in ``tmp_path``: status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Ran:
        status = main(words)
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def managers_folder(tmp_path: Path, programs: Path) -> Path:
    made = tmp_path / "managers"
    made.mkdir()
    shutil.copy(programs / "managers" / "faulty.py", made)
    return made


PLAIN = st.text("abc/. ", min_size=1, max_size=8).map(str.strip).filter(bool)


@given(st.permutations(KEYS[COMPARATIVE]), st.lists(PLAIN, min_size=4, max_size=4), st.data())
def test_equals_may_stand_anywhere(keys: Sequence[str], values: list[str], data: st.DataObject) -> None:
    words: list[str] = ["-verbose"]
    for key, value in zip(keys, values):
        forms = ([f"{key}={value}"], [key, "=", value], [f"{key}=", value], [key, f"={value}"], [f"{key} = {value}"])
        words += data.draw(st.sampled_from(forms))
    arguments = split_arguments([*words, "-comparative"])
    assert arguments.values == list(zip(keys, values))
    assert arguments.flags == ["-verbose", "-comparative"]
    assert arguments.strays == []


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["game_map=a=b"], [("game_map", "a=b")]),
        (["game_map", "=", "a=b"], [("game_map", "a=b")]),
        (["game_map="], [("game_map", "")]),
        (["game_map=", "-verbose"], [("game_map", "")]),
        (["game_map", "=", "num_threads=2"], [("game_map", ""), ("num_threads", "2")]),
        (["game_map", "=", "num_threads", "=", "2"], [("game_map", ""), ("num_threads", "2")]),
        (["game_map=my maps/a map.txt"], [("game_map", "my maps/a map.txt")]),
    ],
)
def test_values_are_taken_whole(words: list[str], values: list[tuple[str, str]]) -> None:
    assert split_arguments(words).values == values


@given(st.lists(st.text("=a -", max_size=6)))
def test_no_words_upset_it(words: list[str]) -> None:
    arguments = split_arguments(words)
    assert len(arguments.flags) + len(arguments.values) + len(arguments.strays) <= len(words)
    with pytest.raises(UserError):
        parse(words)


def test_options_of_both_modes() -> None:
    assert parse([*FULL, "num_threads = 07", "-verbose"]) == ComparativeOptions(
        game_map="m", game_managers_folder="g", algorithm1="a", algorithm2="b", workers=7, verbose=True
    )
    words = ["algorithms_folder=a", "game_manager=g", "-competition", "game_maps_folder=m"]
    assert parse(words) == CompetitionOptions(game_maps_folder="m", game_manager="g", algorithms_folder="a")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ((), ["no mode given"]),
        (("bar", "foo=1"), ["no mode given", "unsupported: bar, foo=1"]),
        (("-comparative", "-competition"), ["both modes given; use only one"]),
        (("-comparative",), ["missing: game_map, game_managers_folder, algorithm1, algorithm2"]),
        (("-competition", "game_map=x"), ["unsupported: game_map=x", "missing: game_maps_folder, game_manager, algorithms_folder"]),
        ((*FULL, "x=1", "y", "-z"), ["unsupported: y, -z, x=1"]),
        ((*FULL, "game_map=n", "-comparative"), ["given more than once: -comparative, game_map"]),
        ((*FULL[:-1], "algorithm2="), ["missing: algorithm2"]),
        *[
            ((*FULL, f"num_threads={n}"), ["num_threads must be a positive number"])
            for n in ("0", "-1", "two", "1.5", "", "²", "+2")
        ],
        ((*FULL, "num_threads=" + "9" * 5000), ["num_threads must be a positive number"]),
    ],
)
def test_wrong_usage_names_everything(simulate: Simulate, tmp_path: Path, words: tuple[str, ...], parts: list[str]) -> None:
    status, out, err = simulate(*words)
    assert (status, out) == (2, "")
    assert err.startswith("usage:")
    for part in parts:
        assert part in err
    assert list(tmp_path.iterdir()) == []


def test_help_is_no_mistake(simulate: Simulate) -> None:
    assert simulate("--help")[0] == 0


def wrong_choices() -> list[tuple[dict[str, str], str]]:
    return [
        ({"game_map": "missing.txt"}, "missing.txt: cannot be read: No such file or directory"),
        ({"game_map": "managers"}, "managers: cannot be read: Is a directory"),
        ({"game_map": "x" * 300}, "File name too long"),
        ({"game_managers_folder": "missing"}, "missing: no such file or folder"),
        ({"game_managers_folder": "duel.txt"}, "duel.txt: not a plugin"),
        ({"game_managers_folder": "empty"}, "empty: contains no usable GameManager for tanks"),
        ({"algorithm1": "acron"}, "no algorithm is called 'acron'; did you mean acorn"),
        ({"algorithm2": "missing.py"}, "missing.py: no such file or folder"),
        ({"algorithm1": "duel.txt"}, "not a plugin: expected a folder, a .py or .so file"),
        ({"algorithm1": "teams.py"}, "choose one of teams.py:shooter, teams.py:spinner, teams.py:idler"),
        ({"algorithm1": "teams.py:shoter"}, "did you mean shooter"),
    ]


@pytest.mark.parametrize(("changes", "part"), wrong_choices())
def test_what_cannot_be_used_is_usage_and_nothing_runs(
    simulate: Simulate,
    write_map: WriteMap,
    managers_folder: Path,
    tmp_path: Path,
    programs: Path,
    changes: dict[str, str],
    part: str,
) -> None:
    (tmp_path / "empty").mkdir()
    shutil.copy(programs / "teams" / "sound.py", tmp_path / "teams.py")
    write_map()
    chosen = {"game_map": "duel.txt", "game_managers_folder": "managers", "algorithm1": "acorn", "algorithm2": "acorn"} | changes
    before = sorted(tmp_path.rglob("*"))
    status, out, err = simulate("-comparative", "-verbose", *[f"{key}={value}" for key, value in chosen.items()])
    assert (status, out) == (2, "")
    assert err.startswith(("usage:", "left out:"))
    assert part in err
    assert sorted(path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts) == before


def test_an_interrupt_while_plugins_load_is_no_traceback(
    simulate: Simulate, tmp_path: Path, write_map: WriteMap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTYARD_ISOLATION", "inline")
    (tmp_path / "slow.py").write_text("raise KeyboardInterrupt\n")
    words = (f"game_map={write_map()}", "game_managers_folder=installed", "algorithm1=slow.py", "algorithm2=acorn")
    status, _, err = simulate("-comparative", *words)
    assert (status, err) == (130, "interrupted\n")


def test_a_map_with_a_name_that_is_no_text(run_command: RunCommand, write_map: WriteMap, managers_folder: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    write_map(name)
    words = ("-comparative", f"game_map={name}", "game_managers_folder=managers", "algorithm1=acorn", "algorithm2=acorn")
    done = run_command("simulator", *words)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    (results,) = managers_folder.glob("comparative_results_*.txt")
    assert results.read_bytes().startswith(b"game_map=caf\xe9.txt\n")
