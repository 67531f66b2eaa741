"""Stages from Python, and the page above them at the end of a run."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.contest.stages_cup import call, ranking
from tests.own_loop import in_own_thread
from tests.tournaments.library.duel import Shooter

import tiltyard_tournaments as tiltyard
from tiltyard_tournaments.cli import run

SMALL = """\
title: Small cup
game: tanks
maps: [back-yard]
workers: 1
teams: [acorn, bramble, coyote]
publication: {publishers: [site]}
stages:
  - {name: groups}
  - {name: finals, teams: {from: groups, top: 2}, maps: [narrow-pass]}
"""


def test_a_run_writes_the_page_above_the_stages(tmp_path: Path) -> None:
    """Also if one stage is run alone."""
    file, site = tmp_path / "cup.yaml", tmp_path / "cup" / "site"
    file.write_text(SMALL)
    for words, finals in ((("--stage", "groups"), False), ((), True)):
        done = call(run.app, file, *words)
        assert done.exit_code == 0, done.output
        assert f"published: {site / 'index.html'}" in done.stderr
        page = (site / "index.html").read_text()
        assert 'href="groups/index.html"' in page
        assert ('href="finals/index.html"' in page) is finals
        assert ('href="../finals/index.html"' in (site / "groups" / "index.html").read_text()) is finals
    assert f"{ranking(file)[0][1]}</bdi></a> won" in page
    assert not (tmp_path / "cup" / "groups" / "site").exists()


def test_stages_are_played_and_shown_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(SMALL)
    cup = tiltyard.load(file)
    assert repr(cup) == "<tournament 'Small cup': stages groups, finals>"
    assert (list(cup.stages), cup.teams, cup.maps) == (
        ["groups", "finals"],
        ("acorn", "bramble", "coyote"),
        ("back-yard", "narrow-pass"),
    )
    assert "Nothing has been played yet" in cup._repr_html_()
    with pytest.raises(tiltyard.UserError, match="nothing has been played yet"):
        cup.standings()
    with pytest.raises(tiltyard.UserError, match="Small cup: groups has not begun, so no team advances from it yet"):
        _ = cup.stages["finals"]
    with pytest.raises(tiltyard.UserError, match="did you mean finals"):
        _ = cup.stages["final"]
    assert (cup.status().done, cup.status().complete) == (0, False)

    async def first_stage() -> int:
        return len([match async for match in cup.stages["groups"].stream()])

    assert in_own_thread(asyncio.run, first_stage()) == 6
    assert not cup.status().complete
    heard: list[object] = []
    assert cup.run(heard.append) is cup
    status = cup.status()
    assert (status.done, status.left, status.complete) == (6 + 2, 0, True)
    assert [list(map(str, row.values())) for row in cup.standings()] == ranking(file)
    assert [row["algorithm"] for row in cup.stages["finals"].standings()] == [row[1] for row in ranking(file)[:2]]
    assert "place there" in cup._repr_html_()
    assert (tmp_path / "cup" / "site" / "index.html").is_file(), "by the file's publishers"
    first, *others = cup.publish(tmp_path / "elsewhere", ["markdown"])
    assert first == tmp_path / "elsewhere" / "index.html"
    files = ("final-ranking.md", "groups/standings.md", "finals/standings.md")
    assert others == [tmp_path / "elsewhere" / file for file in files]
    with pytest.raises(
        tiltyard.UserError, match=r"has the stages groups, finals; ask one of them for this, as in cup.stages\['groups'\]"
    ):
        cup.results()
    assert len(cup.stages["groups"].results()) == 6


def test_stages_may_be_keys_with_objects(tmp_path: Path) -> None:
    """What a program gave plays in every stage, also one that takes its teams from another; carried points count."""
    cup = tiltyard.tournament(
        title="Mine",
        game="tanks",
        maps=["back-yard"],
        stages=[
            {"name": "groups", "teams": {"shooter": Shooter, "acorn": "acorn"}, "tie_breaks": ["wins", "lots"]},
            {"name": "finals", "teams": {"from": "groups", "top": 2, "carry": "points"}},
        ],
    ).run()
    groups, finals = cup.stages["groups"].standings(), cup.stages["finals"].standings()
    assert {row["algorithm"]: row["carried"] for row in finals} == {row["algorithm"]: row["points"] for row in groups}
    assert sorted(str(row["algorithm"]) for row in cup.standings()) == ["acorn", "shooter"]
