from __future__ import annotations

import pytest
from tests.plugins.tanks_native.compiled import BOARD, Files, play_inline, script

from tiltyard_engine.results import GameResult
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks_native.claim_repair import NOTE, RawClaim, StateKind, repair_claim

MAP = TankMap(title="test", max_steps=50, num_shells=3, grid=("1  ", "  2"))
ALL_TANKS_DEAD, MAX_STEPS, ZERO_SHELLS = range(3)


def claim(
    winner: int = 1,
    reason: int = ALL_TANKS_DEAD,
    rounds: int = 10,
    remaining: tuple[int, ...] = (1, 0),
    board: bytes = b"  1   ",
    state: StateKind = StateKind.READ,
) -> GameResult:
    return repair_claim(
        RawClaim(
            winner=winner,
            reason=reason,
            rounds=rounds,
            remaining=remaining,
            state=state,
            board=board,
            problem="broken",
            remaining_count=len(remaining),
        ),
        MAP,
    )


def notes(result: GameResult) -> list[str]:
    return result.message.split(NOTE)[1:]


def test_a_sound_claim_stays_as_it_is() -> None:
    expected = GameResult(
        1, "ALL_TANKS_DEAD", 10, ("  1", "   "), remaining_tanks=(1, 0), message="Player 1 won with 1 tanks still alive"
    )
    assert claim() == expected
    tie = claim(0, MAX_STEPS, 50, (1, 1), b"1 2   ")
    assert (tie.winner, notes(tie)) == (0, [])
    assert tie.message == "Tie, reached max steps = 50, player 1 has 1 tanks, player 2 has 1 tanks"
    nobody = claim(0, ALL_TANKS_DEAD, 5, (0, 0), b"      ")
    assert nobody.message == "Tie, both players have zero tanks"


def test_no_final_state() -> None:
    lost = claim(state=StateKind.NULL, board=bytes(6))
    assert (lost.final_state, lost.remaining_tanks) == ((), (1, 0))
    assert notes(lost) == ["gameState is null: no final board"]
    thrown = claim(state=StateKind.THREW)
    assert (thrown.final_state, notes(thrown)) == ((), ["gameState cannot be read (broken): no final board"])


@pytest.mark.parametrize("remaining", [(), (1,), (0, 1, 0), (1,) * 7])
def test_wrong_length_of_remaining_tanks(remaining: tuple[int, ...]) -> None:
    counted = claim(remaining=remaining)
    assert counted.remaining_tanks == (1, 0)
    assert notes(counted) == [f"remaining_tanks has length {len(remaining)}, not 2: counted on the final board"]
    left_out = claim(remaining=remaining, state=StateKind.NULL)
    assert left_out.remaining_tanks == ()
    assert left_out.message.startswith("Player 1 won; note: gameState is null")


def test_nothing_remains_although_it_must() -> None:
    assert claim(remaining=(0, 0)).remaining_tanks == (1, 0)
    assert claim(0, MAX_STEPS, 50, (0, 0), b"1 2   ").remaining_tanks == (1, 1)
    assert claim(remaining=(1 << 60, 0)).remaining_tanks == (1, 0)


@pytest.mark.parametrize("winner", [-1, 3, -858993460, 2**31 - 1])
def test_a_winner_who_is_nobody(winner: int) -> None:
    decided = claim(winner)
    assert decided.winner == 1
    assert notes(decided) == [f"winner is {winner}, not 0, 1 or 2: read as 1"]
    assert claim(winner, MAX_STEPS, 50, (1, 0)).winner == 0
    assert claim(winner, ALL_TANKS_DEAD, 9, (2, 2)).winner == 0


def test_a_winner_who_was_not_set() -> None:
    decided = claim(0)
    assert (decided.winner, notes(decided)) == (1, ["winner is 0, but only player 1 has tanks left: read as 1"])
    assert claim(0, ZERO_SHELLS, 45, (1, 0)).winner == 0, "a tie for another reason"


def test_a_claim_against_itself_is_the_managers_to_answer_for() -> None:
    assert claim(2, remaining=(1, 0)).winner == 2


def test_rounds() -> None:
    assert notes(claim(0, MAX_STEPS, 49, (1, 1))) == ["rounds is 49, but all 50 were played: read as 50"]
    absurd = claim(rounds=2**64 - 1)
    assert (absurd.rounds, notes(absurd)) == (50, [f"rounds is {2**64 - 1}, more than max_steps: read as 50"])
    assert claim(rounds=50).rounds == 50


