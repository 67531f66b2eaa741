"""All stages in memory, as ``tiltyard serve`` shows them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import copytree
from urllib.request import urlopen

import pytest
from tests.contest.stages_cup import call
from tests.end_to_end.background import PATIENCE, commands_in, wait_until

from tiltyard_contest.live_stages import LiveStages
from tiltyard_engine.errors import UserError
from tiltyard_site.commands import serve
from tiltyard_tournaments.cli.tournament_options import TournamentOptions


def test_all_stages_are_served(stages_cup: Path, tmp_path: Path) -> None:
    """A stage has a site as soon as it is begun, and then all lead to it."""
    file = tmp_path / "cup.yaml"
    file.write_text(stages_cup.read_text())
    site = LiveStages(TournamentOptions(file))
    assert site.title == "Cup"
    with pytest.raises(UserError, match="is being made"):
        site.file("index.html")

    def text(path: str) -> str:
        content = site.file(path)
        assert content is not None, path
        return content.decode()

    site.bring_up_to_date()
    assert json.loads(text("live.json"))["text"] == "groups: Live: 0 of 32 games"
    assert "not begun" in text("index.html")
    assert "../finals/" not in text("groups/index.html")
    assert site.file("finals/index.html") is None
    first = text("index.html")

    for stage in ("groups", "finals"):
        copytree(stages_cup.with_suffix("") / stage, tmp_path / "cup" / stage)
    # How often pages are made anew depends on how long they took.
    wait_until(lambda: site.bring_up_to_date() >= 0 and text("index.html") != first)
    state = json.loads(text("live.json"))
    assert (state["text"], state["played"], state["complete"]) == ("lower is to come", 44, False)
    wait_until(lambda: site.bring_up_to_date() >= 0 and "32 games" in text("groups/index.html"))
    assert json.loads(text("groups/live.json"))["complete"]
    assert "../finals/index.html" in text("groups/index.html")
    assert site.file("finals/") is None
    assert text("assets/site.css") == text("finals/assets/site.css")

    copytree(stages_cup.with_suffix("") / "lower", tmp_path / "cup" / "lower")
    wait_until(lambda: site.bring_up_to_date() >= 0 and "Final ranking<" in text("index.html"))
    assert json.loads(text("live.json"))["text"] == "Complete: 56 games"
    assert "data-version" in text("index.html")
    assert site.file("nothing.html") is None


def test_a_served_stage_that_can_not_be_read_leaves_the_others_as_they_are(stages_cup: Path, tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(stages_cup.read_text())
    copytree(stages_cup.with_suffix("") / "groups", tmp_path / "cup" / "groups")
    site = LiveStages(TournamentOptions(file))
    site.bring_up_to_date()
    (tmp_path / "cup" / "finals").mkdir()
    (tmp_path / "cup" / "finals" / "tournament.sqlite").write_bytes(b"nothing that was ever a store" * 100)
    with pytest.raises(UserError, match=re.escape("tournament.sqlite")):
        site.bring_up_to_date()
    assert site.file("groups/index.html") is not None
    assert site.file("index.html") is not None


def test_the_command_serves_all_stages(stages_cup: Path) -> None:
    with commands_in(stages_cup.parent) as start:
        server = start("tiltyard", "serve", "cup.yaml", "--port", "0")
        assert server.stdout is not None
        address, _, what = server.stdout.readline().partition(" ")
        assert what.startswith("serves Cup; press Ctrl-C")
        for path, words in (("", "Final ranking"), ("finals/", "Bracket"), ("lower/live.json", "Complete: 12 games")):
            with urlopen(address + path, timeout=PATIENCE) as answer:
                assert words in answer.read().decode()
                assert answer.headers.get_content_type() == ("application/json" if "json" in path else "text/html")


def test_visitors_play_against_the_teams_of_one_stage(stages_cup: Path) -> None:
    done = call(serve.app, stages_cup, "--play")
    assert "choose it with --stage NAME" in str(done.exception)
