"""Each property of games by rules can fail: sound rules are broken in one place, and the property says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.engine.rules.small_games import Bids, Hand, Nim, OpenNim, Pile, Table

from tiltyard_engine import TurnAlgorithm
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_engine.records import Game, GameMaps, Manager, MapFile, TurnTeam
from tiltyard_engine.rules import Ending, Rules, whole_numbers
from tiltyard_engine.rules.derived import with_derived
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.outcomes import Mark, Outcome
from tiltyard_kit.game_check.bench.parts import GameParts, parts_at
from tiltyard_kit.game_check.check import outcomes_of
from tiltyard_kit.game_check.rules_properties import perft

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "games"
RULES_PROPERTIES = {"rules", "legal answers", "guesses", "answers in words"}


def outcome_of(name: str, rules: Rules[Any, Any], seats: int = 2, player: type[TurnAlgorithm[Any, Any]] | None = None) -> Outcome:
    teams = [TurnTeam("own", "small", player)] if player is not None else []
    with Bench(parts_by(rules, seats), teams=teams, host=PlainHost()) as bench:
        (outcome,) = outcomes_of(bench, [name])
    return outcome


def parts_by(rules: Rules[Any, Any], seats: int) -> GameParts:
    """A small game of these rules."""
    game: Game[Any] = Game(name="small", seats=range(seats, seats + 1), maps=GameMaps(whole_numbers("size")), rules=rules)
    records = with_derived([game])
    return GameParts(
        game=next(each for each in records if isinstance(each, Game)),
        managers=tuple(each for each in records if isinstance(each, Manager)),
        maps=(MapFile("few", "small", b"6", seats),),
        teams=tuple(each for each in records if isinstance(each, TurnTeam)),
        references={},
    )


class Forgetful(Nim):
    """Keeps a pile of its own."""

    def __init__(self) -> None:
        self.calls = 0

    def play(self, position: Pile, answers: Mapping[int, int], chance: Random) -> Pile:
        self.calls += 1
        return Pile(position.stones - 1 - self.calls % 2 if position.stones > 2 else 0, 3 - position.mover)


class Endless(Nim):
    """Nobody takes anything."""

    most_moves = 50

    def play(self, position: Pile, answers: Mapping[int, int], chance: Random) -> Pile:
        return Pile(position.stones, 3 - position.mover)


class Nobody(Nim):
    """Nobody has to move in a game that isn't over."""

    def to_move(self, position: Pile) -> Sequence[int]:
        return []


@dataclass
class Heap:
    """A position that can be changed."""

    stones: int


class Changing(Rules[Heap, int]):
    """Takes from the position that it is given."""

    def start(self, board: int, seats: int, chance: Random) -> Heap:
        return Heap(board)

    def to_move(self, position: Heap) -> Sequence[int]:
        return [1]

    def legal(self, position: Heap, seat: int) -> Sequence[int]:
        return [1]

    def play(self, position: Heap, answers: Mapping[int, int], chance: Random) -> Heap:
        return Heap(position.stones - 1)

    def outcome(self, position: Heap) -> Ending | None:
        return Ending() if position.stones <= 0 else None

    def scores(self, position: Heap) -> Sequence[float]:
        position.stones -= 1
        return (0.0, 0.0)


@dataclass
class Hands:
    """Cards that can be changed."""

    cards: list[int]
    played: int = 0


class Taking(Rules[Hands, int]):
    """Takes the card out of the hand that it is given, so that the same move can't be played twice."""

    def start(self, board: int, seats: int, chance: Random) -> Hands:
        return Hands(list(range(board)))

    def to_move(self, position: Hands) -> Sequence[int]:
        return [1]

    def legal(self, position: Hands, seat: int) -> Sequence[int]:
        return list(position.cards)

    def play(self, position: Hands, answers: Mapping[int, int], chance: Random) -> Hands:
        position.cards.remove(answers[1])
        return Hands(position.cards, position.played + 1)

    def outcome(self, position: Hands) -> Ending | None:
        return None if position.cards else Ending()


class TakingTwice(Taking):
    """Raises because of its own change."""

    def play(self, position: Hands, answers: Mapping[int, int], chance: Random) -> Hands:
        super().play(position, answers, chance)
        return super().play(position, answers, chance)


class Unended(Nim):
    """Goes on when no stone is left."""

    def outcome(self, position: Pile) -> Ending | None:
        return None


class HalfStuck(Nim):
    """Asks both where only one can answer."""

    def to_move(self, position: Pile) -> Sequence[int]:
        return [1, 2]

    def legal(self, position: Pile, seat: int) -> Sequence[int]:
        return [1] if seat == 1 else []


class Generous(Nim):
    """Accepts what it doesn't list."""

    def is_legal(self, position: Pile, seat: int, answer: int) -> bool:
        return 1 <= answer <= 3


