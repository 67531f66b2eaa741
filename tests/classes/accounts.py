"""Whether an intake has accounted for everybody, and as their work says of itself.

python -m tests.classes.accounts        for the class of the page 'From Moodle to standings in an hour', taken in here
"""

from __future__ import annotations

import csv
import html
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.classes.handed_in import PAGE, Student

from tiltyard_intake.report.feedback import FEEDBACK, feedback
from tiltyard_intake.report.team_report import NO_TEAM, TABLE, TeamReport, Verdict, read_report


def read_back(reports: Path) -> Mapping[str, TeamReport]:
    """The report of an intake by the students' numbers, or by their names where it knows no number."""
    report = read_report(reports)
    assert report is not None
    return {each.student_id or each.label: each for each in report.teams}


def told_of_everybody(students: Sequence[Student], accounts: Mapping[str, TeamReport]) -> Iterator[str]:
    """What is wrong: who is missing, or has another verdict or other words than expected."""
    for student in students:
        said = accounts.get(str(student.number))
        who = f"{student.name} ({student.kind.name})"
        if said is None:
            yield f"{who} is not in the report"
        elif said.verdict is not student.kind.verdict:
            yield f"{who}: {said.verdict}: {said.error}; expected: {student.kind.verdict}"
        elif student.kind.recipe not in ("", said.recipe):
            yield f"{who} was read by {said.recipe}, expected {student.kind.recipe}"
        elif student.kind.words not in f"{said.found}; {said.error}\n{feedback(said)}":
            yield f"{who}: the text does not say {student.kind.words!r}: {feedback(said)}"
        elif said.verdict is Verdict.PLAYS and not said.products:
            yield f"{who} plays, but there is nothing in the folder of teams"


def told_of_likeness(students: Sequence[Student], accounts: Mapping[str, TeamReport], reports: Path) -> Iterator[str]:
    """What is wrong: whose work is a copy of another's, and isn't named beside it."""
    report = read_report(reports)
    pairs = report.likeness.pairs if report and report.likeness else ()
    alike = {frozenset((pair.team, pair.other)) for pair in pairs}
    teams = {student.kind.name: accounts[str(student.number)].team for student in students}
    for kind in {student.kind.name: student.kind for student in students}.values():
        if kind.alike in teams and frozenset((teams[kind.name], teams[kind.alike])) not in alike:
            yield f"{kind.name!r} isn't named as the same as {kind.alike!r}"


def told_of_files(reports: Path, into: Path, accounts: Mapping[str, TeamReport]) -> Iterator[str]:
    """What is wrong with the files: a row or a text that is missing, a team that is there and should not be."""
    with (reports / TABLE).open(newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    if len(rows) != len(accounts):
        yield f"{len(rows)} rows in the table for {len(accounts)} teams"
    for said in accounts.values():
        if said.team and not (reports / FEEDBACK / f"{said.team}.txt").exists():
            yield f"{said.label} has no text"
        for product in said.products:
            if not (into / product).exists():
                yield f"{product} is not there"
    products = {product for said in accounts.values() for product in said.products}
    for path in sorted(into.rglob("*")):
        name = path.relative_to(into)
        if (
            path.is_file()
            and not name.parts[0].startswith(".")
            and not any(str(part) in products for part in (name, *name.parents))
        ):
            yield f"{name} belongs to nobody"


def told_of_the_cup(accounts: Mapping[str, TeamReport], tables: Mapping[str, Sequence[Mapping[str, object]]]) -> Iterator[str]:
    """What is wrong in the cup: everybody either stands in it, or among the not admitted with the reason.

    Args:
        accounts: what the intake said.
        tables: what 'tiltyard run --format json' printed.
    """
    places = {str(row["algorithm"]) for row in tables["Standings"]}
    reasons = {str(row["algorithm"]): str(row["reason"]) for row in tables.get("Not admitted", ())}
    for said in accounts.values():
        reason = reasons.get(said.label, "")
        is_in = any(name == said.label or name.startswith(f"{said.label}: ") for name in places)
        if said.verdict in NO_TEAM and (is_in or not reason.startswith(f"{said.verdict}: ") or reason == f"{said.verdict}: "):
            yield f"{said.label}, {said.verdict}: not admitted {reason!r} in the cup"
        elif said.verdict is Verdict.WHOLE and is_in:
            yield f"{said.label} is a whole program, and stands in the cup"
        elif said.verdict is Verdict.PLAYS and not is_in:
            yield f"{said.label} plays, but doesn't stand in the cup"
        elif said.verdict is Verdict.FAULTY and is_in == bool(reason):
            yield f"{said.label} fails in a match, and stands {'twice' if is_in else 'nowhere'} in the cup"
    for name in places - {said.label for said in accounts.values()}:
        if name.partition(": ")[0] not in {said.label for said in accounts.values()}:
            yield f"{name} stands in the cup and handed nothing in"

    for row in tables["Standings"]:
        if not row["games"]:
            yield f"{row['algorithm']} stands in the cup without a game"


def told_of_matches(exported: str) -> Iterator[str]:
    """What is wrong: matches that don't count, or that ended by somebody's fault who is no team.

    Args:
        exported: what 'tiltyard export --all' printed.
    """
    matches = [line for line in map(json.loads, exported.splitlines()) if line["kind"] == "match"]
    for match in matches:
        faults = [fault for fault in match["faults"] if fault["seat"] == 0]
        if faults or not match["counts"]:
            yield f"a match of {match['teams']} on {match['map']} is void: {faults}"
    if not matches:
        yield "no match was played"


def told_of_the_site(site: Path, teams: Sequence[str]) -> Iterator[str]:
    """What is wrong with the pages: one that is missing or that leads nowhere, a team that the first one doesn't name."""
    pages = sorted(site.glob("*.html"))
    if site / "index.html" not in pages:
        yield "the site has no first page"
        return
    first = html.unescape((site / "index.html").read_text(encoding="utf-8"))
    yield from (f"the site's first page doesn't name {team}" for team in teams if team not in first)
    for page in pages:
        for link in re.findall(r'(?:href|src)="([^"#?:]+)', page.read_text(encoding="utf-8")):
            if not (site / html.unescape(link)).exists():
                yield f"{page.name} leads to {link}, which isn't there"


if __name__ == "__main__":
    found = read_back(Path("teams.intake"))
    wrong = [*told_of_everybody(PAGE, found), *told_of_files(Path("teams.intake"), Path("teams"), found)]
    sys.exit("\n".join(wrong) or 0)
