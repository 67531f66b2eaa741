"""What teams are called, whatever they call themselves."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.teams.team_labels import with_unique_labels


def team(path: str, name: str, shown: str = "") -> Reference:
    """A team of a file, or an installed one where there is no slash in ``path``."""
    origin = Origin.FILE if "/" in path else Origin.INSTALLED
    source = Source(name=path.rpartition("/")[2].removesuffix(".py"), origin=origin, value=path)
    return Reference(kind=ALGORITHM, name=name, game="tanks", source=source, shown=shown)


def labels(*teams: Reference) -> list[str]:
    return [each.label for each in with_unique_labels(teams)[0]]


def test_a_name_that_nobody_else_has_is_shown_as_it_is() -> None:
    teams = [team("/x/alice.py", "Thunder"), team("/x/bob.py", "bob"), team("acorn", "acorn")]
    assert with_unique_labels(teams) == (teams, [])


def test_whoever_takes_anothers_file_name_is_shown_by_its_own() -> None:
    forger, honest = team("/x/aaa.py", "student01"), team("/x/student01.py", "student01")
    found, notes = with_unique_labels([forger, honest])
    assert [each.label for each in found] == ["aaa: student01", "student01"]
    assert notes == ["/x/aaa.py: the name 'student01' is also another team's, so this one is shown as 'aaa: student01'"]
    # Also where the honest one declares something else.
    assert labels(forger, team("/x/student01.py", "Lightning")) == ["aaa: student01", "Lightning"]


def test_one_name_in_two_forms_is_the_same_and_names_that_look_alike_are_told() -> None:
    apart, together = (unicodedata.normalize(form, "Zo\u00eb") for form in ("NFD", "NFC"))
    assert labels(team("/x/a.py", apart), team("/x/b.py", together)) == [f"a: {together}", f"b: {together}"]
    assert labels(team("/x/a.py", "bot", together), team("/x/b.py", apart)) == [together, f"b: {together}"]
    _, notes = with_unique_labels([team("/x/a.py", "Ann"), team("/x/b.py", "\u0410nn"), team("/x/c.py", "ANN")])
    assert notes == [
        "'Ann' and '\u0410nn' look alike and differ in CYRILLIC CAPITAL LETTER A",
        "'Ann' and 'ANN' look alike and differ in capital letters alone",
    ]


def test_two_that_declare_the_same() -> None:
    assert labels(team("/x/a.py", "bot"), team("/x/b.py", "bot")) == ["a: bot", "b: bot"]
    assert labels(team("/x/foo/bot.py", "bot"), team("/x/old/bot.py", "bot")) == ["foo/bot.py: bot", "old/bot.py: bot"]
    assert labels(team("/x/bot.py", "bot"), team("/x/bot", "bot")) == ["bot.py: bot", "bot"]


def test_an_installed_name_is_its_own_wherever_it_stands() -> None:
    assert labels(team("/x/a.py", "acorn"), team("acorn", "acorn")) == ["a: acorn", "acorn"]
    assert labels(team("/x/acorn.py", "acorn"), team("acorn", "acorn")) == ["acorn: acorn", "acorn"]


def test_what_the_organiser_gave_stays() -> None:
    assert labels(team("/x/a.py", "bot", "v1"), team("/x/b.py", "bot", "v2")) == ["v1", "v2"]
    assert labels(team("/x/a.py", "bot", "crab"), team("/x/b.py", "crab")) == ["crab", "b: crab"]
    assert labels(team("acorn", "acorn"), team("/x/a.py", "bot", "acorn")) == ["acorn", "acorn"]
    assert labels(team("/x/a.py", "bot", "same"), team("/x/b.py", "crab", "same")) == ["same", "same"]


def test_whose_team_it_is_counts_more_than_what_it_declares() -> None:
    ann, bob, new = team("/x/Ann.py", "spinner"), team("/x/Bob.py", "acorn"), team("/y/Ann.py", "spinner")
    found, notes = with_unique_labels([ann, team("acorn", "acorn"), bob], {ann: "Ann Ames", bob: "acorn"})
    assert [each.label for each in found] == ["Ann Ames", "acorn", "acorn (x)"]
    assert notes == ["/x/Bob.py: 'acorn' is also another team's name, so this one is shown as 'acorn (x)'"]
    found, _ = with_unique_labels(
        [ann, new, team("/z/x/Ann.py", "spinner")], dict.fromkeys([ann, new, team("/z/x/Ann.py", "spinner")], "Ann")
    )
    assert [each.label for each in found] == ["Ann (x)", "Ann (y)", "Ann (x, 2)"]
    # What the organiser says counts most.
    assert with_unique_labels([replace(ann, shown="a star")], {ann: "Ann Ames"})[0][0].label == "a star"


NAMES = st.sampled_from(["a", "b", "c", "a: b", "a (2): b", "müller"])


@given(st.lists(st.tuples(st.sampled_from(["/x/", "/y/", "/x/z/", ""]), NAMES, NAMES), unique=True, max_size=8))
def test_labels_differ_and_are_the_same_in_any_order(made: list[tuple[str, str, str]]) -> None:
    teams = list(dict.fromkeys(team(folder + file, name if folder else file) for folder, file, name in made))
    found = with_unique_labels(teams)[0]
    assert len({each.label for each in found}) == len(teams)
    assert found == teams
    assert with_unique_labels([replace(each) for each in found])[0] == found