class Strict(Nim):
    """Refuses what it lists."""

    def is_legal(self, position: Pile, seat: int, answer: int) -> bool:
        return answer in self.legal(position, seat) and answer != 2


class Narrow(Nim):
    """Can't play all that it lists."""

    def play(self, position: Pile, answers: Mapping[int, int], chance: Random) -> Pile:
        return super().play(position, {position.mover: {1: 1, 2: 2}[answers[position.mover]]}, chance)


class WrongGuess(Bids):
    """Guesses another hand than that which the player sees."""

    def guess(self, view: Hand, seat: int, chance: Random) -> Table:
        guess = super().guess(view, seat, chance)
        return Table(guess.hands, view.prize + 1, view.won)


class HalfGuess(Bids):
    """Guesses the player's own hand alone, and no other."""

    def guess(self, view: Hand, seat: int, chance: Random) -> Table:
        guess = super().guess(view, seat, chance)
        hands = tuple(hand if number == seat else () for number, hand in enumerate(guess.hands, start=1))
        return Table(hands, guess.prize, guess.won)


class Telling(Bids):
    """What is legal depends on a card that nobody sees."""

    def legal(self, position: Table, seat: int) -> Sequence[int]:
        cards = super().legal(position, seat)
        return cards if sum(position.hands[seat % 3]) % 2 else cards[:1]


class Silent(Bids):
    """Hides something, and says with no guess what it may be."""

    guess = Rules.guess


class Mumbling(Nim):
    """Says the same of all answers."""

    def to_text(self, answer: int, position: Pile, seat: int) -> str:
        return "take some"


@pytest.mark.parametrize(
    ("name", "rules", "seats", "detail"),
    [
        ("rules", Forgetful(), 2, "gave two different positions"),
        ("rules", Endless(), 2, "a game at random isn't over after 50 moves"),
        ("rules", Nobody(), 2, "to_move names [] in a position without an outcome"),
        ("rules", Changing(), 2, "a method changed the position that it was given"),
        ("rules", Taking(), 2, "play() changed its argument position"),
        ("rules", TakingTwice(), 2, "play() changed its argument position"),
        ("rules", Unended(), 2, "no seat that is to move has a legal answer, but outcome() says that the game goes on"),
        ("rules", HalfStuck(), 2, "player 2 is to move without a legal answer, but outcome() says that the game goes on"),
        ("legal answers", Generous(), 2, "is_legal() accepts an integer (3), which legal() doesn't list"),
        ("legal answers", Strict(), 2, "is listed by legal(), but is_legal() refuses it"),
        ("legal answers", Narrow(), 2, "the legal answer an integer (3) of player 1 made play() raise KeyError: 3"),
        ("guesses", WrongGuess(), 3, "of a guess that fits it, it would see"),
        ("guesses", HalfGuess(), 3, "the game can't go on from a guess: after 0 moves, it raised"),
        ("guesses", Telling(), 3, "two positions look the same to player 2, but have different legal answers"),
        ("answers in words", Mumbling(), 2, "the text 'take some' of an integer (1) is read as an integer (3)"),
    ],
)
def test_what_is_wrong_is_said(name: str, rules: Rules[Any, Any], seats: int, detail: str) -> None:
    outcome = outcome_of(name, rules, seats)
    assert outcome.mark is Mark.FAILED
    assert detail in outcome.detail


def test_a_game_that_can_guess_nothing_does_not_show_that_it_hides() -> None:
    outcome = outcome_of("guesses", Bids(), 3)
    assert outcome.mark is Mark.PASSED
    with pytest.raises(NotImplementedError, match="says with no guess"):
        Silent().guess(Hand((), 1, ()), 1, Random(0))


class AsksTheRules(TurnAlgorithm[Pile, int]):
    """Takes what the rules of its match list first."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def choose(self, position: Pile) -> int:
        return int(self.rules.legal(position, self.seat)[0])


class GivesUp(AsksTheRules):
    """Fails at its start in the second seat."""

    def start(self, position: Pile) -> None:
        if self.seat == 2:
            raise ValueError("no idea")


class Mistaken(Nim):
    """Can't be played at all."""

    def play(self, position: Pile, answers: Mapping[int, int], chance: Random) -> Pile:
        raise NameError("name 'stone' is not defined")


def test_what_fails_as_the_first_match_did_is_told_in_a_line_each() -> None:
    with Bench(parts_by(Mistaken(), 2), host=PlainHost()) as bench:
        outcomes = {outcome.name: outcome for outcome in outcomes_of(bench)}
    first = outcomes.pop("plays")
    assert first.mark is Mark.FAILED
    assert "NameError: name 'stone' is not defined" in first.detail
    assert "in play\n" in first.traceback
    bad = [outcome for outcome in outcomes.values() if outcome.mark in (Mark.FAILED, Mark.NOT_SHOWN)]
    assert len(bad) > 15
    assert {(each.detail, each.where, each.advice, each.traceback) for each in bad} == {("as in 'plays'", "", "", "")}
    # Alone, each says by itself what is wrong.
    alone = outcome_of("legal answers", Mistaken())
    assert "NameError: name 'stone' is not defined" in alone.detail
    assert alone.traceback


