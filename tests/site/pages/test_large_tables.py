"""Tables that grow with the square of the teams: small ones on the first page, large ones on a page of their own."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from tests.tournaments.made_matches import duel

from tiltyard_site.pages import pages as pages_module
from tiltyard_site.pages.site_data import fair_maps
from tiltyard_site.publication import SiteData, publish
from tiltyard_site.publication.page_writer import SiteFolder
from tiltyard_tournaments.standings import standings


def site_of(teams: int, maps: int = 1) -> SiteData:
    """Everybody against everybody on each map; whoever has the smaller number wins."""
    names = [f"team{number:03}" for number in range(teams)]
    pairs = [(one, other, number) for number in range(maps) for one, other in permutations(names, 2)]
    matches = [
        duel(one, other, 1 if one < other else 2, f"map{number}", place=place) for place, (one, other, number) in enumerate(pairs)
    ]
    return SiteData(title="Cup", teams=names, matches=matches, standings=standings(names, matches))


def elements(path: Path) -> int:
    return len(re.findall(r"<[a-z]", path.read_text(encoding="utf-8")))


def test_a_few_teams_have_all_on_the_first_page(tmp_path: Path) -> None:
    publish(site_of(8), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("matches.html#team=") == 8 * 7 + 8
    assert "crosstable.html" not in page
    assert not (tmp_path / "crosstable.html").exists()


def test_what_maps_decide_is_below_their_results(tmp_path: Path) -> None:
    made = site_of(4, maps=2)
    by_seat = [replace(match, winner=1, ranks=(1, 2), map="<b>") for match in made.matches if match.map == "map1"]
    publish(replace(made, fair_maps=lambda: fair_maps([*made.matches, *by_seat])), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    section = page.partition('id="fair-maps"')[2].partition("</section>")[0]
    assert re.findall('<th scope="row"><bdi>([^<]*)</bdi>', section) == ["map0", "map1", "&lt;b&gt;"]
    assert "Games on " in section
    assert " tell little about which team is better: when teams change seats" in section


def test_the_crosstable_of_many_is_on_a_page_of_its_own(tmp_path: Path) -> None:
    publish(site_of(40, maps=2), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<a href="crosstable.html#crosstable">crosstable</a>' in page
    assert "versus=" not in page
    # The maps' table is small still, and every page leads to the other.
    assert page.count("&amp;map=") == 40 * 2
    assert 'href="crosstable.html"' in (tmp_path / "team-team000.html").read_text(encoding="utf-8")
    crosstable = (tmp_path / "crosstable.html").read_text(encoding="utf-8")
    assert crosstable.count('<td class="share6">4</td>') == 40 * 39 / 2
    assert crosstable.count('<td class="share0">0</td>') == 40 * 39 / 2
    assert "Map by map" not in crosstable


def test_a_large_table_of_maps_moves_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_module, "MOST_CELLS", 20)
    publish(site_of(5, maps=5), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "&amp;map=" not in page
    assert '<a href="crosstable.html#maps">results by map</a>' in page
    assert "Map by map" in (tmp_path / "crosstable.html").read_text(encoding="utf-8")


def test_the_first_page_grows_with_the_teams_not_with_their_square(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_module, "MOST_CELLS", 20)
    sizes = []
    for teams in (20, 40):
        publish(site_of(teams), tmp_path / str(teams))
        sizes.append(elements(tmp_path / str(teams) / "index.html"))
    assert sizes[1] < 2.1 * sizes[0]


def test_the_list_of_files_is_written_as_often_for_many_games_as_for_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    write = SiteFolder._write_manifest

    def counted(self: SiteFolder, files: dict[str, str]) -> None:
        written[-1] += 1
        write(self, files)

    monkeypatch.setattr(SiteFolder, "_write_manifest", counted)
    for teams in (3, 6):
        written.append(0)
        data = site_of(teams)
        with_outputs = [replace(match, key=f"key{number}") for number, match in enumerate(data.matches)]
        publish(
            SiteData(
                title="Cup",
                teams=data.teams,
                matches=with_outputs,
                standings=data.standings,
                outputs=lambda key: ("said", ""),
                hide=frozenset(),
            ),
            tmp_path / str(teams),
        )
        assert len(list((tmp_path / str(teams) / "outputs").iterdir())) == len(with_outputs)
    assert written[0] == written[1]
