"""Matches of tournaments: the referee of both dialects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from tests.plugins.filler.recorded import recorded_file

from tiltyard_engine.match import Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.replay import ReplayRecorder
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.conformance import read_game
from tiltyard_filler.dialects import FORTY_TWO, SUBJECT, Dialect
from tiltyard_filler.manager import FillerGameManager
from tiltyard_filler.map_files import FillerMap, read_map
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.rules import legal_placements
from tiltyard_kit.conformance import list_of, read_json

BOARD = read_map("m", b"@....\n.....\n.....\n.....\n....$\n")
OPEN = read_map("m", b"@" + b"." * 19 + b"\n" + (b"." * 20 + b"\n") * 13 + b"." * 19 + b"$\n")

Choose = Callable[[FillerPosition], Placement]


class Robot(TurnAlgorithm[FillerPosition, Placement]):
    def __init__(self, choose: Choose, seen: list[FillerPosition]) -> None:
        self._choose = choose
        self._seen = seen

    def choose(self, position: FillerPosition) -> Placement:
        self._seen.append(position)
        return self._choose(position)


def _robot(choose: Choose, seen: list[FillerPosition], seat: int) -> Robot:
    return Robot(choose, seen)


def random_robot(seed: int) -> Choose:
    lots = Random(seed)

    def choose(position: FillerPosition) -> Placement:
        offsets = position.piece.offsets
        legal = legal_placements(position.board, position.width, position.height, position.player, offsets)
        return Placement(*lots.choice(legal)) if legal else Placement(0, 0)

    return choose


def listed(*places: tuple[int, int]) -> Choose:
    rest = iter(places)
    return lambda position: Placement(*next(rest))


class Played:
    def __init__(self, *choosers: Choose, board: FillerMap = BOARD, seed: int = 42, dialect: Dialect = SUBJECT) -> None:
        self.seen: list[list[FillerPosition]] = [[], []]
        seats: list[InlineTurnSeat[FillerPosition, Placement]] = []
        for index, (choose, seen) in enumerate(zip(choosers, self.seen, strict=True), start=1):
            team = TurnTeam(f"robot{index}", "filler", partial(_robot, choose, seen))
            seats.append(InlineTurnSeat(index, team, Placement))
        recorder = ReplayRecorder("filler")
        manager = FillerGameManager(dialect)
        self.result: GameResult = manager.run(
            Match(map=board, map_name="m", seats=seats, seed=seed, recorder=recorder, verbose=True)
        )
        self.replay = recorder.replay


def test_a_match() -> None:
    played = Played(listed((0, 0), (0, 1), (0, 0)), listed((4, 3), (0, 0)))
    result = played.result
    assert (result.winner, result.reason, result.rounds, result.scores) == (1, "BOTH_OUT", 5, (3.0, 2.0))
    assert result.final_state == ("@....", "@....", "@....", "....$", "....$")
    assert result.message == "Player 1 won, 3 : 2 cells"
    assert result.log.splitlines()[0] == "player 1: O/O at 0 0"
    assert result.log.splitlines()[3] == "player 2: O/O at 0 0: out, a cell lies on the enemy"
    assert [position.rows[0] for position in played.seen[0]] == ["@....", "a....", "@...."]
    assert {position.player for position in played.seen[1]} == {2}


def test_what_is_recorded() -> None:
    played = Played(listed((0, 0), (9, 9)), listed((4, 3), (9, 9)))
    frames = played.replay.frames
    assert frames[0].changes == ((0, "a"), (5, "a"))
    assert frames[0].actions == ("O/O at 0 0", "has O/O to place")
    assert frames[0].scores == (2.0, 1.0)
    assert frames[2].changes == ((0, "@"), (5, "@"))
    assert frames[2].notes == ("player 1 is out",)
    assert frames[3].actions == ("out", "O/O at 9 9: out, a cell lies outside the board")
    assert played.replay.rows_after(4) == played.result.final_state


def test_whoever_goes_on_alone_is_asked_alone() -> None:
    played = Played(listed((9, 9)), listed((4, 3), (4, 2), (9, 9)))
    assert played.replay.frames[1].actions == ("out", "O/O at 4 3; has O/O to place")
    assert played.result.scores == (1.0, 3.0)
    assert played.result.winner == 2


def test_seeds_give_everybody_the_same_pieces() -> None:
    games = [Played(random_robot(lot), random_robot(lot + 7), board=OPEN, seed=5) for lot in (1, 2)]
    pieces = [[position.piece for position in sorted_turns(game)] for game in games]
    both = min(map(len, pieces))
    assert both > 20
    assert pieces[0][:both] == pieces[1][:both]
    other = Played(random_robot(1), random_robot(8), board=OPEN, seed=6)
    assert [position.piece for position in sorted_turns(other)][:both] != pieces[0][:both]


def sorted_turns(played: Played) -> list[FillerPosition]:
    """Both players' positions in the order in which they were asked: turns alternate while both are in."""
    first, second = played.seen
    return [position for pair in zip(first, second, strict=False) for position in pair]


def test_the_match_is_that_of_the_subjects_engine() -> None:
    path = recorded_file("games.json.gz")
    record = list_of(read_json(path), "games or pieces")[0]
    assert isinstance(record, dict)
    game = read_game(record, path.parent)
    answers = [[tuple(map(int, line.split())) for line in said.splitlines()] for said in game.answers]
    played = Played(*(listed(*each) for each in answers), board=read_map("m", game.map_data), seed=game.seed)  # type: ignore[arg-type]
    first, second = (int(score) for score in played.result.scores)
    assert f"bender): {first}\n" in record["stdout"]
    assert f"terminator): {second}\n" in record["stdout"]
    last_board = record["stdout"].rpartition("Anfield")[2].splitlines()[2 : 2 + 15]
    assert [row.upper().replace("A", "@").replace("S", "$") for row in played.result.final_state] == [
        row[4:].upper().replace("A", "@").replace("S", "$") for row in last_board
    ]


def fail(position: FillerPosition) -> Placement:
    raise RuntimeError("broken")


def test_a_fault_loses_the_match() -> None:
    result = Played(listed((0, 0), (0, 1)), fail).result
    assert (result.winner, result.reason, result.rounds) == (1, "FAULT", 2)


def test_42_counts_pieces_and_lets_the_other_play_on() -> None:
    played = Played(random_robot(1), random_robot(2), board=OPEN, dialect=FORTY_TWO)
    did = [[frame.actions[seat] for frame in played.replay.frames if " at " in frame.actions[seat]] for seat in (0, 1)]
    assert played.result.scores == tuple(float(sum("out" not in action for action in own)) for own in did)
    assert played.result.message.endswith("pieces")
    assert {position.dialect for position in played.seen[0]} == {"42"}
    alone = Played(fail, random_robot(2), board=OPEN, dialect=FORTY_TWO)
    assert (alone.result.winner, alone.result.reason) == (2, "FAULT")
    assert len(alone.seen[1]) > 10
    assert alone.replay.frames[0].notes == ("player 1 is out",)