class OneSided(Nim):
    """Player 1 alone takes."""

    def after(self, position: Pile) -> int:
        return 1


def test_players_that_ask_the_rules_have_them_in_every_match_that_is_changed() -> None:
    outcome = outcome_of("failing seats", Nim(), player=AsksTheRules)
    assert (outcome.mark, outcome.detail) == (Mark.PASSED, "4 crashes, each charged to its seat")


def test_a_player_that_fails_by_itself_is_told_apart_from_one_that_was_not_asked() -> None:
    outcome = outcome_of("failing seats", Nim(), player=GivesUp)
    assert outcome.mark is Mark.NOT_SHOWN
    assert "player 2 failed by itself: starting raised ValueError: no idea" in outcome.detail
    assert outcome.detail.count("no idea") == 1
    assert outcome.advice == "first mend this player: see 'plays'"
    unasked = outcome_of("failing seats", OneSided(), player=AsksTheRules)
    assert unasked.detail.endswith("but player 2 never crashed in its first turn: it was not asked")
    assert unasked.advice == "to_move() must name each seat, or name a map on which all are asked: --map"


class StillToMove(OpenNim):
    """Says who is out, and goes on asking the same player."""

    def without(self, position: Pile, seat: int) -> Pile:
        return replace(position, out=(*position.out, seat))


class Forgotten(OpenNim):
    """Lets the next player move, and forgets who is out."""

    def without(self, position: Pile, seat: int) -> Pile:
        return replace(super().without(position, seat), out=())


class Left(OpenNim):
    """The players who are left take nothing."""

    def play(self, position: Pile, answers: Mapping[int, int], chance: Random) -> Pile:
        return replace(position, mover=self.after(position)) if position.out else super().play(position, answers, chance)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (StillToMove, "right after without(position, 1), to_move() names player 1"),
        (Forgotten, r"\d moves? after without(position, 1), to_move() names player 1"),
        (Left, "a game at random without player 1 isn't over after 10,000 moves"),
    ],
)
@pytest.mark.parametrize("seats", [2, 3])
def test_a_player_who_is_out_is_asked_no_more(rules: type[OpenNim], told: str, seats: int) -> None:
    outcome = outcome_of("failing seats", rules(), seats)
    assert outcome.mark is Mark.FAILED
    assert re.fullmatch(told.replace("(", r"\(").replace(")", r"\)"), outcome.detail), outcome.detail
    assert outcome_of("failing seats", OpenNim(), seats).mark is Mark.PASSED


def test_rules_that_hide_are_sent_to_the_property_that_looks_at_them() -> None:
    outcome = outcome_of("hidden values", Bids(), 3)
    assert (outcome.mark, outcome.detail.partition("; ")[2]) == (Mark.NOT_APPLICABLE, "of rules, see 'guesses'")


def test_that_a_failure_ends_the_match_for_more_than_two_is_said() -> None:
    note = "6 crashes, each charged to its seat; each ended the match for all players, as the rules have no without()"
    assert outcome_of("failing seats", Nim(), 3).detail == note


@pytest.mark.parametrize("name", sorted(RULES_PROPERTIES - {"guesses"}))
def test_sound_rules_pass(name: str) -> None:
    assert outcome_of(name, Nim()).mark is Mark.PASSED


def test_perft_counts_the_ways_to_play() -> None:
    # From five stones: 3 ways for the first move; after 1 or 2 there are 3 more, after 3 only 2.
    assert [perft(Nim(), 5, 2, depth) for depth in range(4)] == [1, 3, 8, 13 - 1]
    assert perft(Bids(), 1, 3, 1) == 1


def test_a_game_without_rules_is_not_held_to_them() -> None:
    sound = Path(__file__).parents[2] / "programs" / "games" / "treasure.py"
    with Bench(parts_at(str(sound)), host=PlainHost()) as bench:
        for name in RULES_PROPERTIES:
            (outcome,) = outcomes_of(bench, [name])
            assert (outcome.mark, outcome.detail) == (
                Mark.NOT_APPLICABLE,
                "the game states no rules: Game(rules=...) is not given",
            )


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("theme", 'plain="X "', 'plain="XXX"'), ("plays", "        return position.columns", "        return [0]")],
)
def test_what_is_wrong_is_in_the_file_of_the_rules(tmp_path: Path, name: str, old: str, new: str) -> None:
    file = tmp_path / "odd.py"
    file.write_text((EXAMPLES / "connect_four.py").read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with Bench(parts_at(str(file)), host=PlainHost()) as bench:
        (outcome,) = outcomes_of(bench, [name])
    assert outcome.mark is Mark.FAILED
    assert "odd.py, line" in outcome.where
