from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.making import team_source
from tests.site.axe import OPTIONS, violations
from tests.site.conftest import wait_until
from tests.tournaments.cli.small_cup import play_small_cup
from typer.testing import CliRunner, Result

from tiltyard_engine.errors import UserError
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import unpack
from tiltyard_site.commands import replay
from tiltyard_tournaments.cli import run as running
from tiltyard_tournaments.cli import standings
from tiltyard_viewer.command import watch

BAD_TEAM = team_source("bad", action='raise ValueError("broken")')


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_small_cup(tmp_path_factory.mktemp("cup"))


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(replay.app, [str(word) for word in words])


def rows(cup: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(run(cup, "--format", "json").stdout)
    return found


def test_matches_are_listed(cup: Path) -> None:
    listed = rows(cup)
    assert [int(row["number"]) for row in listed] == [1, 2, 3, 4]
    assert {row["teams"] for row in listed} == {"acorn - bramble", "bramble - acorn"}
    assert {row["map"] for row in listed} == {"back-yard", "narrow-pass"}
    assert len({row["key"] for row in listed}) == 4
    assert all(row["result"] for row in listed)


def test_a_match_is_chosen_by_number_or_key(cup: Path, tmp_path: Path) -> None:
    row = rows(cup)[2]
    assert run(cup, "--match", "3", "-o", tmp_path / "a.jsonl").exit_code == 0
    assert run(cup, "--match", row["key"].upper(), "-o", tmp_path / "b.jsonl.zst").exit_code == 0
    plain = (tmp_path / "a.jsonl").read_bytes()
    taken = unpack(plain, "a.jsonl")
    assert unpack((tmp_path / "b.jsonl.zst").read_bytes(), "b") == taken
    assert (encode(taken), " - ".join(taken.seats), taken.title, taken.message) == (plain, row["teams"], row["map"], row["result"])
    assert run(cup, "--match", "3").stdout_bytes == plain


def test_a_taken_replay_is_watched_like_its_match(cup: Path, tmp_path: Path) -> None:
    run(cup, "--match", "2", "-o", tmp_path / "a.jsonl.zst")
    shown = [
        CliRunner().invoke(watch.app, words).stdout
        for words in ([str(cup), "--match", "2"], [str(tmp_path / "a.jsonl.zst"), "--every-round"], [str(tmp_path / "a.jsonl.zst")])
    ]
    assert shown[0] == shown[2]
    assert rows(cup)[1]["result"] in shown[0]
    assert "round 1\n" in shown[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--match", "5"], "no match '5' has been played; expected a number, or at least 4 digits of a key; 'tiltyard replay"),
        (["--match", ""], "no match '' has been played"),
        (["--match", "ffffffffff"], "no match 'ffffffffff' has been played"),
        (["-o", "x.jsonl"], "choose the match to write to x.jsonl with --match"),
        (["--match", "1", "-o", "/nowhere/x.jsonl"], "/nowhere/x.jsonl: cannot be written"),
    ],
)
def test_mistakes(cup: Path, words: list[str], message: str) -> None:
    done = run(cup, *words)
    assert isinstance(done.exception, UserError)
    assert message in str(done.exception)


def test_a_tournament_that_keeps_no_replays(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(play_small_cup(tmp_path).read_text() + "replays: false\n")
    file.write_text(file.read_text().replace(str(tmp_path / "cup"), str(tmp_path / "other")))
    assert CliRunner().invoke(running.app, [str(file)]).exit_code == 0
    done = run(file, "--match", "1")
    assert "match 1 has no replay: replays were not saved" in str(done.exception)


def test_a_forfeit_has_no_replay(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD_TEAM)
    file = tmp_path / "cup.yaml"
    settings = f"quarantine: 1\noutput: {tmp_path / 'cup'}\nworkers: 1\nisolation: inline\n"
    file.write_text(f"game: tanks\nmaps: [back-yard]\nteams: [bad.py, acorn, bramble]\n{settings}")
    done = CliRunner().invoke(running.app, [str(file)])
    assert done.exit_code in (0, 1), done.output
    listed = rows(file)
    told = [str(run(file, "--match", str(row["number"])).exception) for row in listed if "bad" in row["teams"]]
    assert sum("has no replay: it was forfeited, not played" in each for each in told) == len(told) - 1
    said = f"bad was put in quarantine after 1 match with faults: all its {len(told)} matches count as forfeits\n"
    assert said in done.output
    assert CliRunner().invoke(standings.app, [str(file)]).stderr == said


def test_a_game_in_one_page_plays_anywhere(cup: Path, tmp_path: Path, visit: Callable[..., Any]) -> None:
    done = run(cup, "--match", "3", "--html", tmp_path / "game.html", "--embed")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith('<iframe src="game.html" title="')
    size = (tmp_path / "game.html").stat().st_size
    assert size < 300_000
    assert f"{size:,} bytes" in done.stderr
    # Somebody else's page, which forbids its own scripts nothing and helps in nothing.
    (tmp_path / "other.html").write_text(f"<!doctype html><title>x</title>{done.stdout}", encoding="utf-8")
    recorded = unpack(run(cup, "--match", "3").stdout_bytes, "x")
    last = len(recorded.frames)
    here = visit(tmp_path, reduced_motion="no-preference", **OPTIONS)
    for name in ("game.html", "other.html"):
        page = here.open(name)
        frame = page.frames[-1]
        frame.wait_for_selector(".counter")
        wait_until(frame, "parseInt(document.querySelector('.counter').textContent) > 1")
        assert frame.inner_text(".counter").endswith(f" / {last}")
        assert recorded.seats[0] in frame.inner_text("h1")
        assert rows(cup)[2]["result"] in frame.inner_text(".verdict")
    # No file but the two was asked for.
    assert {url.rpartition("/")[2] for url in here.requests if not url.startswith("blob:")} == {"game.html", "other.html"}
    page = here.open("game.html")
    page.keyboard.press("End")
    assert violations(page) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--match", "1", "--embed"], "--embed needs the page: name the file to write with --html"),
        (["--html", "x.html"], "choose the match to write to x.html with --match"),
        (["--match", "1", "--html", "/nowhere/x.html"], "/nowhere/x.html: cannot be written"),
    ],
)
def test_mistakes_with_pages(cup: Path, words: list[str], message: str) -> None:
    test_mistakes(cup, words, message)


def test_no_other_file_is_overwritten_by_a_page(cup: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("mine")
    assert isinstance(run(cup, "--match", "1", "--html", tmp_path / "mine.html").exception, UserError)
    assert (tmp_path / "mine.html").read_text() == "mine"
