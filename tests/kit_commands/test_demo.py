"""``tiltyard demo``: a cup that needs nothing, in one folder, and the same one when asked again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.conftest import RunCommand

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.registry.registry import GAME
from tiltyard_kit_commands import demo
from tiltyard_kit_commands.demo import FILE, MOST_MAPS, MOST_TEAMS, plan_demo
from tiltyard_simulator.match.own_distributions import GAME_EXTRAS


def test_it_plays_where_no_game_is_installed_and_not_twice(
    run_command: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTYARD_ONLY", "tournament-formats,tournament-publishers,site-publisher")
    first = run_command("tiltyard", "demo", "--no-open")
    assert first.returncode == 0, first.stderr
    assert "no game is installed" in first.stderr
    assert "pip install 'tiltyard[tanks]'" in first.stderr
    assert "(12 played in this run)" in first.stderr
    assert (tmp_path / "tiltyard-demo/cup/site/index.html").is_file()
    commands = [line.split("  ")[1] for line in first.stdout.splitlines() if line.startswith("  tiltyard ")]
    assert "tiltyard watch tiltyard-demo/cup.yaml --match 1" in commands
    # It ends with one step, which can be typed as it stands.
    title, step = first.stdout.splitlines()[-2:]
    assert title.startswith("Next, make a ")
    assert step.startswith("  tiltyard new game mine")
    assert [path.name for path in tmp_path.iterdir()] == ["tiltyard-demo"]
    again = run_command("tiltyard", "demo", "--no-open")
    assert again.stdout == first.stdout
    assert "12 games already played" in again.stderr
    shown = run_command("tiltyard", *commands[0].split()[1:])
    assert (shown.returncode, "runners-random" in shown.stdout) == (0, True)


@pytest.mark.parametrize("game", ["tanks", "filler", "penguins", "advance"])
def test_every_game_of_the_project_has_one(registry: Registry, game: str) -> None:
    plan = plan_demo(registry, game)
    assert (plan.game, plan.files) == (game, {})
    assert 2 <= len(plan.teams) <= MOST_TEAMS
    assert 1 <= len(plan.maps) <= MOST_MAPS


def test_the_first_of_the_projects_games_is_played(registry: Registry) -> None:
    present = {entry.name for entry in registry.all(GAME)}
    assert plan_demo(registry, None).game == next(game for game in GAME_EXTRAS if game in present)
    without_tanks = Registry.installed(Selection(block=frozenset(["tanks", "openspiel"])))
    assert plan_demo(without_tanks, None).game == "filler"


def test_a_game_that_has_too_little_is_refused(registry: Registry) -> None:
    with pytest.raises(UserError, match="no game is called 'tank'"):
        plan_demo(registry, "tank")
    without_teams = Registry.installed(Selection(only=frozenset(["tanks"])))
    with pytest.raises(UserError, match="needs at least 2 installed teams and a map, found 0 teams and 2 maps"):
        plan_demo(without_teams, None)


def test_what_somebody_changed_is_kept(tmp_path: Path) -> None:
    demo._write_once(tmp_path / "here", {FILE: "title: Demo\n", "more/a.txt": "a"})
    demo._write_once(tmp_path / "here", {FILE: "title: Demo\n", "more/a.txt": "a"})
    (tmp_path / "here" / FILE).write_text("title: Mine\n")
    with pytest.raises(UserError, match=r"contains another demo\. Play it with 'tiltyard run "):
        demo._write_once(tmp_path / "here", {FILE: "title: Demo\n"})
    assert (tmp_path / "here" / FILE).read_text() == "title: Mine\n"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    with pytest.raises(UserError, match="other: already exists and isn't an empty folder"):
        demo._write_once(tmp_path / "other", {FILE: "title: Demo\n"})


def test_where_nothing_can_be_written_a_temporary_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert demo._root(None) == Path("tiltyard-demo")
    assert demo._root(Path("mine")) == Path("mine")
    # Root may write everywhere.
    monkeypatch.setattr("os.access", lambda path, mode: False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = demo._root(None)
    assert found.is_dir()
    assert found.parent == tmp_path
    assert found.name.startswith("tiltyard-demo-")


@pytest.mark.parametrize(
    ("prefix", "runner"),
    [
        ("/home/ann/.cache/uv/archive-v0/x1Yz", "uvx"),
        ("/home/ann/.cache/pipx/4b1c", "pipx run"),
        ("/home/ann/.local/share/pipx/venvs/tiltyard", ""),
        ("/home/ann/uv/.venv", ""),
    ],
)
def test_a_run_without_an_installation_is_known(prefix: str, runner: str) -> None:
    assert demo.runner_of(prefix) == runner


def test_a_browser_is_only_started_for_somebody_who_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)  # returns None: there is no browser
    for variable in ("SSH_CONNECTION", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    page = tmp_path / "index.html"
    demo._show_site(page, None)
    assert opened == []
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    demo._show_site(page, False)
    monkeypatch.setenv("SSH_CONNECTION", "somewhere else")
    demo._show_site(page, None)
    assert opened == []
    monkeypatch.delenv("SSH_CONNECTION")
    demo._show_site(page, None)
    assert opened == [page.as_uri()]
    printed = capsys.readouterr()
    assert printed.out.count(str(page)) == 4
    assert printed.err == "no browser could be started; open the file above in one\n"
