"""Tournaments from Python: the command's files, stores and results, as plain values."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text

import tiltyard_tournaments as tiltyard
from tiltyard_engine.lifecycle import Event, TournamentFinished
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.cli.run import app
from tiltyard_tournaments.library.cup import Cup

IMPORTED = """
import sys
import tiltyard_tournaments as tiltyard
heavy = {"numpy", "pydantic", "yaml", "rich", "jinja2", "msgspec", "typer", "tabulate", "sqlite3", "tiltyard_simulator"}
print(sorted(heavy & set(sys.modules)))
"""


@pytest.fixture
def cup(tmp_path: Path) -> Cup:
    """Small, short, and not played yet."""
    (tmp_path / "duel.txt").write_text(map_text(DUEL, 20, 5))
    (tmp_path / "cup.yaml").write_text("title: Duel\ngame: tanks\nteams: [acorn, bramble, coyote]\nmaps: duel.txt\nworkers: 1\n")
    return tiltyard.load(tmp_path / "cup.yaml")


def test_the_import_is_light() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_what_is_wrong_is_one_exception(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text("titel: x\nteams: [acron, acorn]\ngame: tanks\n")
    with pytest.raises(tiltyard.TournamentFileError) as caught:
        tiltyard.load(str(tmp_path / "cup.yaml"))
    assert [(problem.line, problem.key) for problem in caught.value.problems] == [(1, "titel"), (2, "teams[1]")]
    assert isinstance(caught.value, tiltyard.UserError)
    with pytest.raises(tiltyard.UserError, match=r"none\.yaml: cannot be read"):
        tiltyard.load(tmp_path / "none.yaml")


def test_before_anything_is_played(cup: Cup) -> None:
    assert repr(cup) == "<tournament 'Duel': round-robin, 3 teams, 1 map>"
    assert len(cup.plan()) == 6
    assert (cup.status().done, cup.status().left, cup.status().complete) == (0, 6, False)
    with pytest.raises(tiltyard.UserError, match="nothing has been played here yet"):
        cup.standings()


def test_an_interrupted_run_goes_on(cup: Cup, capfd: pytest.CaptureFixture[str]) -> None:
    """As a notebook's stop button does it: KeyboardInterrupt comes somewhere in this thread."""
    events: list[Event] = []

    def stop(event: Event) -> None:
        events.append(event)
        if isinstance(event, Outcome) and event.place == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cup.run(stop)
    assert isinstance(events[-1], TournamentFinished)
    assert (cup.status().done, cup.status().left) == (3, 3)
    played: list[bool] = []
    cup.run(lambda event: played.append(event.played) if isinstance(event, Outcome) else None, workers=2)
    assert sorted(played) == [False] * 3 + [True] * 3
    assert cup.status().complete
    assert capfd.readouterr() == ("", "")


