"""What came of a match: its outcome follows from the claim and the faults, and stays small."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.match_record import (
    DISQUALIFICATION,
    NO_CLAIM,
    WITHDRAWAL,
    Evidence,
    MatchRecord,
    Outcome,
    SeatAccount,
    bye,
    outcome_of,
    outcome_values,
    played_match,
)
from tiltyard_engine.replay import Replay
from tiltyard_engine.results import Fault, GameResult, PairingEnding, Termination

CLAIM = GameResult(1, "ALL_DEAD", 9, ("##",), remaining_tanks=(1, 0), scores=(7.0, 4.0), message="Player 1 won")
CRASH = Fault(2, Termination.CRASH, "it broke", 3)
FAILED_MANAGER = Fault(0, Termination.PROTOCOL, "winner is 9")
VOID = Fault(0, Termination.VOID, "its match worker died")


def made(claim: GameResult = CLAIM, winner: int = 1, faults: tuple[Fault, ...] = (), **others: Any) -> Outcome:
    """An outcome of a match of two."""
    return outcome_of(claim, winner, (1, 2), faults, teams=("ant", "bee"), map="m", manager="judge", **others)


WON = made()


def forfeits(*seats: int) -> tuple[Fault, ...]:
    return tuple(Fault(seat, Termination.FORFEIT, "quarantined", 0) for seat in seats)


def test_the_result_follows_from_the_claim() -> None:
    assert (WON.reason, WON.rounds, WON.scores, WON.remaining) == ("ALL_DEAD", 9, (7.0, 4.0), (1, 0))
    assert outcome_of(NO_CLAIM, 0, ()) == Outcome()


@pytest.mark.parametrize(("winner", "name"), [(1, "ant"), (2, "bee"), (0, None)])
def test_the_winner_has_a_name(winner: int, name: str | None) -> None:
    assert replace(WON, winner=winner).winner_name == name


@pytest.mark.parametrize(
    ("faults", "winner", "message"),
    [
        ((), 1, "Player 1 won"),
        ((CRASH,), 1, "Player 1 won (player 2: crash: it broke)"),
        ((replace(CRASH, seat=1),), 2, "Player 2 won because of a fault (player 1: crash: it broke)"),
        (
            (CRASH, replace(CRASH, seat=1, termination=Termination.TIMEOUT, message="too late")),
            0,
            "Tie because of faults (player 2: crash: it broke; player 1: timeout: too late)",
        ),
        ((FAILED_MANAGER, CRASH), 0, "no result: the GameManager failed: protocol: winner is 9"),
        (forfeits(2), 2, "Player 1 won"),
    ],
)
def test_how_it_ended_is_one_line(faults: tuple[Fault, ...], winner: int, message: str) -> None:
    assert made(winner=winner, faults=faults).message == message


@given(st.text(), st.lists(st.text(), max_size=2), st.integers(0, 2))
def test_the_message_stays_one_line_whatever_plugins_say(said: str, reasons: list[str], winner: int) -> None:
    faults = tuple(Fault(seat, Termination.CRASH, reason) for seat, reason in enumerate(reasons))
    outcome = made(replace(CLAIM, message=said), winner, faults)
    assert len(outcome.message.splitlines()) <= 1
    assert outcome.message == " ".join(outcome.message.split())


@pytest.mark.parametrize(
    ("faults", "counts"),
    [
        ((), True),
        ((CRASH,), True),
        ((CRASH, replace(CRASH, seat=1)), True),
        (forfeits(1), True),
        (forfeits(1, 2), False),
        ((FAILED_MANAGER,), False),
        ((VOID,), False),
    ],
)
def test_a_match_that_all_forfeited_or_whose_manager_failed_does_not_count(faults: tuple[Fault, ...], counts: bool) -> None:
    outcome = made(faults=faults)
    assert outcome.counts is counts
    assert outcome.is_void is (faults == (VOID,))
    assert outcome.manager_fault == (faults[0] if faults in ((FAILED_MANAGER,), (VOID,)) else None)


@pytest.mark.parametrize("faults", [(), (CRASH,), (FAILED_MANAGER,), (replace(CRASH, seat=1), CRASH)])
def test_what_counts_as_a_forfeit_counts_whatever_came_of_it(faults: tuple[Fault, ...]) -> None:
    outcome = made(faults=faults, no_contest=len(faults) == 1, forfeited=(2,))
    assert outcome.counts
    assert outcome.forfeits == {2}
    assert not outcome.is_forfeit, "it was played"
    both = replace(outcome, faults=(*faults, *forfeits(1)))
    assert not both.counts
    assert both.forfeits == {1, 2}
    assert not replace(outcome, forfeited=(1, 2)).counts


def test_two_that_went_the_same_way_have_one_digest() -> None:
    assert len(WON.digest) == 16
    # Who played, where it stands in a schedule and what the host made of it are no part of how it went.
    other = made(faults=(CRASH,), place=7, seed=3, key="k", seconds=1.0, played=False)
    assert other.digest == WON.digest
    changed = [
        replace(CLAIM, reason="MAX_STEPS"),
        replace(CLAIM, rounds=8),
        replace(CLAIM, final_state=("#.",)),
        replace(CLAIM, remaining_tanks=(2, 0)),
        replace(CLAIM, scores=(7.0, 5.0)),
        replace(CLAIM, message="Player 1 won by far"),
    ]
    digests = {made(claim).digest for claim in changed}
    assert len(digests | {WON.digest}) == len(changed) + 1


def test_what_did_not_count_or_is_not_known_has_no_digest() -> None:
    assert made(faults=(FAILED_MANAGER,)).digest == ""
    assert made(faults=forfeits(1, 2)).digest == ""
    assert made(GameResult(1, "", 0, (), message="told by somebody")).digest == ""


def test_who_is_blamed() -> None:
    assert [WON.blamed(seat) for seat in (0, 1, 2)] == ["GameManager judge", "ant", "bee"]


def test_a_bye_has_one_team_that_wins() -> None:
    match = bye("ant", 3, "round 1")
    assert (match.teams, match.winner_name, match.ranks) == (("ant",), "ant", (1,))
    assert (match.place, match.stage, match.message) == (3, "round 1", "ant has a bye")
    assert match.counts
    assert match.digest == ""


PRINTED = SeatAccount(held="process", output=b"secret", cpu_seconds=0.5)
MANAGERS = SeatAccount(held="sandbox, level A", output=b"its words")
EVIDENCE = Evidence(claim=CLAIM, replay=b"packed", accounts=(PRINTED, SeatAccount(held="inline")), manager_account=MANAGERS)
RECORD = MatchRecord(outcome=replace(WON, held=("process", "inline"), manager_held="sandbox, level A"), evidence=EVIDENCE)


def test_accounts_are_found_by_seat() -> None:
    assert EVIDENCE.account_of(0) == MANAGERS
    assert EVIDENCE.account_of(1) == PRINTED
    assert EVIDENCE.account_of(3) is None
    assert Evidence().account_of(0) is None


def test_an_outcome_shows_what_observers_of_earlier_versions_read() -> None:
    outcome = RECORD.outcome
    assert outcome.claim == replace(CLAIM, final_state=(), ranks=(1, 2))
    assert outcome.accounts == (SeatAccount(held="process"), SeatAccount(held="inline"))
    assert outcome.manager_account == outcome.account_of(0) == SeatAccount(held="sandbox, level A")
    assert WON.manager_account is None
    assert outcome.account_of(2) == SeatAccount(held="inline")


def test_other_words_for_faults_change_the_message_and_not_who_won() -> None:
    record = MatchRecord(outcome=made(winner=2, faults=(replace(CRASH, seat=1),)), evidence=EVIDENCE)
    told = record.with_faults((replace(CRASH, seat=1, message="in bot.py"),))
    assert told.outcome == replace(
        record.outcome, faults=told.outcome.faults, message="Player 2 won because of a fault (player 1: crash: in bot.py)"
    )
    assert told.evidence is EVIDENCE


def test_who_has_a_match_played_sees_both_parts_side_by_side() -> None:
    replay = Replay(game="ants", width=1, height=1, squares=("#",))
    match = played_match(RECORD, replay)
    assert outcome_values(match) == outcome_values(RECORD.outcome)
    assert (match.claim, match.replay, match.accounts, match.account_of(0)) == (CLAIM, replay, EVIDENCE.accounts, MANAGERS)


def test_an_outcome_has_only_small_values() -> None:
    large = {"replay", "requests", "views", "kept_view", "conversation", "output", "log", "final_state"}
    assert not large & {field.name for field in fields(Outcome)}
    assert not hasattr(WON, "__dict__")


@pytest.mark.parametrize(
    ("outcome", "ending"),
    [
        (Outcome(teams=("a", "b"), map="m", winner=1, ranks=(1, 2)), PairingEnding.PLAYED),
        (Outcome(teams=("a", "b"), ranks=(2, 1), faults=(Fault(1, Termination.CRASH, "boom"),)), PairingEnding.PLAYED),
        (
            Outcome(teams=("a", "b"), ranks=(2, 1), faults=(Fault(1, Termination.FORFEIT, ""),), reason="FORFEIT"),
            PairingEnding.FORFEIT,
        ),
        (Outcome(teams=("a", "b"), ranks=(2, 1), forfeited=(1,), reason="ALL_TANKS_DEAD"), PairingEnding.FORFEIT),
        (Outcome(teams=("a", "b"), faults=(Fault(1, Termination.FORFEIT, ""),), reason=DISQUALIFICATION), PairingEnding.WALKOVER),
        (Outcome(teams=("a", "b"), faults=(Fault(1, Termination.FORFEIT, ""),), reason=WITHDRAWAL), PairingEnding.WALKOVER),
        (Outcome(teams=("a", "b"), faults=(Fault(0, Termination.VOID, ""),)), PairingEnding.VOID),
        (Outcome(teams=("a", "b"), faults=(Fault(0, Termination.CRASH, ""),)), PairingEnding.NO_RESULT),
        (Outcome(teams=("a", "b"), no_contest=True), PairingEnding.NO_RESULT),
        *(
            (bye("a", ending=each), each)
            for each in (PairingEnding.BYE, PairingEnding.HALF_POINT_BYE, PairingEnding.LATE, PairingEnding.ABSENT)
        ),
        (Outcome(teams=("a",), winner=1, ranks=(1,)), PairingEnding.BYE),
    ],
)
def test_each_outcome_has_one_word_for_how_it_ended(outcome: Outcome, ending: PairingEnding) -> None:
    assert outcome.ending is ending
