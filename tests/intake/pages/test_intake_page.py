"""The report of an intake as a page: whole in itself, for every window, and nobody's name can do anything in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

from tests.intake.similarity.works import program
from tests.site.axe import OPTIONS, violations
from tests.site.conftest import Visit

from tiltyard_intake.pages.intake_page import EXPLAINED, write_page
from tiltyard_intake.pages.likeness_page import MOST_LINES
from tiltyard_intake.report.team_report import BUILT, IntakeReport, TeamReport, Verdict, write_report
from tiltyard_intake.similarity.class_comparison import compare_class
from tiltyard_intake.similarity.likeness import Likeness, Pair, Passage

EVIL = "<script>document.title='x'</script><img src=x onerror=alert(1)>"


def report() -> IntakeReport:
    """A class with a team of every verdict, all of whose texts are hostile."""
    teams = [
        TeamReport(
            label=f"{EVIL} \u202e{verdict.name}",
            team=f"{number}",
            verdict=verdict,
            student_id=EVIL,
            members=(EVIL,),
            found=f"holds {EVIL}",
            recipe=EVIL,
            title=EVIL,
            ways=(EVIL,),
            error="" if verdict in BUILT else f"{EVIL}\n{'long' * 200}",
            notes=(EVIL,),
            earlier=(EVIL,),
            log=f"logs/{number}.txt",
            smoke=EVIL,
            replaced=(f"earlier/{number}/a b",),
            handed_in="no time",
            is_late=True,
            seconds=1.25,
        )
        for number, verdict in enumerate(Verdict)
    ]
    return IntakeReport(game=EVIL, teams=tuple(teams), skipped=((f"a/{EVIL}", EVIL),))


def test_the_page_needs_nothing_and_shows_everybody(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    write_report(report(), tmp_path)
    path = write_page(report(), tmp_path, EVIL)
    text = path.read_text()
    assert set(EXPLAINED) == set(Verdict)
    assert "<script" not in text.replace("&lt;script", "")
    assert not re.findall(r"(?:src|href)=\"(?:https?:|//|/)", text)
    for scheme in ("light", "dark"):
        page = visit(tmp_path, viewport={"width": 390, "height": 800}, color_scheme=scheme).open("report.html")
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert page.title() == f"{EVIL}: what was handed in"
        names = page.locator(".teams tbody th bdi:first-child, .names bdi").all_text_contents()
        assert sorted(name.rpartition(" ")[2] for name in names if "src=x onerror=alert(1)> " in name) == sorted(
            Verdict.__members__
        )
        # What the organiser must mend comes before what the teams must.
        assert page.locator("h2").first.text_content().startswith("Can't be tried here")
        assert page.get_by_text("built in 1.2 s").count() == len(BUILT)
        assert page.locator(".error").count() == len(Verdict) - 3
        assert page.get_by_role("link", name="Text for the team").first.get_attribute("href") == "feedback/0.txt"
        assert page.get_by_role("link", name="Played before").first.get_attribute("href") == "earlier/0/a%20b/"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(251, 250, 247)" if scheme == "light" else "rgb(22, 24, 27)"
        )


def test_the_page_of_works_that_are_alike_shows_both_places(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    mine = program(range(30)).replace("return x;", "return x; // </code><script>document.title='x'</script>")
    files = {EVIL: mine, "\u202eben": mine.replace("step_", "zug_").replace("\n", "\n\n"), "cem": program(range(50, 60))}
    teams = []
    for number, (label, text) in enumerate(files.items()):
        with ZipFile(tmp_path / f"{number}.zip", "w") as archive:
            archive.writestr(f"src/{number}.c", text)
        teams.append(TeamReport(label=label, team=f"t{number}", verdict=Verdict.PLAYS, sources=f"{number}.zip"))
    likeness = compare_class({each.team: each.sources for each in teams}, tmp_path, (), 1)
    made = IntakeReport(game="tanks", teams=tuple(teams), likeness=likeness)
    write_page(made, tmp_path, "class")
    assert "<script" not in (tmp_path / "alike.html").read_text()
    page = visit(tmp_path, **OPTIONS).open("report.html")
    assert page.get_by_role("link", name=re.compile("pair of works alike")).get_attribute("href") == "#alike"
    page.get_by_role("link", name=re.compile("alert.*ben")).click()
    assert page.url.endswith("alike.html#pair-1")
    assert page.title() == "class: sources that are alike"
    assert page.get_by_role("link", name="Everything that was handed in").get_attribute("href") == "report.html"
    first, second = page.locator(".both pre").all_text_contents()[:2]
    assert (first.split()[1], second.split()[1]) == ("step_0(int", "zug_0(int")
    assert "</code><script>" in first
    assert len(first.splitlines()) == len(second.splitlines()) == MOST_LINES
    assert page.get_by_text(re.compile(r"^and \d{3} more lines$")).count() == 2
    assert "cem" not in page.locator("main").text_content()
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert violations(page) == []


def test_the_page_of_works_that_are_alike_goes_with_them(tmp_path: Path) -> None:
    gone = Passage(file="a.c", first=1, last=9, other_file="b.c", other_first=1, other_last=9)
    alike = Likeness(compared=2, pairs=(Pair(team="a", other="b", share=1.0, other_share=0.5, passages=(gone,)),))
    write_page(IntakeReport(game="tanks", likeness=alike), tmp_path, "class")
    assert "is gone" in (tmp_path / "alike.html").read_text()
    write_page(IntakeReport(game="tanks", likeness=Likeness(compared=2)), tmp_path, "class")
    assert "No two works have 30 % or more" in (tmp_path / "report.html").read_text()
    assert not (tmp_path / "alike.html").exists()
