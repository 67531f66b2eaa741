from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from tests.made_records import made_record

from tiltyard_checks.command.drawn_difference import show_difference
from tiltyard_checks.runs.difference import Difference
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_matchups.comparison import Group
from tiltyard_matchups.reports import comparative_table
from tiltyard_simulator.output.reports import fault_report, incident_line, isolation_line
from tiltyard_viewer.drawing.options import DrawOptions


def named(name: str) -> Reference:
    return Reference(kind="algorithm", name=name, game="g", source=Source(name=name, origin=Origin.FILE, value=f"/{name}.py"))


def game(map_name: str, first: str, second: str, *faults: Fault) -> Outcome:
    claim = GameResult(0, "x", 1, ())
    return made_record(teams=(first, second), map=map_name, manager="judge", claim=claim, ranks=(1, 1), faults=faults).outcome


CRASH = Fault(1, Termination.CRASH, "boom", 7, "Traceback:\n  line\n")


def test_no_fault_no_report() -> None:
    assert fault_report([game("m", "a", "b")]) == ""


def test_each_fault_is_told_once_with_its_first_match_and_traceback() -> None:
    games = [
        game("m2", "a", "b", CRASH),
        game("m1", "a", "c", CRASH),
        game("m1", "b", "c", Fault(0, Termination.PROTOCOL, "no result")),
    ]
    expected = (
        "fault of GameManager judge: protocol: no result\n  1 game, b - c on m1\n"
        "fault of a: crash: boom\n  2 games, the first a - c on m1, round 7\n  | Traceback:\n  |   line"
    )
    assert {fault_report(order) for order in permutations(games)} == {expected}


def late(seconds: str, limit: str = "1") -> Fault:
    return Fault(1, Termination.TIMEOUT, f"move used {seconds} s of CPU time, the limit is {limit} s", 3)


def test_faults_that_differ_in_measured_figures_alone_are_one_with_their_range() -> None:
    games = [
        game("m3", "a", "b", late("1.00")),
        game("m2", "a", "b", late("10.25")),
        game("m1", "a", "b", late("1.31")),
        game("m4", "a", "b", late("2.50", limit="2")),
    ]
    expected = (
        "fault of a: timeout: move used 1.00 to 10.25 s of CPU time, the limit is 1 s\n  3 games, the first a - b on m1, round 3\n"
        "fault of a: timeout: move used 2.50 s of CPU time, the limit is 2 s\n  1 game, a - b on m4, round 3"
    )
    assert {fault_report(order) for order in permutations(games)} == {expected}


def test_faults_with_other_figures_or_words_stay_apart() -> None:
    for one, other in (
        ("used 3.2 MB in 1.5 s", "used 3.2 GB in 1.5 s"),
        ("version 1.5", "version 1.6"),
        ("square 3 s", "square 4 s"),
        ("# s", "1.5 s"),
    ):
        games = [game("m", "a", "b", Fault(1, Termination.CRASH, text)) for text in (one, other)]
        assert fault_report(games).count("fault of a: crash: ") == 2
    games = [game("m", "a", "b", Fault(1, Termination.CRASH, text)) for text in ("used 3.2 MB in 1.5 s", "used 3.1 MB in 1.5 s")]
    assert "crash: used 3.1 to 3.2 MB in 1.5 s\n  2 games" in fault_report(games)


def test_disturbances_by_the_machine_are_grouped_too() -> None:
    games = [replace(game("m", "a", "b"), incidents=(f"the runner was suspended for {seconds} s",)) for seconds in ("0.4", "2.1")]
    line = incident_line(games)
    assert line.endswith("in 2 matches: the runner was suspended for 0.4 to 2.1 s")


def test_how_managers_were_held_is_told_where_they_were_not_inline() -> None:
    played = game("m", "a", "b")
    seats = replace(played, held=("inline", "process"))
    assert isolation_line([seats]) == "Isolation: a in-process; b own process"
    both = replace(seats, manager_held="sandbox, level A")
    assert isolation_line([both]).splitlines()[1:] == ["GameManager isolation: judge sandboxed (level A)"]


def test_groups_are_a_table() -> None:
    group = Group((named("a"), named("b")), MatchRecord(outcome=game("m", "x", "y")), "Tie", 4, ())
    assert comparative_table([group], "csv") == 'group,size,result,round,GameManagers\n1,2,Tie,4,"a, b"'


def difference(left: tuple[str, ...], right: tuple[str, ...], number: int = 3, note: str = "") -> Difference:
    tokens = (list("".join(left)), list("".join(right)))
    return Difference(
        left="one",
        right="other",
        round=number,
        boards=(left, right),
        tokens=tokens,
        kinds=("board",),
        actions=(("tank 1", "Shoot", "killed"),),
        note=note,
    )


def test_a_difference_shows_round_boards_and_actions() -> None:
    text = "\n".join(show_difference(difference(("ab", "cd"), ("ab", "cx")), None, DrawOptions()))
    assert text.startswith("one and other first differ in round 3: board")
    assert "tank 1" in text
    assert "killed" in text


def test_a_note_is_shown() -> None:
    lines = show_difference(difference(("ab",), ("ax",), note="take care"), None, DrawOptions())
    assert "note: take care" in lines
    assert show_difference(difference(("ab",), ("ab",), -1, "nothing"), None, DrawOptions())[0] == "one and other: nothing"


def test_boards_of_different_sizes_are_shown_as_they_are() -> None:
    lines = show_difference(difference(("abc",), ("x", "y")), None, DrawOptions())
    assert lines[1:6] == ["one:", "abc", "other:", "x", "y"]
    assert show_difference(difference((), ("x",)), None, DrawOptions())[1:4] == ["one:", "other:", "x"]
