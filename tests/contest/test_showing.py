"""The final ranking for programs, and the page above the sites of the stages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

from tests.contest.stages_cup import call, ranking
from tests.site.axe import OPTIONS, violations

from tiltyard_tournaments.cli import publish, run


def test_each_stage_has_a_site_and_a_page_leads_to_them(stages_cup: Path, tmp_path: Path) -> None:
    done = call(publish.app, stages_cup, "-o", tmp_path)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "index.html").read_text()
    champion = ranking(stages_cup)[0][1]
    assert f'<a href="finals/team-{champion}.html"><bdi>{champion}</bdi></a> won' in page
    assert page.count('"number column-place"') == 1 + 8
    for stage in ("groups", "finals", "lower"):
        assert f'<a class="card" href="{stage}/index.html">' in page
        site = (tmp_path / stage / "index.html").read_text()
        assert f'<a href="index.html" aria-current="true"><bdi>{stage}</bdi></a>' in site
        others = [name for name in ("groups", "finals", "lower") if name != stage]
        for address in ("../index.html", *[f"../{name}/index.html" for name in others]):
            assert f'<a href="{address}">' in site
        assert (tmp_path / stage / address).is_file()
    again = call(publish.app, stages_cup, "-o", tmp_path, "--publisher", "csv")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "groups" / "index.html").is_file(), "what others wrote stays"
    assert 'href="groups/tables/standings.csv"' in (tmp_path / "index.html").read_text()


def test_the_page_above_the_stages_says_how_far_they_are(stages_cup: Path, tmp_path: Path) -> None:
    """The finals are not played yet, and what is published has an address."""
    begun = tmp_path / "cup.yaml"
    begun.write_text(f"publication: {{title: Spring, address: 'https://x.org/cup', folder: pages}}\n{stages_cup.read_text()}")
    copytree(stages_cup.with_suffix("") / "groups", tmp_path / "cup" / "groups")
    done = call(publish.app, begun)
    assert done.exit_code == 0, done.output
    folder = tmp_path / "cup" / "pages"
    page = (folder / "index.html").read_text()
    assert "<h1><bdi>Spring</bdi></h1>" in page
    assert "Final ranking, so far" in page
    assert "<span>now: finals</span>" in page
    assert page.count("not begun") == 2
    assert '<meta property="og:url" content="https://x.org/cup/">' in page
    assert '<meta property="og:image" content="https://x.org/cup/data/share.png">' in page
    assert (folder / "data" / "share.png").read_bytes().startswith(b"\x89PNG")
    site = (folder / "groups" / "index.html").read_text()
    assert "<title>Spring: groups</title>" in site
    assert '<meta property="og:url" content="https://x.org/cup/groups/">' in site
    assert "../finals/" not in site


def test_axe_finds_nothing_on_the_page_above_the_stages(visit: Callable[..., Any], stages_cup: Path, tmp_path: Path) -> None:
    assert call(publish.app, stages_cup, "-o", tmp_path).exit_code == 0
    visitor = visit(tmp_path, **OPTIONS)
    assert [*violations(visitor.open("index.html")), *violations(visitor.open("groups/index.html"))] == []


def test_programs_hear_of_the_final_ranking(stages_cup: Path) -> None:
    done = call(run.app, stages_cup, "--json")
    assert done.exit_code == 0, done.output
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["event"], last["complete"]) == ("final ranking", True)
    assert [[str(each) for each in row.values()] for row in last["ranking"]] == ranking(stages_cup)
    assert list(last["ranking"][0]) == ["place", "team", "stage", "place_there"]
