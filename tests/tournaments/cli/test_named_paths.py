"""Commands write over nothing that is something else, and say it where an address stands in place of a path."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tournaments.cli.small_cup import play_small_cup
from typer.testing import CliRunner

from tiltyard_checks.command import check, export
from tiltyard_engine.errors import UserError
from tiltyard_matchups.commands import competition, round_robin
from tiltyard_pictures import cli as picture
from tiltyard_site.commands import replay
from tiltyard_tournaments.cli import publish
from tiltyard_tournaments.cli import run as running
from tiltyard_tournaments.cli.application import Application

SOURCE = "the work of a term\n"


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_small_cup(tmp_path_factory.mktemp("cup"))


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize(
    ("app", "words", "message"),
    [
        (export.app, ["CUP", "--output", "a.py"], "a.py: exists and isn't an export, so it is not overwritten"),
        (export.app, ["CUP", "--output", "CUP"], "cup.yaml: exists and isn't an export"),
        (replay.app, ["CUP", "--match", "1", "--output", "a.py"], "a.py: exists and isn't a replay"),
        (picture.app, ["CUP", "--match", "1", "--svg", "--output", "a.py"], "a.py: exists and isn't a picture"),
        (running.app, ["CUP", "--log", "a.py"], "a.py: exists and isn't a log of events"),
        (round_robin.app, ["acorn", "bramble", "--maps", "back-yard", "--output", "a.py"], "a.py: is a file, expected a folder"),
        (export.app, ["CUP", "--output", "."], "is a folder, expected the name of a file"),
    ],
)
def test_an_output_never_destroys_what_is_something_else(
    cup: Path, source: Path, app: Application, words: list[str], message: str
) -> None:
    before = cup.read_bytes()
    done = CliRunner().invoke(app, [word.replace("CUP", str(cup)) for word in words])
    assert isinstance(done.exception, UserError), done.output
    assert message in str(done.exception)
    assert (source.read_text(), cup.read_bytes()) == (SOURCE, before)


def test_a_table_never_destroys_what_is_something_else(cup: Path, source: Path) -> None:
    told = f"publication: {{publishers: [{{name: markdown, file: {source}}}]}}\n"
    file = cup.with_name("published.yaml")
    file.write_text(cup.read_text() + told)
    done = CliRunner().invoke(publish.app, [str(file)])
    assert done.exit_code == 1
    assert "exists and isn't a file of tables" in done.output
    assert source.read_text() == SOURCE


@pytest.mark.parametrize(
    ("app", "words"),
    [
        (export.app, ["CUP", "--output", "again"]),
        (export.app, ["CUP", "--replays", "--output", "again"]),
        (replay.app, ["CUP", "--match", "1", "--output", "again"]),
        (replay.app, ["CUP", "--match", "1", "--output", "again.zst"]),
        (picture.app, ["CUP", "--match", "1", "--svg", "--output", "again"]),
        (picture.app, ["CUP", "--match", "1", "--png", "--output", "again.png"]),
        (running.app, ["CUP", "--log", "again"]),
        (export.app, ["CUP", "--output", "/dev/null"]),
    ],
)
def test_what_a_command_has_written_it_writes_again(cup: Path, source: Path, app: Application, words: list[str]) -> None:
    for _ in range(2):
        done = CliRunner().invoke(app, [word.replace("CUP", str(cup)) for word in words])
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize("address", ["https://example.org/bot.zip", "git@example.org:course/bot.git"])
@pytest.mark.parametrize(
    ("app", "words"),
    [
        (check.app, ["ADDRESS"]),
        (check.app, ["acorn", "--map", "ADDRESS"]),
        (check.app, ["acorn", "--against", "ADDRESS"]),
        (round_robin.app, ["acorn", "ADDRESS", "--maps", "back-yard"]),
        (round_robin.app, ["acorn", "x=ADDRESS", "--maps", "back-yard"]),
        (round_robin.app, ["acorn", "bramble", "--maps", "ADDRESS"]),
        (competition.app, ["--game", "tanks", "--algorithms", "ADDRESS"]),
        (running.app, ["ADDRESS"]),
        (running.app, ["of-address.yaml"]),
    ],
)
def test_an_address_is_no_path(source: Path, app: Application, words: list[str], address: str) -> None:
    source.with_name("of-address.yaml").write_text(f"game: tanks\nteams: [acorn, {address}]\nmaps: [back-yard]\n")
    done = CliRunner().invoke(app, [word.replace("ADDRESS", address) for word in words])
    assert isinstance(done.exception, UserError), done.output
    assert "is an address, expected a file or folder; download it first" in str(done.exception)
