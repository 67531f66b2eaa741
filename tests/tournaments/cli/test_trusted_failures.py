"""What was trusted and failed is told first, at every door: not that something which it should have brought is unknown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.making import install, unique, write
from typer.testing import CliRunner

import tiltyard_tournaments
from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.checks import HOOK_KINDS
from tiltyard_engine.registry.checks import KINDS as KINDS_OF_RECORDS
from tiltyard_kit.game_check.bench.parts import parts_at
from tiltyard_kit_commands import check_game, new
from tiltyard_matchups.commands import comparative, competition, round_robin
from tiltyard_tournaments.cli import run, start
from tiltyard_viewer.command import watch

RUNNER = CliRunner()
HOOK = "from tiltyard_engine import hookimpl\n\n\n@hookimpl\ndef {}():\n    raise ValueError('not today')\n"
FAILING = {
    "a mistake": ("def x(:\n", "cannot be imported: SyntaxError: invalid syntax"),
    "a missing module": ("import nothing_such\n", "cannot be imported: ModuleNotFoundError: No module named 'nothing_such'"),
    "another contract": ("TILTYARD_API = 99\n", "written for version 99 of the plugin API"),
    "nothing": ("x = 1\n", "contributes nothing: no function is marked @hookimpl"),
    "a hook that raises": (HOOK.format("games"), "games() raised ValueError: not today"),
}
TRUST = ["--game", "mine", "--trust", "broken.py"]
Door = Callable[[], object]


def of_command(command: object, *words: str) -> Door:
    def call() -> object:
        done = RUNNER.invoke(command.app, [*words])  # type: ignore[attr-defined]
        assert done.exception is not None, done.output
        raise done.exception

    return call


def of_file() -> object:
    Path("cup.yaml").write_text("game: mine\ntrust: [./broken.py]\nteams: [acorn, bramble]\n", encoding="utf-8")
    return of_command(run, "cup.yaml")()


DOORS: dict[str, Door] = {
    "round-robin": of_command(round_robin, "acorn", "bramble", *TRUST),
    "watch": of_command(watch, "acorn", "bramble", "--map", "back-yard", *TRUST),
    "competition": of_command(competition, "--algorithms", "installed", *TRUST),
    "comparative": of_command(comparative, "back-yard", "mine", "bramble", *TRUST[2:]),
    "check-game": of_command(check_game, "mine", *TRUST[2:]),
    "new team": of_command(new, "team", "thunder", *TRUST),
    "new tournament": of_command(new, "tournament", "cup.yaml", *TRUST),
    "a tournament file": of_file,
    "play()": lambda: tiltyard_tournaments.play(["acorn", "bramble"], "back-yard", game="mine", trust=["broken.py"]),
    "compare()": lambda: tiltyard_tournaments.compare("acorn", "bramble", game="mine", trust=["./broken.py"]),
    "tournament()": lambda: tiltyard_tournaments.tournament(game="mine", teams=["acorn", "bramble"], trust=["./broken.py"]),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def first_line(door: Door) -> str:
    with pytest.raises(UserError) as raised:
        door()
    return str(raised.value).splitlines()[0]


@pytest.mark.parametrize(
    ("door", "name"),
    [*((door, "a mistake") for door in DOORS), *(("round-robin", name) for name in FAILING if name != "a mistake")],
)
def test_why_it_failed_is_told_first(door: str, name: str, folder: Path) -> None:
    text, reason = FAILING[name]
    (folder / "broken.py").write_text(text, encoding="utf-8")
    assert reason in first_line(DOORS[door]).partition("known:")[0]


@pytest.mark.parametrize("door", DOORS)
def test_what_does_not_exist_is_told_first(door: str) -> None:
    told = first_line(DOORS[door])
    assert "broken.py: no such file or folder, so that it can't be trusted" in told or "is to be trusted, but doesn't exist" in told
    assert "known:" not in told.partition("exist" if "exist" in told else "no such")[0]


@pytest.mark.parametrize(
    ("name", "hint"), [("nothing-such", ""), ("mine", "; for the one in this folder, write ./mine"), ("bot", "./bot.py")]
)
def test_a_distribution_that_is_not_installed_is_told(name: str, hint: str, folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "bot.py").touch()
    told = first_line(of_command(watch, "acorn", "--trust", name))
    assert told.startswith(f"{name}: no such distribution is installed, so that it can't be trusted")
    assert told.endswith(hint)


def test_what_the_environment_trusts_stops_nothing_but_is_told_where_something_is_missed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "broken.py").write_text("def x(:\n", encoding="utf-8")
    monkeypatch.setenv("TILTYARD_TRUST", "broken.py,nofile.py")
    done = RUNNER.invoke(watch.app, ["acorn", "bramble", "--map", "back-yard", "--every-round"])
    assert done.exit_code == 0, done.output
    told = first_line(of_command(round_robin, "acorn", "bramble", "--game", "mine"))
    assert told.startswith(
        f"{folder}/nofile.py is to be trusted, but doesn't exist; the plugin broken failed: cannot be imported: "
    )
    assert "; no game is called 'mine'; known: " in told


def test_one_broken_plugin_of_a_trusted_folder_stops_nothing(folder: Path) -> None:
    teams = folder / "teams"
    teams.mkdir()
    (teams / "broken.py").write_text("def x(:\n", encoding="utf-8")
    done = RUNNER.invoke(watch.app, ["acorn", "bramble", "--map", "back-yard", "--every-round", "--trust", "./teams"])
    assert done.exit_code == 0, done.output
    told = first_line(of_command(round_robin, "acorn", "bramble", "--game", "mine", "--trust", "./teams"))
    assert told.startswith("the plugin broken failed: cannot be imported: SyntaxError")


KINDS = {hook: kind for hook, kind in HOOK_KINDS.items() if kind in KINDS_OF_RECORDS}


@pytest.mark.parametrize("hook", KINDS)
def test_an_installed_plugin_that_failed_is_told_before_what_is_missing(
    hook: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[hook]
    module = unique("dud")
    write(folder / f"{module}.py", HOOK.format(hook))
    install(folder, "dud-of-a-test", "1.0", {"dud": module})
    monkeypatch.syspath_prepend(folder)
    registry = Registry.installed()
    with pytest.raises(
        NotFoundError, match=rf"^the plugin dud failed: {hook}\(\) raised ValueError: not today; no {kind} is called"
    ):
        registry.find(kind, "wanted")
    other = "formats" if hook != "formats" else "publishers"
    assert "dud" not in registry.failed_before(KINDS[other])


def test_a_command_of_a_plugin_that_failed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "broken.py").write_text("def x(:\n", encoding="utf-8")
    monkeypatch.setenv("TILTYARD_TRUST", "broken.py")
    told = first_line(of_command(start, "mycommand"))
    assert told.startswith("the plugin broken failed: cannot be imported: SyntaxError")
    assert told.endswith("; no command is called 'mycommand'; 'tiltyard --help' lists all")


def test_the_managers_of_a_game_that_failed(folder: Path, programs: Path) -> None:
    text = (programs / "games" / "nim.py").read_text(encoding="utf-8")
    (folder / "nim.py").write_text(text.replace("    yield Manager(", "    raise ValueError('not today')\n    yield Manager("))
    with pytest.raises(UserError, match=r"the game nim has no GameManager: .*game_managers\(\) raised ValueError: not today"):
        parts_at("nim.py")
    told = first_line(of_command(round_robin, "perfect", "perfect", "--game", "nim", "--trust", "nim.py"))
    assert told.startswith("the plugin nim failed: game_managers() raised ValueError: not today; no GameManager for nim")
