"""Every command that shows results still has those of a cup that another version of tiltyard played, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.site.publication.test_publication import shown_replays
from tests.tournaments.cli.small_cup import play_small_cup
from typer import Typer
from typer.testing import CliRunner, Result

import tiltyard_tournaments as tiltyard
from tiltyard_checks.command import export, status
from tiltyard_simulator.match import key as key_module
from tiltyard_site.commands import replay
from tiltyard_tournaments.cli import publish, run, standings

NOTE = "4 games were played with different settings, such as limits, or a different version of tiltyard"
AGAIN = f"4 finished games will be played again: played with {NOTE.partition(' with ')[2]}\n"


def done(app: Typer, *words: str | Path) -> Result:
    found = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found


def test_the_commands_show_them_and_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cup = play_small_cup(tmp_path)
    shown = [(app, done(app, cup).stdout) for app in (standings.app, export.app, replay.app)]
    assert "complete" in done(status.app, cup).stdout
    monkeypatch.setattr(key_module, "KEY_VERSION", 0)
    note = f"note: {NOTE}; 'tiltyard run {cup}' plays them again\n"
    for app, before in shown:
        found = done(app, cup)
        assert (found.stdout, found.stderr) == (before, note)
    assert done(export.app, cup, "--all").stderr == ""
    found = done(status.app, cup)
    assert f"done: 4 games\nearlier: {note.removeprefix('note: ')}" in found.stdout
    assert "unused" not in found.stdout
    assert note in done(publish.app, cup, "-o", tmp_path / "site").stderr
    assert NOTE in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert len(shown_replays(tmp_path / "site")) == 4
    assert done(replay.app, cup, "--match", "1").stdout_bytes
    # From Python as well.
    state = tiltyard.load(cup).status()
    assert (state.done, state.left, state.earlier, state.complete) == (4, 0, 4, False)
    assert len(tiltyard.load(cup).results()) == 4
    assert caplog.messages == [f"Small cup: {NOTE}; run it to play them again"]

    found = done(run.app, cup)
    assert AGAIN in found.stderr
    assert "4 played in this run" in found.stderr
    assert done(standings.app, cup).stderr == ""
    assert "complete" in done(status.app, cup).stdout
    assert AGAIN not in done(run.app, cup).stderr
    matches = [json.loads(line) for line in done(export.app, cup, "--all").stdout.splitlines()]
    assert sum(line["kind"] == "match" for line in matches) == 8
