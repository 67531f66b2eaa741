"""The report of an intake as a page: whole in itself, for every window, and nobody's name can do anything in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.tournaments.site.conftest import Visit

from tiltyard_simulator.intake.team_report import BUILT, IntakeReport, TeamReport, Verdict, write_report
from tiltyard_tournaments.site.intake_page import EXPLAINED, write_page

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
        assert page.locator(".error").count() == len(Verdict) - 3
        assert page.get_by_role("link", name="Text for the team").first.get_attribute("href") == "feedback/0.txt"
        assert page.get_by_role("link", name="Played before").first.get_attribute("href") == "earlier/0/a%20b/"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(251, 250, 247)" if scheme == "light" else "rgb(22, 24, 27)"
        )
