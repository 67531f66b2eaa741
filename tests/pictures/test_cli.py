from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PIL import Image
from tests.pictures.samples import march
from tests.tournaments.cli.small_cup import play_small_cup
from typer.testing import CliRunner, Result

from tiltyard_engine.errors import UserError
from tiltyard_pictures import cli as picture
from tiltyard_simulator.replays.files import write_replay
from tiltyard_site.commands import replay
from tiltyard_tanks.tanks_game import main as tanks_game

MAP = "Duel\nMaxSteps = 12\nNumShells = 4\nRows = 4\nCols = 9\n#########\n1       2\n# # @ # #\n#########\n"


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_small_cup(tmp_path_factory.mktemp("cup"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(picture.app, [str(word) for word in words])


def test_a_match_of_a_store_becomes_a_film(cup: Path, folder: Path) -> None:
    done = run(cup, "--match", "1", "-o", "film.gif")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    made = folder / "film.gif"
    with Image.open(made) as film:
        assert done.stdout == f"{made.name}: {film.width} x {film.height}, {made.stat().st_size:,} bytes\n"
        rounds = film.n_frames - 2  # type: ignore[attr-defined]
    run(cup, "--match", "1", "--from", "1", "--to", "3", "-o", "part.gif")
    with Image.open("part.gif") as film:
        assert film.n_frames == 4  # type: ignore[attr-defined]
    CliRunner().invoke(replay.app, [str(cup), "--match", "1", "-o", "a.jsonl"])
    assert len(Path("a.jsonl").read_text().splitlines()) == rounds + 1


def test_the_ending_of_the_file_decides(cup: Path, folder: Path) -> None:
    CliRunner().invoke(replay.app, [str(cup), "--match", "1", "-o", "final.jsonl.zst"])
    assert run("final.jsonl.zst", "-o", "final.png", "--round", "2").exit_code == 0
    assert run("final.jsonl.zst", "-o", "twice.PNG", "--scale", "2").exit_code == 0
    assert run("final.jsonl.zst", "-o", "final.svg", "--look", "light").exit_code == 0
    with Image.open("final.png") as small, Image.open("twice.PNG") as large:
        assert (small.width * 2, small.height * 2) == pytest.approx(large.size, abs=2)
    assert ET.parse("final.svg").getroot().get("width") is not None


def test_the_old_options_still_work_and_say_what_takes_their_place(cup: Path, folder: Path) -> None:
    done = run(cup, "--match", "1", "--gif", "--to", "2")
    (film,) = folder.glob("cup-????????.gif")
    assert done.stderr == f"note: --gif is an old option; instead, let the name of the file end in .gif: --output {film.name}\n"
    write_replay(folder / "a.jsonl", march(3))
    done = run("a.jsonl", "--svg", "-o", "drawing.png")
    assert done.stderr.splitlines()[0].endswith("end in .svg: --output drawing.svg")
    assert ET.parse("drawing.png").getroot().get("width") is not None
    assert "--gif" not in run("--help").stdout


def test_an_output_file_is_rebuilt_and_drawn(folder: Path) -> None:
    (folder / "duel.txt").write_text(MAP)
    assert tanks_game(["duel.txt"]) == 0
    assert run("output_duel.txt", "--map", "duel.txt", "-o", "output_duel.svg").exit_code == 0
    assert (folder / "output_duel.txt").read_text().splitlines()[-1] in (folder / "output_duel.svg").read_text()
    lines = (folder / "output_duel.txt").read_text().splitlines()
    (folder / "damaged.txt").write_text("\n".join([*lines[:2], "Shoot (ignored), Nonsense"]))
    done = run("damaged.txt", "--map", "duel.txt", "-o", "damaged.svg")
    assert (done.exit_code, (folder / "damaged.svg").exists()) == (1, True)
    assert "error: damaged.txt, line 3: " in done.stderr


def test_a_game_that_is_not_installed_is_drawn_as_characters(folder: Path) -> None:
    write_replay(folder / "ants.jsonl", march(3))
    done = run("ants.jsonl", "-o", "ants.svg")
    assert done.exit_code == 0
    assert "note: the game 'ants' is not installed, or has no theme: its pieces are drawn as characters" in done.stderr
    assert ">12</text>" in (folder / "ants.svg").read_text()


def test_a_long_game_is_thinned_with_a_note(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltyard_pictures.film.MOST_FRAMES", 40)
    write_replay(folder / "long.jsonl", march(90))
    assert "note: one round in 3 is shown" in run("long.jsonl", "-o", "long.gif").stderr
    assert "note: one round" not in run("long.jsonl", "-o", "long.gif", "--to", "30").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.jsonl"], "name the file to write: --output NAME.gif for a film, NAME.png or NAME.svg for a round"),
        (["a.jsonl", "-o", "x.bmp"], "x.bmp: expected a name that ends in .gif, .png or .svg"),
        (["a.jsonl", "--gif", "--svg"], "use only one of --gif and --svg"),
        (["a.jsonl", "-o", "x.gif", "--round", "1"], "--round is for PNG and SVG"),
        (["a.jsonl", "-o", "x.png", "--to", "1"], "for a PNG, choose the round with --round"),
        (["a.jsonl", "-o", "x.png", "--round", "4"], "no round 4: the game has rounds 0, its start, to 3"),
        (["a.jsonl", "-o", "x.gif", "--to", "4"], "no rounds 0 to 4"),
        (["a.jsonl", "-o", "x.gif", "--speed", "0"], "above 0 rounds per second, got 0"),
        (["a.jsonl", "-o", "x.svg", "--look", "pink"], "--look pink: expected light or dark"),
        (["a.jsonl", "-o", "x.svg", "--match", "1"], "only a tournament file has matches to choose from"),
        (["a.jsonl", "-o", "none/x.svg"], "none/x.svg: cannot be written"),
        (["missing.jsonl", "-o", "x.svg"], "missing.jsonl: cannot be read"),
        (["other.txt", "-o", "x.svg"], "isn't a replay file; to rebuild a match from an output file, give its map with --map"),
    ],
)
def test_mistakes(folder: Path, words: list[str], message: str) -> None:
    write_replay(folder / "a.jsonl", march(3))
    (folder / "other.txt").write_text("MoveForward, Shoot\n")
    done = run(*words)
    assert isinstance(done.exception, UserError)
    assert message in str(done.exception)


def test_a_tournament_needs_a_match(cup: Path) -> None:
    assert "choose a match with --match" in str(run(cup, "--gif").exception)
