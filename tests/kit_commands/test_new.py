from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_kit_commands.new import app
from tiltyard_tournaments.tournament_file.resolution import load_tournament

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_makes_a_package(tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["team", "Night-Owl"])
    assert done.exit_code == 0
    assert "pip install -e ./Night-Owl" in done.stdout
    assert (tmp_path / "Night-Owl" / "night_owl" / "tank.py").is_file()
    project = tomllib.loads((tmp_path / "Night-Owl" / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["tiltyard"] == {"Night-Owl": "night_owl"}


@pytest.mark.parametrize(("name", "opponent"), [("owl", "acorn"), ("acorn", "bramble")])
def test_what_to_do_next_is_to_meet_somebody_else(name: str, opponent: str) -> None:
    done = RUNNER.invoke(app, ["team", name])
    assert done.exit_code == 0
    assert done.stdout.endswith(f"  tiltyard round-robin {name} {opponent}\n")


@pytest.mark.parametrize("name", ["", "1a", "a b", "../a", "a/b", "a--b", "-a", "a_", "class", "é", "a" * 41, "random", "tests"])
def test_names_that_cannot_be_are_refused(tmp_path: Path, name: str) -> None:
    done = RUNNER.invoke(app, ["team", "--", name])
    assert isinstance(done.exception, UserError)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "owl").mkdir()
    (tmp_path / "owl" / "mine").write_text("")
    (tmp_path / "file").write_text("")
    for words in (["owl"], ["owl", "--folder", "file"]):
        done = RUNNER.invoke(app, ["team", *words])
        assert isinstance(done.exception, UserError)
        assert "already exists" in str(done.exception)
    assert [path.name for path in (tmp_path / "owl").iterdir()] == ["mine"]


def test_an_empty_folder_of_ones_own_is_used_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir()
    written = Path.write_text

    def full(self: Path, *arguments: str, **options: str) -> int:
        if self.name == "tank.py":
            raise OSError(28, "No space left on device", str(self))
        return written(self, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", full)
    for folder in (own, tmp_path / "fresh"):
        done = RUNNER.invoke(app, ["team", "owl", "--folder", str(folder)])
        assert "No space left on device; no file was left behind" in str(done.exception)
    assert own.is_dir()
    assert [path for path in own.rglob("*") if path.is_file()] == []
    assert not (tmp_path / "fresh").exists()


def test_an_unknown_game_is_named() -> None:
    assert isinstance(RUNNER.invoke(app, ["team", "owl", "--game", "tank"]).exception, NotFoundError)


def test_the_sparring_partners_of_a_game_with_rules_stand_in_its_tournament_file(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    assert RUNNER.invoke(app, ["game", "pebbles"]).exit_code == 0
    assert RUNNER.invoke(app, ["tournament", "cup.yaml", "--game", "pebbles", "--trust", "./pebbles"]).exit_code == 0
    text = file.read_text(encoding="utf-8")
    assert "teams:\n  - all installed\n  # - random\n  # - greedy\n  # - mcts\n  # - submissions/\n" in text
    for name in ("random", "greedy", "mcts"):
        text = text.replace(f"# - {name}\n", f"- {name}\n")
    file.write_text(text, encoding="utf-8")
    labels = [team.label for team in load_tournament(file).tournament.teams]
    assert labels == ["pebbles-greedy", "pebbles-random", "random", "greedy", "mcts"]


def test_a_value_that_is_none_of_several_is_told_in_plain_words() -> None:
    told = RUNNER.invoke(app, ["game", "pebbles", "--kind", "nobord"]).stderr
    assert "Invalid value for '--kind': 'nobord' is not one of 'turns', " in told


def test_a_tournament_of_a_game_that_is_not_trusted_is_refused_with_what_to_do(tmp_path: Path) -> None:
    assert RUNNER.invoke(app, ["game", "pebbles"]).exit_code == 0
    refused = RUNNER.invoke(app, ["tournament", "cup.yaml", "--game", "pebbles"])
    assert isinstance(refused.exception, UserError)
    assert str(refused.exception).startswith("no game is called 'pebbles'; ./pebbles here has a game: add --trust ./pebbles,")
    assert not (tmp_path / "cup.yaml").exists()
    words = [
        "tournament",
        "cups/cup.yaml",
        "--game",
        "pebbles",
        "--trust",
        "./pebbles",
        "--teams",
        "pebbles-greedy",
        "--teams",
        "./pebbles",
    ]
    assert RUNNER.invoke(app, words).exit_code == 0
    text = (tmp_path / "cups" / "cup.yaml").read_text()
    assert "game: pebbles\ntrust: ['../pebbles']\n" in text
    assert "teams:\n  - 'pebbles-greedy'\n  - '../pebbles'\n" in text
