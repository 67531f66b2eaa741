from __future__ import annotations

from pathlib import Path

import pytest
from tests.tournaments.publishers.made_results import EVIL, made_results
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_site.pages.site_data import site_data
from tiltyard_site.publication.publisher import publish_site
from tiltyard_tournaments.cli import run
from tiltyard_tournaments.store.store_file import STORE_NAME


def test_a_site_is_made_from_what_every_publisher_gets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = made_results(tmp_path, title="Our cup", folder=Path("www"), links=(("Home", "https://example.org/"),))
    assert publish_site(results) == [tmp_path / "www" / "index.html"]
    page = (tmp_path / "www" / "index.html").read_text(encoding="utf-8")
    assert "Our cup" in page
    assert "https://example.org/" in page
    assert "<script>alert" not in page
    assert "files written, 0 unchanged, 0 removed" in capsys.readouterr().out
    data = site_data(results)
    assert (list(data.teams), data.planned, data.matches[0].faults[0].message) == (["ann", EVIL], 4, "it broke")


def test_what_is_hidden_stays_so(tmp_path: Path) -> None:
    shown = site_data(made_results(tmp_path, hide=frozenset()))
    assert (shown.hide, len(shown.ratings)) == (set(), 2)
    hidden = site_data(made_results(tmp_path, hide=frozenset(["output", "replays", "faults", "ratings"])))
    assert {"output", "replays", "faults"} < hidden.hide
    assert len(hidden.ratings) == 0


@pytest.mark.parametrize("hide", ["[]", "[not-admitted]"])
def test_people_whose_work_is_no_team_can_be_hidden(tmp_path: Path, hide: str) -> None:
    """Their names and the compilers' errors were on every public site."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "Ann Alder.py").write_text("def broken(:\n")
    file = tmp_path / "cup.yaml"
    text = "game: tanks\nteams: [bots/, acorn, bramble]\nmaps: [back-yard]\nworkers: 1\n"
    file.write_text(f"{text}isolation: inline\npublication: {{publishers: [site, html], hide: {hide}}}\n")
    assert CliRunner().invoke(run.app, [str(file)]).exit_code == 0
    public = [path for path in (tmp_path / "cup").rglob("*") if path.is_file() and path.name != STORE_NAME]
    assert {path.name for path in public} >= {"index.html", "standings.html"}
    assert any(b"Ann Alder" in path.read_bytes() for path in public) == (hide == "[]")


def test_a_logo_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"logo\.png: cannot be read: No such file"):
        site_data(made_results(tmp_path, logo=tmp_path / "logo.png"))


def test_ratings_that_cannot_be_computed_leave_the_rest_of_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltyard_tournaments.ratings.newton.MOST_STEPS", 1)
    publish_site(made_results(tmp_path, folder=Path("www")))
    page = (tmp_path / "www" / "index.html").read_text(encoding="utf-8")
    assert '<p class="note">The ratings can&#39;t be computed: ArithmeticError: no maximum found in 1 steps.</p>' in page
    assert '<table class="ratings">' not in page
    assert "Who beat whom" in page