def test_progress_is_shown_where_it_is_asked_for(cup: Cup, capsys: pytest.CaptureFixture[str]) -> None:
    cup.run(progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Duel: 3 teams, 0 games already played\nfinished: 6 games")


def test_rows_are_flat_and_plain_and_agree(cup: Cup) -> None:
    cup.run()
    results, seats = cup.results(), cup.seats()
    assert [row["number"] for row in results] == [1, 2, 3, 4, 5, 6]
    assert len(seats) == 12
    assert all(list(row) == list(results[0]) for row in results)
    assert all(list(row) == list(seats[0]) for row in seats)
    assert json.loads(json.dumps(results)) == results
    assert json.loads(json.dumps(seats)) == seats
    for row in results:
        won = [seat["team"] for seat in seats if seat["key"] == row["key"] and seat["result"] == "win"]
        assert won == ([] if row["winner"] is None else [row["winner"]])
    for line in cup.standings():
        own = [row for row in seats if row["team"] == line["algorithm"]]
        assert sum(float(row["points"] or 0) for row in own) == line["points"]
        assert [sum(row["result"] == result for row in own) for result in ("win", "tie", "loss")] == [
            line["wins"],
            line["ties"],
            line["losses"],
        ]
    assert {row["team"] for row in cup.ratings()} == set(cup.teams)
    assert all(float(row["low"] or 0) <= float(row["rating"] or 0) <= float(row["high"] or 0) for row in cup.ratings())
    with pytest.raises(tiltyard.UserError, match="no table is called 'standigs'; did you mean standings"):
        cup.table("standigs")


def test_replays_by_number_key_and_row(cup: Cup) -> None:
    cup.run()
    row = cup.results()[4]
    replay = cup.replay(5)
    assert replay.message == row["message"]
    assert cup.replay(row) == cup.replay(str(row["key"])[:8]) == replay
    with pytest.raises(tiltyard.UserError, match="no match '7' has been played"):
        cup.replay(7)


def test_the_command_and_python_share_a_store(cup: Cup, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    assert CliRunner().invoke(app, [str(tmp_path / "cup.yaml")]).exit_code == 0
    assert cup.status().complete
    events: list[Event] = []
    cup.run(events.append)
    assert not any(event.played for event in events if isinstance(event, Outcome))


def test_keys_as_arguments_are_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cup: Cup) -> None:
    monkeypatch.chdir(tmp_path)
    made = tiltyard.tournament(
        title="Duel",
        game="tanks",
        teams=("acorn", "bramble", "coyote"),
        maps=Path("duel.txt"),
        tie_breaks=["wins"],
        workers=1,
        output=tmp_path / "elsewhere",
    )
    assert made.run().results()[0]["key"] == cup.run().results()[0]["key"]
    assert (tmp_path / "elsewhere" / "tournament.sqlite").is_file()


def test_publishers_and_observers(
    tmp_path: Path, programs: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(programs / "publishing" / "notice_board.py", tmp_path)
    (tmp_path / "duel.txt").write_text(map_text(DUEL, 20, 5))
    (tmp_path / "cup.yaml").write_text(f"""\
game: tanks
teams: [acorn, bramble]
maps: duel.txt
trust: [./notice_board.py]
observers: {{name: notice_board.py, file: {tmp_path}/heard.txt}}
publication: {{publishers: ["notice_board.py:failing", {{name: "notice_board.py:notice", file: {tmp_path}/pinned.txt}}, markdown]}}
workers: 1
""")
    cup = tiltyard.load(tmp_path / "cup.yaml")
    with caplog.at_level(logging.WARNING, "tiltyard"):
        cup.run()
    assert [record.name for record in caplog.records] == ["tiltyard"]
    assert "raised ConnectionError: the server is away" in caplog.text
    assert (tmp_path / "heard.txt").read_text().endswith("over after 2 games\n")
    assert (tmp_path / "cup" / "standings.md").is_file()
    assert cup.publish(tmp_path / "www", ["site"]) == [tmp_path / "www" / "index.html"]
    with pytest.raises(tiltyard.UserError, match=r"publisher failing .*the server is away"):
        cup.publish()
    assert capfd.readouterr().err == ""


def test_one_match() -> None:
    match = tiltyard.play(["acorn", "bramble"], "narrow-pass")
    assert match.teams == ("acorn", "bramble")
    assert match.replay is not None
    assert len(match.replay.frames) == match.rounds
    for algorithms, game_map, reason in (
        (["acorn", "brumble"], "narrow-pass", "did you mean bramble"),
        (["acorn", "bramble"], "narrow-pas", "did you mean narrow-pass"),
        (["acorn"], "narrow-pass", "tanks is for 2 to 9 players, got 1; name"),
    ):
        with pytest.raises(tiltyard.UserError, match=reason):
            tiltyard.play(algorithms, game_map)
    with pytest.raises(tiltyard.UserError, match="isolation is 'sandbix', expected one of"):
        tiltyard.play(["acorn", "bramble"], "narrow-pass", isolation="sandbix")