def test_a_reason_that_is_none() -> None:
    """It often was not set at all; what else is claimed may leave but one."""
    words = "reason is 9, not one of ALL_TANKS_DEAD, MAX_STEPS, ZERO_SHELLS"
    dead = claim(reason=9)
    assert (dead.reason, dead.winner, notes(dead)) == ("ALL_TANKS_DEAD", 1, [f"{words}: read as ALL_TANKS_DEAD"])
    assert claim(0, 9, 50, (1, 1), b"1 2   ").reason == "MAX_STEPS"
    odd = claim(1, 9, 20, (1, 1), b"1 2   ")
    assert (odd.reason, odd.message) == ("UNKNOWN", f"Player 1 won; note: {words}")


def test_characters_that_cannot_be_shown() -> None:
    odd = claim(board=b"\n\x00\xff1 &")
    assert odd.final_state == ("???", "1 &")
    assert notes(odd) == ["gameState shows byte 0x00, byte 0x0a, byte 0xff, here ?", "gameState shows & on the board"]


FILES = [
    ("null_state", "gameState is null: no final board"),
    ("short_remaining", "remaining_tanks has length 1, not 2: counted on the final board"),
    ("long_remaining", "remaining_tanks has length 100000, not 2: counted on the final board"),
    ("zero_remaining", "remaining_tanks is {0, 0}: counted on the final board"),
    ("no_winner", "winner is -858993460, not 0, 1 or 2: read as 2"),
    ("forgets_winner", "winner is 0, but only player 2 has tanks left: read as 2"),
    ("absurd_rounds", "rounds is 18446744073709551615, more than max_steps: read as 120"),
    ("odd_reason", "reason is 9, not one of ALL_TANKS_DEAD, MAX_STEPS, ZERO_SHELLS: read as ALL_TANKS_DEAD"),
    ("state_throws", "gameState cannot be read ((anonymous namespace)::Odd: this state is broken): no final board"),
    ("state_transposed", "gameState is indexed by y before x, and was read that way"),
    (
        "state_bounds_exchanged",
        ("gameState shows & from column 4 on, as if the height ended the board there; the other squares are read as they are"),
    ),
    ("state_odd", "gameState shows byte 0x0a, here ?"),
]


@pytest.mark.parametrize(("word", "note"), FILES)
@pytest.mark.usefixtures("library")
def test_compiled_managers(files: Files, word: str, note: str) -> None:
    result, _ = play_inline(files.referee(word).create(), [script(1), script(2)])
    sound, _ = play_inline(files.referee("good").create(), [script(1), script(2)])
    assert notes(result) == [note]
    assert (result.winner, result.remaining_tanks) == (sound.winner, sound.remaining_tanks)
    if word == "state_transposed":
        assert result.final_state == sound.final_state
    if word == "state_bounds_exchanged":
        assert result.final_state == tuple(row[:4] + "&&&&&" for row in sound.final_state)


TALL = TankMap(title="tall", max_steps=120, num_shells=10, grid=("#@# ", "1   ", " #  ", "2  #", "    ", " ## ", "# 1 ", "  2 "))


@pytest.mark.parametrize("tank_map", [BOARD, TALL])
@pytest.mark.parametrize("word", ["state_transposed", "state_bounds_exchanged"])
@pytest.mark.usefixtures("library")
def test_a_board_is_only_turned_round_if_it_matches_the_start_map_better_then(files: Files, word: str, tank_map: TankMap) -> None:
    result, _ = play_inline(files.referee(word).create(), [script(1), script(2)], tank_map)
    sound, _ = play_inline(files.referee("good").create(), [script(1), script(2)], tank_map)
    (note,) = notes(result)
    if word == "state_transposed":
        assert (result.final_state, note) == (sound.final_state, "gameState is indexed by y before x, and was read that way")
    else:
        shown = min(tank_map.width, tank_map.height)
        cut = [row[:shown].ljust(tank_map.width, "&") for row in sound.final_state[:shown]]
        assert list(result.final_state[:shown]) == cut
        assert set("".join(result.final_state[shown:])) <= {"&"}
        assert note.startswith(f"gameState shows & from {'row' if tank_map is TALL else 'column'} 4 on")


def test_where_a_board_shows_what_is_outside() -> None:
    assert notes(claim(board=b"1 &  &"))[0].startswith("gameState shows & from column 2 on, as if the height ended the board there")
    for scattered in (b"1 &   ", b"1&&  &", b"&  1  "):
        assert notes(claim(board=scattered)) == ["gameState shows & on the board"]
