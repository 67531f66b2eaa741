from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.comparative import Group
from tiltyard_simulator.explaining import Difference
from tiltyard_simulator.reports import comparative_table, fault_report, isolation_line, show_difference
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec, SeatAccount
from tiltyard_simulator.viewer.options import DrawOptions


def named(name: str) -> Reference:
    return Reference("algorithm", name, "g", Source(name, Origin.FILE, f"/{name}.py"))


def game(map_name: str, first: str, second: str, *faults: Fault) -> tuple[MatchSpec, MatchOutcome]:
    spec = MatchSpec(named("g"), named("judge"), MapSource(map_name, b""), (named(first), named(second)))
    return spec, MatchOutcome(GameResult(0, "x", 1, ()), 0, (1, 1), faults)


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


def test_how_managers_were_held_is_told_where_they_were_not_inline() -> None:
    spec, played = game("m", "a", "b")
    seats = replace(played, accounts=(SeatAccount("inline"), SeatAccount("process")))
    assert isolation_line([(spec, seats)]) == "teams' code was held: a (inline); b (process)"
    both = replace(seats, manager_account=SeatAccount("sandbox, level A"))
    assert isolation_line([(spec, both)]).splitlines()[1:] == ["GameManagers were held: judge (sandbox, level A)"]


def test_groups_are_a_table() -> None:
    group = Group((named("a"), named("b")), game("m", "x", "y")[1], "Tie", 4, ())
    assert comparative_table([group], "csv") == 'group,size,result,round,GameManagers\n1,2,Tie,4,"a, b"'


def difference(left: tuple[str, ...], right: tuple[str, ...], number: int = 3, note: str = "") -> Difference:
    tokens = (list("".join(left)), list("".join(right)))
    return Difference("one", "other", number, (left, right), tokens, ("board",), (("tank 1", "Shoot", "killed"),), note)


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
