"""What holds for every game, tried on random ones."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.plugins.tanks.games import Played, births, play
from tests.plugins.tanks.slow_model import SlowGame

from tiltyard_engine.replay import Replay
from tiltyard_tanks.battle import STEP_X, STEP_Y
from tiltyard_tanks.rules import DIALECTS


@dataclass(frozen=True)
class Start:
    """A random game before it is played."""

    rows: list[str]
    scripts: list[str]
    shells: int
    steps: int
    players: int

    def play(self, dialect: str = "reference") -> Played:
        return play(self.rows, *self.scripts, steps=self.steps, shells=self.shells, players=self.players, rules=dialect)


@st.composite
def starts(draw: st.DrawFn, longest: int = 24) -> Start:
    """Boards down to a single row or column, with tanks for two to four players, crowded enough to be eventful."""
    height = draw(st.integers(1, 6))
    width = draw(st.integers(1 if height > 2 else 3, 7))
    players = draw(st.integers(2, 4))
    tanks = "".join(str(player) for player in range(1, players + 1))
    squares = draw(st.lists(st.sampled_from("       ##@" + tanks), min_size=width * height, max_size=width * height))
    for player, square in enumerate(draw(st.permutations(range(width * height)))[: min(players, width * height)], start=1):
        squares[square] = str(player)
    rows = ["".join(squares[start : start + width]) for start in range(0, len(squares), width)]
    count = len(list(births(rows)))
    actions = st.text(alphabet="FFFBBLRlrSSSSGGD", min_size=0, max_size=longest)
    scripts = draw(st.lists(actions, min_size=count, max_size=count))
    return Start(rows, scripts, draw(st.integers(0, 3)), draw(st.sampled_from([0, 4, longest, 3 * longest])), players)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(starts())
def test_fast_rules_agree_with_the_slow_model(start: Start) -> None:
    game = SlowGame(start.rows, start.scripts, start.steps, start.shells, start.players)
    log = game.play()
    played = start.play()
    event(played.result.reason)
    assert played.result.log == log
    assert played.final == game.board()
    assert played.views == game.views
    assert played.result.rounds == game.rounds
    assert list(played.result.remaining_tanks) == game.remaining()


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(starts(), st.integers(0, 6), st.integers(0, 6))
def test_moving_the_whole_board_changes_nothing(start: Start, dx: int, dy: int) -> None:
    """On a torus no place is special: the same game is played wherever the board is cut open."""
    height, width = len(start.rows), len(start.rows[0])

    def moved(rows: list[str]) -> list[str]:
        return ["".join(rows[(y - dy) % height][(x - dx) % width] for x in range(width)) for y in range(height)]

    places = [(x, y) for y, row in enumerate(start.rows) for x, character in enumerate(row) if character.isdigit()]
    new_places = [((x + dx) % width, (y + dy) % height) for x, y in places]
    order = sorted(range(len(places)), key=lambda tank: (new_places[tank][1], new_places[tank][0]))
    scripts = [start.scripts[tank] for tank in order]
    played = start.play()
    other = Start(moved(start.rows), scripts, start.shells, start.steps, start.players).play()
    assert other.final == moved(played.final)
    assert other.result.message == played.result.message
    assert other.result.rounds == played.result.rounds
    assert other.result.ranks == played.result.ranks
    assert other.lines == [", ".join(line.split(", ")[tank] for tank in order) for line in played.lines]


def places_of(replay: Replay, round_number: int, first: str) -> list[tuple[int, int]]:
    """Columns and rows of all squares whose token begins with ``first``."""
    tokens = replay.squares_after(round_number)
    return [(square % replay.width, square // replay.width) for square, token in enumerate(tokens) if token[0] == first]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(starts(), st.sampled_from(sorted(DIALECTS)))
def test_tanks_never_appear_from_nowhere(start: Start, dialect: str) -> None:
    played = start.play(dialect)
    width, height = played.replay.width, played.replay.height
    for number, frame in enumerate(played.replay.frames, start=1):
        for player in range(1, start.players + 1):
            before = places_of(played.replay, number - 1, str(player))
            after = places_of(played.replay, number, str(player))
            reach = {((x + dx) % width, (y + dy) % height) for x, y in before for dx, dy in [(0, 0), *zip(STEP_X, STEP_Y)]}
            assert set(after) <= reach
            assert len(after) == frame.scores[player - 1]
            assert len(after) <= len(before)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(starts(), st.sampled_from(sorted(DIALECTS)))
def test_shells_are_conserved(start: Start, dialect: str) -> None:
    """Shells in the air grow by no more than the shots fired, and nobody fires more shells than it had."""
    played = start.play(dialect)
    in_the_air = 0
    for number, line in enumerate(played.lines, start=1):
        shots = sum(action in ("Shoot", "Shoot (killed)") for action in line.split(", "))
        flying = sum(token[0] == "*" for token in played.tokens(number))
        assert flying <= in_the_air + shots
        in_the_air = flying
    for column in zip(*[line.split(", ") for line in played.lines]):
        assert column.count("Shoot") <= start.shells
