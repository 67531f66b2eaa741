from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.match_record import NO_CLAIM, Exchange, MatchRecord, SeatAccount, bye
from tiltyard_engine.replay import Replay
from tiltyard_engine.results import Fault, GameResult, Termination

CLAIM = GameResult(1, "ALL_DEAD", 9, ("##",), remaining_tanks=(1, 0), scores=(7.0, 4.0), message="Player 1 won")
WON = MatchRecord(teams=("ant", "bee"), map="m", manager="judge", winner=1, ranks=(1, 2), claim=CLAIM)
CRASH = Fault(2, Termination.CRASH, "it broke", 3)
FAILED_MANAGER = Fault(0, Termination.PROTOCOL, "winner is 9")
VOID = Fault(0, Termination.VOID, "its match worker died")


def forfeits(*seats: int) -> tuple[Fault, ...]:
    return tuple(Fault(seat, Termination.FORFEIT, "quarantined", 0) for seat in seats)


def test_the_result_follows_from_the_claim() -> None:
    assert (WON.reason, WON.rounds, WON.scores) == ("ALL_DEAD", 9, (7.0, 4.0))
    assert (MatchRecord().reason, MatchRecord().rounds, MatchRecord().scores) == ("", 0, ())
    assert MatchRecord().claim == NO_CLAIM


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
    assert replace(WON, faults=faults, winner=winner).message == message


@given(st.text(), st.lists(st.text(), max_size=2), st.integers(0, 2))
def test_the_message_stays_one_line_whatever_plugins_say(said: str, reasons: list[str], winner: int) -> None:
    faults = tuple(Fault(seat, Termination.CRASH, reason) for seat, reason in enumerate(reasons))
    record = replace(WON, claim=replace(CLAIM, message=said), faults=faults, winner=winner)
    assert len(record.message.splitlines()) <= 1
    assert record.message == " ".join(record.message.split())


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
    record = replace(WON, faults=faults)
    assert record.counts is counts
    assert record.is_void is (faults == (VOID,))
    assert record.manager_fault == (faults[0] if faults in ((FAILED_MANAGER,), (VOID,)) else None)


@pytest.mark.parametrize("faults", [(), (CRASH,), (FAILED_MANAGER,), (replace(CRASH, seat=1), CRASH)])
def test_what_counts_as_a_forfeit_counts_whatever_came_of_it(faults: tuple[Fault, ...]) -> None:
    record = replace(WON, faults=faults, no_contest=len(faults) == 1, forfeited=(2,))
    assert record.counts
    assert record.scores == ()
    assert record.forfeits == {2}
    assert (record.rounds, record.message) == (9, "Counts as a forfeit: bee quarantined")
    assert not record.is_forfeit, "it was played"
    both = replace(record, faults=(*faults, *forfeits(1)))
    assert not both.counts
    assert both.forfeits == {1, 2}
    assert not replace(record, forfeited=(1, 2)).counts


def test_two_that_went_the_same_way_have_one_digest() -> None:
    assert len(WON.digest) == 16
    # Who played, where it stands in a schedule and what the host made of it are no part of how it went.
    other = replace(WON, teams=("cat", "dog"), map="n", place=7, seed=3, key="k", seconds=1.0, played=False, faults=(CRASH,))
    assert other.digest == WON.digest
    changed = [
        replace(CLAIM, reason="MAX_STEPS"),
        replace(CLAIM, rounds=8),
        replace(CLAIM, final_state=("#.",)),
        replace(CLAIM, remaining_tanks=(2, 0)),
        replace(CLAIM, scores=(7.0, 5.0)),
        replace(CLAIM, message="Player 1 won by far"),
    ]
    digests = {replace(WON, claim=claim).digest for claim in changed}
    assert len(digests | {WON.digest}) == len(changed) + 1


def test_what_did_not_count_or_is_not_known_has_no_digest() -> None:
    assert replace(WON, faults=(FAILED_MANAGER,)).digest == ""
    assert replace(WON, faults=forfeits(1, 2)).digest == ""
    assert replace(WON, claim=GameResult(1, "", 0, (), message="told by somebody")).digest == ""


def test_who_is_blamed() -> None:
    assert [WON.blamed(seat) for seat in (0, 1, 2)] == ["GameManager judge", "ant", "bee"]


def test_a_bye_has_one_team_that_wins() -> None:
    match = bye("ant", 3, "round 1")
    assert (match.teams, match.winner_name, match.ranks) == (("ant",), "ant", (1,))
    assert (match.place, match.stage, match.message) == (3, "round 1", "ant has a bye")
    assert match.counts
    assert match.digest == ""


def accounted() -> MatchRecord:
    """A record with everything that is large or for the teams alone."""
    first = SeatAccount(held="process", output=b"secret", cpu_seconds=0.5, conversation=(Exchange(b"question", b"answer"),))
    manager = SeatAccount(held="sandbox, level A", output=b"its words")
    return replace(
        WON,
        replay=Replay(game="ants", width=1, height=1, squares=("#",)),
        requests=((1, 0, ("Shoot",)),),
        views=(((1, 1, 0), "00"),),
        accounts=(first, SeatAccount(held="inline")),
        manager_account=manager,
        incidents=("a worker died",),
        key="k1",
        seconds=2.0,
        played=False,
    )


def test_accounts_are_found_by_seat() -> None:
    record = accounted()
    assert record.held == ("process", "inline")
    assert record.account_of(0) == record.manager_account
    assert record.account_of(1) == record.accounts[0]
    assert record.account_of(3) is None
    assert WON.account_of(0) is None


def test_a_bare_record_keeps_all_but_what_is_large_or_for_the_teams_alone() -> None:
    record = accounted()
    bare = record.bare()
    assert bare.accounts == (SeatAccount(held="process"), SeatAccount(held="inline"))
    dropped = {"replay": None, "requests": (), "views": (), "accounts": bare.accounts, "manager_account": None}
    for field in fields(MatchRecord):
        assert getattr(bare, field.name) == dropped.get(field.name, getattr(record, field.name))
    assert (bare.message, bare.digest, bare.held) == (record.message, record.digest, record.held)
    assert bare.bare() == bare


def test_conversations_can_be_left_out() -> None:
    record = accounted()
    quiet = record.without_conversations()
    assert [account.conversation for account in quiet.accounts] == [(), ()]
    assert quiet.accounts[0].output == b"secret"
    assert replace(quiet, accounts=record.accounts) == record
    assert quiet.without_conversations() is quiet
