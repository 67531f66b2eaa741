"""Each property can fail: a sound game is broken in one place, and the property says what is wrong and where."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.kit.game_check.test_rules_properties import RULES_PROPERTIES

from tiltyard_engine import GameManager, GameResult, Manager, Match, TankSeat
from tiltyard_engine.errors import UserError
from tiltyard_engine.host import Host, find_host
from tiltyard_engine.host.interface import NO_MATCHES
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.outcomes import Mark, Outcome
from tiltyard_kit.game_check.bench.parts import parts_at, parts_of
from tiltyard_kit.game_check.check import PROPERTIES, outcomes_of

SOUND = Path(__file__).parents[2] / "programs" / "games" / "treasure.py"

LETTERS = "abcdefghijklmnopqrstuvwxyz"
GAVE_UP = "            failed.add(fault.fault.seat)"
CHARGED = 'raise seat.charge(Termination.ILLEGAL_MOVE, f"nobody can dig on square {square}")'
DIGGING = "                digs += 1\n"
CHOSEN = "square = seat.choose(view(state, seat.index)).square\n"
DROPPED = '                square = state.owners.index(".")\n'
DROPPED_OF_2 = '                square = state.owners.index(".") if seat.index == 2 else square\n'
NOT_ASKED = 'square = state.owners.index(".")\n'
RESULT = "return GameResult(winner, reason, digs, (state.owners,), ranks=ranks, scores=tuple(scores))"
RECORDED = 'match.recorder.frame([(square, str(seat.index))], [f"digs on {square}"], scores)'

BROKEN = [
    # Maps
    ("maps", "except ValueError as error", "except UnicodeError as error", "reading the damaged map .* raised ValueError"),
    (
        "maps",
        "return Beach(squares, squares)",
        "return Beach(squares, random.getrandbits(60))",
        "was read twice, and the two differ",
    ),
    ("maps", 'b"squares 9", 0)', 'b"squares x", 2)', "the shipped map cove cannot be read for 2 players: cove: expected"),
    ("generated maps", "chance = random.Random(seed)\n    return", "chance = random\n    return", "makes another map each time"),
    # In which order a set has 26 letters is never the same in two processes.
    (
        "generated maps",
        'return b"squares %d" % (',
        f"""return b"squares 9" + b"".join(b" " if each < "n" else b"\\t" for each in {{*"{LETTERS}"}}) or b"%d" % (""",
        "another process generates a different map",
    ),
    ("generated maps", 'return b"squares %d" % (', 'return "squares %d" % (', "generate returned str, expected bytes"),
    ("generated maps", 'b"squares %d" % (', 'b"square %d" % (', "the shipped map generated with seed .* cannot be read"),
    # The match
    (
        "plays",
        "return Dig(position.owners.rindex",
        "return Dig(-position.owners.rindex",
        r"player 2 \(last\) failed in round 1: illegal",
    ),
    ("plays", DIGGING, f"{DIGGING}                digs = digs / 0\n", r"run\(\) raised ZeroDivisionError: division by zero"),
    ("plays", 'default_manager="treasure-referee"', 'default_manager="nobody"', "default_manager is 'nobody', but the game's"),
    ("plays", "create=Referee", "create=First.__call__ if 0 else (lambda: 3)", r"create\(\) returned int, not a GameManager"),
    ("numbers of players", "[0.0] * len(seats)", "[0.0] * 2", r"with 1 players on cove: .*scores is \(.*\), expected one"),
    (
        "numbers of players",
        "ranks = tuple(",
        "ranks = tuple([1, 2][seat] for seat in range(len(seats))) or (",
        "with 4 players .* IndexError",
    ),
    (
        "plays",
        DIGGING,
        f"{DIGGING}                digs = digs // (2 - match.seed)\n",
        r"with the seed 2, run\(\) raised ZeroDivision",
    ),
    # Answers that nobody looks at
    ("answers matter", CHOSEN, f"{CHOSEN}{DROPPED}", "does not depend on what player 1 answers: it is the same in .* matches"),
    ("answers matter", CHOSEN, f"{CHOSEN}{DROPPED_OF_2}", "does not depend on what player 2 answers: it is the same in .* matches"),
    ("answers matter", CHOSEN, NOT_ASKED, "no team was asked anything, so the answers of teams can't matter"),
    # Values
    ("positions", "TurnInterface(Position, Dig)", "TurnInterface(State, Dig)", "a seat was shown .* but position_type is State"),
    ("positions", "TurnInterface(Position, Dig)", "TurnInterface(None, Dig)", "no position_type says so"),
    ("positions", "coins: tuple[int, ...]\n    seat", "coins: tuple[str, ...]\n    seat", "cannot be decoded: Expected `str`"),
    (
        "positions",
        "return Position(state.owners, coins, seat)",
        "return Position(state.owners, SHARED, seat)\n\n\nSHARED = [0]",
        "shown twice",
    ),
    ("answers", "    square: int\n", "    square: int\n    why: object = print\n", "cannot be sent"),
    ("answers", "TurnInterface(Position, Dig)", "TurnInterface(Position, None)", "no answer_type says so"),
    (
        "messages",
        "return Position(state.owners,",
        'return Position(state.owners + "x" * 100_000,',
        "a position of player 1 has 100,0",
    ),
    # The result
    ("result", "ranks=ranks", "ranks=(1,)", r"ranks is \(1,\), expected one place a seat, or none"),
    ("result", "scores=tuple(scores)", "scores=(1.0, 2.0, 3.0)", r"scores is \(1.0, 2.0, 3.0\), expected one number a seat"),
    ("result", "(state.owners,)", "state.owners", "final_state is not a tuple of strings"),
    ("result", RESULT, "return None", r"run\(\) returned NoneType, not a GameResult"),
    ("result", '"DUG_UP"', '""', "reason is empty"),
    ("ranks and scores", "ranks=ranks", "ranks=tuple(2 * rank for rank in ranks)", r"ranks is \(4, 2\), expected \(2, 1\)"),
    ("ranks and scores", RESULT, RESULT.replace("(winner,", "(0,"), "winner is 0, a tie, but seat . alone has rank 1"),
    (
        "ranks and scores",
        "scores[seat.index - 1] for",
        "scores[seat.index - 1] * (-1) ** match.seed for",
        r"ranks .* and scores .* don't",
    ),
    ("result lines", '{coins} coins" if', '{coins}\\ncoins" if', "the line about the result has several lines"),
    (
        "result lines",
        'return f"Player {result.winner} won,',
        'return f"Player {result.winner} won at {next(CLOCK)},',
        "of the same result",
    ),
    # Chance
    ("same seed", "chance = random.Random(match.seed)", "chance = random", "differs in"),
    (
        "same seed",
        "order = [-1.0",
        "digs += len(MATCHES.append(1) or MATCHES)\n        order = [-1.0",
        "differs in the result: rounds is",
    ),
    (
        "same seed",
        'reason = "FAULT" if failed else "DUG_UP"',
        f"reason = ''.join({{*'{LETTERS}'}})",
        "in another process differs .* reason is",
    ),
    # What is recorded
    ("replay", RECORDED, RECORDED.replace("square, str", "0, str"), "row 1 of the last board is '1........' in the replay, but '1"),
    (
        "plays",
        RECORDED,
        RECORDED.replace("square, str", "square + 99, str"),
        "a recorded change puts '1' on square 99 of a board of 9 x 1",
    ),
    ("plays", RECORDED, RECORDED.replace("str(seat.index)", '""'), "a recorded change puts '' on square 0"),
    ("replay", RECORDED, RECORDED.replace("scores", "[1.0]"), "frame 1 has 1 scores for 2 players"),
    ("replay", RECORDED, RECORDED.replace("scores", "[1.0, 0.5]"), "the last scores of the replay are"),
    ("plays", "start(beach.squares, 1,", "start(beach.squares, 2,", "the recorded board has 9 squares, expected 9 x 2"),
    (
        "replay",
        DIGGING,
        f"{DIGGING}                digs += not match.recorder.active\n",
        "a match that is not recorded ends differently",
    ),
    ("theme", "Theme(styles=styles, seat_colors=colors), describe", "None, describe", "there is no theme"),
    ("theme", 'plain="..",', 'plain=".",', "the style of '.' has plain='.', expected two ASCII characters"),
    ("theme", "styles=styles, seat_colors=colors", "styles={}", "none of the 3 tokens has a style"),
    ("theme", "Theme(styles=styles", "Theme(styles={'?': styles['.']}", "none of the 3 tokens has a style"),
    ("theme", 'shape="disc"', 'shape="disk"', "has the shape 'disk', expected one of block"),
    ("theme", '"#e69f00"', '"#0072b2"', "players 1 and 2 have the same colour, #0072b2"),
    ("theme", '"#e69f00"', '"orange"', "the seat colour 'orange' is not #rrggbb"),
    ("truncation", "digs=rounds", "digs=rounds + 1", "shortened to 1 rounds, the match has 2"),
    ("truncation", "digs=rounds)", "digs=rounds // 3)", "shortened to 1 rounds, the match has only 0"),
    ("truncation", "return replace(beach, digs=rounds)", "return Beach(rounds, rounds)", "differs before it ends"),
    # Secrets
    ("hidden values", '-1 if owner == "." else own for', "own for", "player 1 can tell what is hidden from it: coins is"),
    (
        "hidden values",
        'if owner == "." else own for own, owner in zip(state.coins, state.owners)]',
        "if 0 else own for own in state.coins]",
        "was ever changed",
    ),
    (
        "hidden values",
        "choose(view(state, seat.index))",
        "choose(Position(state.owners, state.coins, 1))",
        "was shown what view did not make for it",
    ),
    # Faults
    ("illegal answers", "TurnInterface(Position, Dig)", "TurnInterface(Position, None)", r"run\(\) raised AttributeError"),
    ("illegal answers", CHARGED, "raise ValueError(square)", r"when player . answered .* run\(\) raised ValueError"),
    ("illegal answers", CHARGED, CHARGED.replace("seat.charge", "seats[seat.index % 2].charge"), "player . was charged with it"),
    ("illegal answers", "0 <= square < beach.squares and ", "", r"run\(\) raised IndexError"),
    (
        "illegal answers",
        GAVE_UP,
        f"{GAVE_UP}\n            failed = {{3 - fault.fault.seat}}",
        "it was charged, and won all the same",
    ),
    (
        "failing seats",
        "except SeatFault as fault:\n            failed.add(fault.fault.seat)",
        "finally:\n            pass",
        r"run\(\) let the fault of player 1 escape",
    ),
]


POINTS = "scores[seat.index - 1] += state.coins[square]"
UNREADABLE = """except ValueError as error:
        raise MapError(f"{name}: expected 'squares NUMBER'") from error"""
MOVER = "seats[digs % len(seats)]"
LINE = 'return f"Player {result.winner} won, {coins} coins" if result.winner else f"Tie, {coins} coins"'
REFUSAL = f'if not (0 <= square < beach.squares and state.owners[square] == "."):\n                    {CHARGED}'
FIRST_LEFT = 'square = state.owners.index(".")'
FAILS = {DIGGING: f"{DIGGING}                digs = digs / 0\n"}
ASKS_NOBODY = {CHOSEN: NOT_ASKED, "                seat.start(view(state, seat.index))": "                pass"}
NEED_QUESTIONS = [
    *("positions", "answers", "messages", "ranks and scores", "result lines", "same seed", "replay", "theme", "truncation"),
    *("hidden values", "illegal answers", "players in processes", "players in sandboxes", "all in sandboxes"),
]
UNTRIED: list[tuple[str, dict[str, str], str]] = [
    (
        "maps",
        {UNREADABLE: "except ValueError:\n        return Beach(9, 9)", 'if word != "squares" or not 1 <=': "if False and not 1 <="},
        "none of 60 damaged maps was refused",
    ),
    (
        "numbers of players",
        {'b"squares 9", 0)': 'b"squares 9", 2)', "generate=generate_map": "generate=None"},
        "no map for 1 players; no map for 4 players",
    ),
    (
        "numbers of players",
        {MOVER: "seats[digs % min(2, len(seats))]"},
        "1 on cove; 4 on cove; with 4, player 3 was never asked; with 4, player 4 was never asked",
    ),
    ("answers matter", {POINTS: "scores[seat.index - 1] += 1"}, "player 1 changed the end of a match, but in none of"),
    ("answers matter", {MOVER: "seats[0]", "digs < min(": "digs < min(3, "}, "player 2 was never asked anything"),
    (
        "answers matter",
        {"0 <= square < beach.squares": FIRST_LEFT.replace("=", "=="), "owners.rindex": "owners.index"},
        "all .* other answers of player 1 were refused",
    ),
    ("ranks and scores", {POINTS: "scores = [0.0] * len(seats)"}, "all .* matches were ties"),
    ("ranks and scores", {"scores=tuple(scores)": "scores=(1.0,) * len(seats)"}, "had the better one another score"),
    ("result lines", {LINE: 'return ""'}, "returned an empty line for"),
    ("replay", {RECORDED: "pass"}, "no frame was recorded"),
    (
        "replay",
        {RECORDED: "match.recorder.frame([], scores=scores)", "(state.owners,), ranks": '("." * beach.squares,), ranks'},
        "none of 9 frames changes the board",
    ),
    ("replay", {"(state.owners,), ranks": "(), ranks"}, "final_state is empty"),
    ("truncation", {'b"squares 9"': 'b"squares 1"'}, "the match has 1 rounds, too few to shorten it"),
    (
        "hidden values",
        {"    coins = [chance": "    if seat == 2:\n        return state\n    coins = [chance"},
        "nothing that is hidden from player 2 was ever changed",
    ),
    ("illegal answers", {REFUSAL: FIRST_LEFT}, "25 answers made up: none of them was refused, and none changed the match"),
    ("failing seats", {MOVER: "seats[0]"}, "3 crashes, .*; but player 2 never crashed in its first turn: it was not asked"),
    ("result", FAILS, "made no result: see 'plays'"),
    *((name, FAILS, "the GameManager failed in the first match: see 'plays'") for name in ("answers matter", "same seed")),
    *((name, ASKS_NOBODY, "no team was asked anything in the first match") for name in NEED_QUESTIONS),
]
"""Games that are wrong in nothing, but do not show that they are right: never tried is not passed."""


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with find_host() as found:
        yield found


def outcome_of(name: str, path: Path, host: Host) -> Outcome:
    with Bench(parts_at(str(path)), host=host) as bench:
        (outcome,) = outcomes_of(bench, [name])
    return outcome


def broken(tmp_path: Path, changes: dict[str, str]) -> Path:
    text = SOUND.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "game.py"
    path.write_text(f"{text}\n\nimport itertools\n\nMATCHES: list[int] = []\nCLOCK = itertools.count()\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "old", "new", "message"), BROKEN)
def test_a_broken_game_fails(name: str, old: str, new: str, message: str, tmp_path: Path, host: Host) -> None:
    path = broken(tmp_path, {old: new})
    outcome = outcome_of(name, path, host)
    assert outcome.mark is Mark.FAILED
    assert re.search(message, outcome.detail), outcome.detail
    assert re.fullmatch(rf"{path}, line \d+", outcome.where)


@pytest.mark.parametrize(("name", "changes", "message"), UNTRIED)
def test_what_the_matches_never_came_to_is_not_shown(
    name: str, changes: dict[str, str], message: str, tmp_path: Path, host: Host
) -> None:
    outcome = outcome_of(name, broken(tmp_path, changes), host)
    assert re.search(message, outcome.detail), outcome.detail
    assert outcome.mark is Mark.NOT_SHOWN


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@dataclass(frozen=True)\nclass Position", "@dataclass\nclass Position", r"Position \(game.py, line \d+\) can be changed"),
        ("@dataclass(frozen=True)\nclass Dig", "@dataclass\nclass Dig", r"Dig \(game.py, line \d+\) can be changed"),
        ("    square: int\n", "    square: int\n    way: TurnAlgorithm = None\n", "Dig.way .* which can't be sent to a team"),
    ],
)
def test_types_that_cannot_be_sent_are_refused_before_anything_is_checked(
    old: str, new: str, message: str, tmp_path: Path, host: Host
) -> None:
    with pytest.raises(UserError, match=message):
        outcome_of("plays", broken(tmp_path, {old: new}), host)


def test_every_property_has_a_broken_game() -> None:
    isolations = {"players in processes", "players in sandboxes", "all in sandboxes"}
    assert {name for name, *_ in BROKEN} | isolations | RULES_PROPERTIES == {each.name for each in PROPERTIES}


def test_equal_results_that_read_differently(tmp_path: Path, host: Host) -> None:
    same = {
        "chance.randint(0, MOST_COINS) for _": "1 for _",
        RESULT: RESULT.replace("scores))", "scores), message=str(match.seed))"),
    }
    path = broken(tmp_path, {**same, 'f"Player {result.winner} won, ': 'f"{result.message} '})
    outcome = outcome_of("result lines", path, host)
    assert (outcome.mark, outcome.detail) == (
        Mark.FAILED,
        "two equal results read differently: '1 5 : 4 coins' and '2 5 : 4 coins'",
    )


def test_a_copy_of_a_state_without_equality_changes_nothing(tmp_path: Path, host: Host) -> None:
    plain = {"@dataclass(frozen=True)\nclass State": "@dataclass(frozen=True, eq=False)\nclass State"}
    copied = {"chance.randint(0, MOST_COINS) if owner": "own if owner"}
    (tmp_path / "sound").mkdir()
    assert outcome_of("hidden values", broken(tmp_path / "sound", plain), host).mark is Mark.PASSED
    outcome = outcome_of("hidden values", broken(tmp_path, {**plain, **copied}), host)
    assert (outcome.mark, outcome.detail.partition(":")[0]) == (Mark.FAILED, "nothing that is hidden was ever changed")


def test_maps_without_equality_are_compared_by_what_they_hold(tmp_path: Path, host: Host) -> None:
    plain = {"@dataclass(frozen=True)\nclass Beach": "@dataclass(frozen=True, eq=False)\nclass Beach"}
    (tmp_path / "sound").mkdir()
    assert outcome_of("maps", broken(tmp_path / "sound", plain), host).mark is Mark.PASSED
    chance = {"return Beach(squares, squares)": "return Beach(squares, random.getrandbits(60))"}
    assert "was read twice, and the two differ" in outcome_of("maps", broken(tmp_path, {**plain, **chance}), host).detail


def test_seats_that_share_what_a_module_keeps_play_otherwise_in_processes(tmp_path: Path, host: Host) -> None:
    counts = {"self.seat = seat": "MATCHES.append(1)\n        self.seat = len(MATCHES) % 2"}
    either = '(position.owners.index if self.seat else position.owners.rindex)(".")'
    path = broken(tmp_path, {**counts, 'position.owners.rindex(".")': either})
    outcome = outcome_of("players in processes", path, host)
    assert (outcome.mark, outcome.detail) == (Mark.FAILED, "the result differs from the inline one")


def test_a_referee_that_keeps_something_plays_otherwise_in_a_sandbox(tmp_path: Path, host: Host) -> None:
    path = broken(tmp_path, {'else "DUG_UP"': 'else f"DUG_UP {len(MATCHES)}"', "self.seat = seat": "MATCHES.append(1)"})
    outcome = outcome_of("all in sandboxes", path, host)
    if outcome.mark is Mark.NOT_APPLICABLE:
        pytest.skip(outcome.detail)
    assert (outcome.mark, outcome.detail) == (Mark.FAILED, "the result differs from the inline one")


def test_a_sound_game_passes_everything(host: Host) -> None:
    with Bench(parts_at(str(SOUND)), host=host) as bench:
        outcomes = list(outcomes_of(bench))
    assert [outcome.name for outcome in outcomes] == [each.name for each in PROPERTIES]
    assert not [outcome for outcome in outcomes if outcome.mark is Mark.FAILED]
    # The sandbox depends on the machine.
    shown = [outcome for outcome in outcomes if "sandbox" not in outcome.name and outcome.name not in RULES_PROPERTIES]
    assert all(outcome.mark is Mark.PASSED for outcome in shown)


def test_what_needs_the_simulator_or_hypothesis_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with Bench(parts_at(str(SOUND)), host=PlainHost()) as bench:
        missing = {outcome.name: outcome.detail for outcome in outcomes_of(bench) if outcome.mark is not Mark.PASSED}
        (values,) = outcomes_of(bench, ["positions"])
    needs_hypothesis = "generated inputs need hypothesis, which is not installed: run 'pip install hypothesis'"
    assert missing == {
        **dict.fromkeys(["maps", "generated maps", "illegal answers"], needs_hypothesis),
        **dict.fromkeys(["players in processes", "players in sandboxes", "all in sandboxes"], NO_MATCHES),
        **dict.fromkeys(RULES_PROPERTIES, "the game states no rules: Game(rules=...) is not given"),
    }
    assert values.detail == f"9 of Position; none was sent: {NO_MATCHES}"


def test_properties_that_a_game_is_not_held_to() -> None:
    with Bench(parts_at(str(SOUND))) as bench:
        (left_out,) = outcomes_of(bench, ["theme"], {"theme": "it is drawn by hand"})
        assert (left_out.mark, left_out.detail) == (Mark.NOT_APPLICABLE, "left out: it is drawn by hand")
        with pytest.raises(UserError, match="no property is called 'themes'; known: maps, "):
            list(outcomes_of(bench, ["themes"]))


def test_tanks_that_crash_are_charged(host: Host) -> None:
    parts = parts_of("tanks")
    with Bench(parts, host=host) as bench:
        (sound,) = outcomes_of(bench, ["failing seats"])
    assert (sound.mark, sound.detail) == (Mark.PASSED, "4 crashes, each charged to its seat")
    with Bench(replace(parts, managers=(Manager(name="deaf", game="tanks", create=Deaf, on_fault="raise"),)), host=host) as bench:
        (deaf, together) = outcomes_of(bench, ["failing seats", "all in sandboxes"])
    assert deaf.detail.startswith(
        "when player 1 crashed at the start, run() let the fault of player 1 escape: creating tank 0 raised"
    )
    assert re.fullmatch(r".*test_properties\.py, line \d+", deaf.where)
    assert "so no other process can find it" in together.detail


class Deaf(GameManager[Any, TankSeat]):
    def run(self, match: Match[Any, TankSeat]) -> GameResult:
        for seat in match.seats:
            seat.create_tank(0).get_action()
        return GameResult(0, "DEAF", 1, ())
