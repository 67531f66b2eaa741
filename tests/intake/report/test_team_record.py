"""What an intake says in the folder of teams to those who play it."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from tests.intake.making import plant, tank_plugin

from tiltyard_intake.report.team_record import write_team_folder
from tiltyard_intake.report.team_report import IntakeReport, TeamReport, Verdict
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.teams.team_folder import label_of

REPORT = IntakeReport(
    game="tanks",
    teams=(
        TeamReport(label="Ann Ämes", verdict=Verdict.PLAYS, products=("Ann_Ämes.py",)),
        TeamReport(label="Ben", verdict=Verdict.FAULTY, products=("Ben.py",), error="cannot be imported"),
        TeamReport(label="Cem", verdict=Verdict.UNBUILT, error="a.c:1: what\nand more"),
        TeamReport(label="Dee", verdict=Verdict.UNKNOWN, products=("Dee",), error="words", earlier_plays=True),
        TeamReport(label="Eve", verdict=Verdict.ABSENT),
        TeamReport(label="Two", verdict=Verdict.FAULTY, products=("Two.py",), error="contains several algorithms"),
    ),
)


def test_teams_are_shown_by_their_people_and_who_has_none_is_not_admitted(tmp_path: Path) -> None:
    second = '    yield TankTeam("second", player=Coach, tank=Tank)\n'
    files = {"Ann_Ämes.py": tank_plugin("spinner"), "Ben.py": "import gone", "Two.py": tank_plugin("first") + second}
    plant(tmp_path, {**files, "mine.py": tank_plugin("mine"), "Dee/__init__.py": tank_plugin("spinner")})
    write_team_folder(REPORT, tmp_path)
    found = Finder(open_registry(IsolationPolicy())).teams(str(tmp_path), "tanks")
    assert [(team.name, found.labels.get(team)) for team in found.references] == [
        ("spinner", "Ann Ämes"),
        ("spinner", "Dee"),
        ("first", "Two: first"),
        ("second", "Two: second"),
        ("mine", None),
    ]
    assert [label_of(team) for team in found.references] == ["Ann Ämes", "Dee", "Two", "Two", ""]
    # A disk of macOS gives names back in another form.
    (tmp_path / "Ann_Ämes.py").rename(tmp_path / unicodedata.normalize("NFD", "Ann_Ämes.py"))
    again = Finder(open_registry(IsolationPolicy())).teams(str(tmp_path), "tanks")
    assert "Ann Ämes" in again.labels.values()
    assert "Ann Ämes" in [label_of(team) for team in again.references]
    (broken, reason), *others = found.refused
    assert (broken, "No module named 'gone'" in reason) == ("Ben", True)
    assert others == [("Cem", "doesn't build: a.c:1: what")]
    assert found.left_out[-1] == f"{tmp_path}: Cem: doesn't build: a.c:1: what"
