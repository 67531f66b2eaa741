"""Every cheat and slip that is known, as a program: each is caught in the act, and named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.plugins.penguins.matches import PROGRAMS, FirstPlayer, play, team_of, the_map

from tiltyard_engine.host import Host
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_engine.results import Termination
from tiltyard_penguins.programs.penguins_master import ProgramPort
from tiltyard_simulator.play.host import GuardHost

ILLEGAL, PROTOCOL, CRASH = Termination.ILLEGAL_MOVE, Termination.PROTOCOL, Termination.CRASH

CHEATS = {
    "wrong_score": (ILLEGAL, "wrong score: 5, expected 2 + 2 = 4"),
    "steals_score": (ILLEGAL, "the score of player 1 ('player1') was changed from 4 to 3"),
    "renames_other": (ILLEGAL, "the ID of player 1 ('player1') was changed from 'player1' to 'loser'"),
    "drops_row": (ILLEGAL, "the row of player 1 ('player1') was replaced or moved"),
    "swaps_rows": (ILLEGAL, "the row of player 1 ('player1') was replaced or moved"),
    "adds_row": (ILLEGAL, "added a row of another player: 'friend 9 0'"),
    "changes_number": (ILLEGAL, "the number of its own row was changed from 2 to 7"),
    "changes_id": (ILLEGAL, "the ID of its own row was changed from 'changes_id' to 'somebody'"),
    "takes_number": (
        PROTOCOL,
        "the file it wrote isn't a valid state: line 8, column 14: invalid player number: 1 is already the number of",
    ),
    "moves_two": (ILLEGAL, "moved more than one penguin: 2 left and 2 arrived"),
    "moves_twice": (ILLEGAL, "the floe at row 4, column 1 is gone too: it moved twice, or removed the floe"),
    "jumps_water": (ILLEGAL, "jumped over water: moved from row 5, column 1 to row 5, column 4"),
    "jumps_penguin": (ILLEGAL, "jumped over a penguin: moved from row 5, column 6 to row 2, column 6"),
    "teleports": (ILLEGAL, "teleported: moved from row 5, column 6 to row 2, column 2, start and target are not in the same row"),
    "swims": (ILLEGAL, "moved from row 5, column 1 to row 5, column 3: there is no floe"),
    "eats_penguin": (ILLEGAL, "moved from row 5, column 6 to row 3, column 6: there is a penguin already"),
    "moves_other": (ILLEGAL, "put a penguin of player 1, which is not its own, at row 3, column 5"),
    "takes_penguin_away": (ILLEGAL, "removed the penguin of player 1 at row 3, column 6"),
    "makes_ice": (ILLEGAL, "turned water into a floe at row 2, column 3"),
    "melts_ice": (ILLEGAL, "the floe at row 3, column 4 is gone too: it moved twice, or removed the floe"),
    "breeds_fish": (ILLEGAL, "changed the fish at row 3, column 4 from 2 to 3"),
    "keeps_floe": (ILLEGAL, "the floe that it left at row 5, column 1 is still there"),
    "clones": (ILLEGAL, "a penguin arrived at row 4, column 1, but none left a floe"),
    "vanishes": (ILLEGAL, "its penguin at row 5, column 1 vanished"),
    "wrong_digit": (ILLEGAL, "wrote 3 fish under its penguin at row 4, column 1, where there were 2"),
    "resizes": (ILLEGAL, "the board was resized from 5 x 6 to 5 x 5"),
    "does_nothing": (ILLEGAL, "exited with code 0 without a change, but it could move"),
    "passes": (ILLEGAL, "exited with code 1 (no move possible), but it could move"),
    "over_places": (ILLEGAL, "placed more than 2 penguins"),
    "places_all": (ILLEGAL, "placed 2 penguins at once"),
    "places_on_fish": (
        ILLEGAL,
        "placed a penguin at row 4, column 4: a penguin can only be placed on a floe with exactly one fish",
    ),
    "moves_early": (ILLEGAL, "moved its penguin at row 5, column 6 in the placement phase"),
    "no_row": (ILLEGAL, "added no row of its own at the end of the file"),
    "two_rows": (ILLEGAL, "added 2 rows instead of one"),
    "wrong_number": (ILLEGAL, "put a penguin of player 2, which is not its own, at row 5, column 6"),
    "scores_first": (ILLEGAL, "wrong score: 10, expected 0 + 1 = 1"),
    "sits_on_penguin": (ILLEGAL, "placed a penguin at row 1, column 1: there is a penguin already"),
    "garbage": (PROTOCOL, "the file it wrote isn't a valid state: line 1, column 1: invalid m n line: expected a number"),
    "glues": (PROTOCOL, "the file it wrote isn't a valid state: line 1, column 5: invalid m n line: expected two numbers, got"),
    "no_output": (PROTOCOL, "exited with code 0, but did not write board.txt"),
    "link": (PROTOCOL, "exited with code 0, but left a symbolic link as board.txt, expected a regular file"),
    "leaves_fifo": (PROTOCOL, "exited with code 0, but left a FIFO as board.txt, expected a regular file"),
    "leaves_folder": (PROTOCOL, "exited with code 0, but left a directory as board.txt, expected a regular file"),
    "refuses": (PROTOCOL, "exited with code 2 (bad input), but the file is correct: line 3, column 4: I do not like it"),
    "gives_up": (CRASH, "exited with code 3 (internal error) without a message"),
    "odd_code": (CRASH, "the program exited with code 139"),
    "dies": (CRASH, "the program was killed by SIGKILL"),
    "says_blocked": (ILLEGAL, "exited with code 1 (no move possible), but it changed the state"),
}
EXTRA_ROOM = the_map(
    "5 6\n10 20 20 20 20 20\n20 20 00 20 20 30\n20 20 20 20 20 10\n10 10 20 20 20 20\n10 20 00 20 20 10\npenguins=2\n"
)
"""With more floes to place on than penguins."""


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with PlainHost() as plain:
        yield plain


@pytest.fixture(scope="module")
def guard() -> Iterator[Host]:
    with GuardHost() as guarded:
        yield guarded


def test_every_program_is_tried() -> None:
    tried = {*CHEATS, "honest", "sloppy", "hangs"}
    assert tried == {path.stem for path in PROGRAMS.glob("*.py")}


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_caught_and_named(name: str, host: Host) -> None:
    board = EXTRA_ROOM if name == "over_places" else the_map()
    result = play([lambda seat: FirstPlayer(), team_of(name)], board, host)
    (fault,) = result.faults
    termination, message = CHEATS[name]
    assert (fault.seat, fault.termination) == (2, termination), fault.message
    assert fault.message.startswith(message) or message in fault.message, fault.message
    assert (result.winner, result.ranks) == (1, (1, 2))


@pytest.mark.parametrize("name", ["wrong_score", "no_output", "dies", "link", "leaves_fifo", "leaves_folder"])
def test_a_cheat_is_caught_under_guard(name: str, guard: Host) -> None:
    result = play([lambda seat: FirstPlayer(), team_of(name)], the_map(), guard)
    (fault,) = result.faults
    assert (fault.seat, fault.termination) == (2, CHEATS[name][0])
    assert CHEATS[name][1] in fault.message
    assert CHEATS[name][1] in fault.message


def test_a_program_that_hangs_runs_out_of_time(guard: Host) -> None:
    result = play([lambda seat: FirstPlayer(), team_of("hangs")], the_map(), guard, seconds=0.3)
    (fault,) = result.faults
    assert (fault.seat, fault.termination) == (2, Termination.STALL)


def test_lenient_does_not_ask_who_has_placed_all(host: Host) -> None:
    result = play([lambda seat: FirstPlayer(), team_of("over_places")], EXTRA_ROOM, host, lenient=True)
    assert not result.faults


def test_honest_programs_finish(host: Host) -> None:
    ports: list[ProgramPort] = []
    result = play([lambda seat: FirstPlayer(), team_of("honest")], the_map(), host, ports=ports)
    assert not result.faults
    assert sum(result.scores) > 20
    assert ports[0].call is not None
    assert ports[0].call.exit_code == 1


def test_two_files(host: Host) -> None:
    same = play([team_of("honest"), lambda seat: FirstPlayer()], the_map(), host)
    result = play([team_of("honest", two_files=True), lambda seat: FirstPlayer()], the_map(), host)
    assert not result.faults
    assert (result.final_state, result.scores) == (same.final_state, same.scores)


def test_copies_of_a_program_do_not_take_each_others_rows(host: Host) -> None:
    result = play([team_of("honest")] * 3, EXTRA_ROOM, host)
    assert not result.faults
    assert min(result.scores) >= 1


def test_slips_that_do_no_harm_are_remarked(host: Host) -> None:
    result = play([lambda seat: FirstPlayer(), team_of("sloppy"), team_of("sloppy")], EXTRA_ROOM, host)
    # The second one wants the same number.
    (fault,) = result.faults
    assert (fault.seat, fault.termination) == (3, PROTOCOL)
    assert "invalid player number: 5 is already the number of another player" in fault.message
    notes = [line for line in result.log.splitlines() if line.startswith("note: ")]
    assert notes == [
        "note: sloppy leaves the number of fish under its penguins",
        "note: sloppy took the number 5, expected the next one, 2",
        "note: sloppy uses the ID 'TEAM_NAME_HERE', but gave 'quite' as its name",
    ]
