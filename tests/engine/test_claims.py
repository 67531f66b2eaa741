from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.results import Fault, GameResult, Termination, claim_problem, judge, plain

SOUND = GameResult(1, "x", 3, ("ab", "cd"), remaining_tanks=(1, 0), ranks=(1, 2), message="m")


def fault(seat: int, round_number: int = 1) -> Fault:
    return Fault(seat, Termination.CRASH, "boom", round_number)


@st.composite
def judged_matches(draw: st.DrawFn) -> tuple[int, tuple[int, ...], list[Fault]]:
    seats = draw(st.integers(2, 6))
    ranks = tuple(draw(st.lists(st.integers(1, seats), min_size=seats, max_size=seats)))
    failed = draw(st.sets(st.integers(1, seats)))
    return seats, ranks, [fault(seat, draw(st.integers(-1, 5))) for seat in sorted(failed)]


@given(judged_matches())
def test_faulted_seats_never_outrank_sound_ones(match: tuple[int, tuple[int, ...], list[Fault]]) -> None:
    seats, ranks, faults = match
    _, judged = judge(replace(SOUND, winner=0, ranks=ranks), faults, seats)
    failed = {each.seat for each in faults}
    for bad in failed:
        assert all(judged[bad - 1] > judged[good - 1] for good in range(1, seats + 1) if good not in failed)


@given(judged_matches(), st.data())
def test_seats_are_treated_alike(match: tuple[int, tuple[int, ...], list[Fault]], data: st.DataObject) -> None:
    seats, ranks, faults = match
    moved = data.draw(st.permutations(range(1, seats + 1)))
    winner, judged = judge(replace(SOUND, winner=0, ranks=ranks), faults, seats)
    other_ranks = [0] * seats
    for seat in range(1, seats + 1):
        other_ranks[moved[seat - 1] - 1] = ranks[seat - 1]
    other_faults = [replace(each, seat=moved[each.seat - 1]) for each in faults]
    other_winner, other = judge(replace(SOUND, winner=0, ranks=tuple(other_ranks)), other_faults, seats)
    assert tuple(other[moved[seat - 1] - 1] for seat in range(1, seats + 1)) == judged
    if faults:
        assert other_winner == (moved[winner - 1] if winner else 0)


@given(judged_matches())
def test_the_order_in_which_faults_are_told_does_not_matter(match: tuple[int, tuple[int, ...], list[Fault]]) -> None:
    seats, ranks, faults = match
    claim = replace(SOUND, winner=0, ranks=ranks)
    verdicts = {judge(claim, order, seats) for order in permutations(faults[:4])}
    assert len(verdicts) == 1


def test_without_faults_the_claim_stands() -> None:
    assert judge(SOUND, [], 2) == (1, (1, 2))
    assert judge(replace(SOUND, winner=0, ranks=()), [fault(0)], 2) == (0, (1, 1))


def test_a_crashed_winner_loses() -> None:
    assert judge(SOUND, [fault(1)], 2) == (2, (2, 1))


def test_who_fails_later_is_before_who_failed_earlier() -> None:
    assert judge(SOUND, [fault(1, 4), fault(2, 9)], 2) == (2, (2, 1))
    assert judge(SOUND, [fault(1, 4), fault(2, 4)], 2) == (0, (1, 1))


def test_only_the_first_fault_of_a_seat_counts() -> None:
    assert judge(SOUND, [fault(1, 9), fault(1, 2), fault(2, 5)], 2) == (1, (1, 2))


def test_a_sound_claim_has_no_problem() -> None:
    assert claim_problem(SOUND, 2) == ""


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("winner", 3, "winner"),
        ("winner", -1, "winner"),
        ("winner", True, "winner"),
        ("winner", "1", "winner"),
        ("winner", Unshowable(), "winner is a Unshowable"),
        ("winner", 2, "but ranks is"),
        ("rounds", 1.0, "rounds"),
        ("rounds", -1, "rounds"),
        ("final_state", ["ab"], "final_state"),
        ("final_state", (b"ab",), "final_state"),
        ("final_state", ("a\nb",), "final_state"),
        ("ranks", (1,), "ranks"),
        ("ranks", 5, "ranks"),
        ("ranks", None, "ranks"),
        ("reason", None, "reason"),
        ("message", b"", "message"),
        ("log", 3, "log"),
        ("remaining_tanks", None, "remaining_tanks"),
        ("remaining_tanks", 4, "remaining_tanks"),
        ("remaining_tanks", (-1, 0), "remaining_tanks"),
        ("scores", ("1", 2), "scores"),
        ("faults", None, "faults"),
        ("faults", ("boom",), "faults"),
        ("faults", (Fault(1, "crash", "boom"),), "faults"),  # type: ignore[arg-type]
        ("faults", (Fault(1, Termination.CRASH, "boom", float("nan")),), "faults"),  # type: ignore[arg-type]
        ("notes", None, "notes"),
        ("notes", (3,), "notes"),
        ("as_made", "a result", "as_made"),
        ("as_made", replace(SOUND, winner="1", final_state=()), "as_made"),  # type: ignore[arg-type]
        ("as_made", replace(SOUND, rounds=None, final_state=()), "as_made"),  # type: ignore[arg-type]
        ("as_made", replace(SOUND, remaining_tanks=[1], final_state=()), "as_made"),  # type: ignore[arg-type]
        ("as_made", replace(SOUND, reason=9, final_state=()), "as_made"),  # type: ignore[arg-type]
        ("as_made", SOUND, "as_made"),
        ("as_made", replace(SOUND, final_state=(), as_made=SOUND), "as_made"),
    ],
)
def test_a_wrong_claim_is_named(field: str, value: Any, named: str) -> None:
    assert named in claim_problem(replace(SOUND, **{field: value}), 2)


def test_what_is_no_result_at_all_is_named() -> None:
    assert claim_problem(None, 2) == "run() returned NoneType, not a GameResult"


def test_plain_forgets_derived_types_and_nothing_else() -> None:
    class Text(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return False

        __hash__ = str.__hash__

    odd = replace(SOUND, reason=Text("x"), final_state=(Text("ab"), "cd"), faults=(Fault(2, Termination.CRASH, Text("b"), 1),))
    made = plain(odd)
    assert made == replace(SOUND, faults=(Fault(2, Termination.CRASH, "b", 1),))
    assert {type(made.reason), type(made.final_state[0]), type(made.faults[0].message)} == {str}


def test_a_corrected_claim_is_sound_whatever_numbers_it_was_made_with() -> None:
    made = GameResult(-858993460, "9", 2**64 - 1, (), remaining_tanks=(-1,), message="x")
    corrected = replace(SOUND, notes=("read as 1",), as_made=made)
    assert claim_problem(corrected, 2) == ""
    assert plain(corrected) == corrected
    assert (corrected.made, SOUND.made) == (made, SOUND)


def test_who_is_alone_does_not_win_by_failing() -> None:
    alone = replace(SOUND, winner=1, ranks=(), remaining_tanks=())
    assert judge(alone, [], 1) == (1, (1,))
    assert judge(alone, [fault(1)], 1) == (0, (1,))
    assert judge(replace(alone, winner=0), [fault(1)], 1) == (0, (1,))
