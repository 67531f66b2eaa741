"""Properties of games that state their rules: what is legal, what the functions may not do, and that views fit their guesses."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from tiltyard_engine.errors import show
from tiltyard_engine.rules import Rules
from tiltyard_engine.rules.sparring import mark
from tiltyard_engine.seat_kinds.value_types import same_value
from tiltyard_engine.texts.quantities import counted
from tiltyard_kit.game_check.bench.bench import SEED, Bench
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, NotShown, Violation

GAMES: Final = 20
"""Games at random that are looked at."""
MOST_STEPS: Final = 60
"""Positions of each game that are looked at closely."""
MOST_PLAYED: Final = 20
"""Legal answers that are played in each."""
MOST_OTHERS: Final = 100
"""Answers from other positions that are tried in each."""
ENOUGH: Final = 300
"""Positions of all games together."""
GUESSES: Final = 3
"""For each view."""
PLAYED_ON: Final = 15
"""Of so many positions, one is played on to the end without a seat that was to move there; and of so many guesses one as it is."""
MOST_PLAYED_ON: Final = 200
"""Moves from a guess."""


@dataclass(frozen=True, slots=True)
class RandomStep:
    """A position that a game at random came to, and what was answered there."""

    rules: Rules[Any, Any]
    position: Any
    answers: dict[int, Any]
    state: tuple[Any, ...]
    """Of chance before the answers were played."""
    after: Any


def steps_of(rules: Rules[Any, Any], board: Any, seats: int, seed: int, *, watches: bool = False) -> Iterator[RandomStep]:
    """A game in which everybody answers at random.

    Args:
        rules: the game's.
        board: the map as it was read.
        seats: how many play.
        seed: of all chance.
        watches: whether to look after each move if ``play`` left its argument as it was.

    Raises:
        Violation: it doesn't end, or ``play`` changed its argument.
    """
    chance, choice = Random(seed), Random(seed)
    position = rules.start(board, seats, chance)
    for _ in range(rules.most_moves):
        if rules.outcome(position) is not None:
            return
        movers = list(rules.to_move(position))
        if not movers or not all(1 <= mover <= seats for mover in movers):
            raise Violation(
                f"to_move names {movers} in a position without an outcome",
                type(rules).to_move,
                f"name at least one seat from 1 to {seats}, or let outcome() say how the match ended",
            )
        answers = _answers_at_random(rules, position, movers, choice)
        state = chance.getstate()
        after = (_play_watched if watches else _play)(rules, position, answers, chance)
        yield RandomStep(rules, position, answers, state, after)
        position = after
    raise Violation(
        f"a game at random isn't over after {rules.most_moves:,} moves",
        type(rules).outcome,
        "let outcome() end it, or set most_moves to what a match may have at most",
    )


def _answers_at_random(rules: Rules[Any, Any], position: Any, movers: Sequence[int], choice: Random) -> dict[int, Any]:
    try:
        return {mover: rules.sample(position, mover, choice) for mover in movers}
    except Exception as error:
        stuck = [mover for mover in movers if not len(rules.legal(position, mover))] if rules.lists_answers else []
        if not stuck:
            raise
        who = (
            "no seat that is to move has a legal answer"
            if stuck == movers
            else f"player {stuck[0]} is to move without a legal answer"
        )
        raise Violation(
            f"{who}, but outcome() says that the game goes on",
            type(rules).outcome,
            "let outcome() end the game there, or let to_move() name only those that can answer",
        ) from error


def _play(rules: Rules[Any, Any], position: Any, answers: Mapping[int, Any], chance: Random) -> Any:
    return rules.play(position, answers, chance)


def _play_watched(rules: Rules[Any, Any], position: Any, answers: Mapping[int, Any], chance: Random) -> Any:
    """Play, and look whether the position is as it was, even if ``play`` raises: a change is often why it does."""
    before = copy.deepcopy(position)
    failed: Exception | None = None
    after = None
    try:
        after = rules.play(position, answers, chance)
    except Exception as error:
        failed = error
    if not same_value(position, before):
        raise Violation("play() changed its argument position", type(rules).play, "make a new position") from failed
    if failed is not None:
        raise failed
    return after


def pure(bench: Bench) -> str:
    """Rules change nothing that they are given, keep nothing, and end every game."""
    looked_at = 0
    for step in _steps(bench, watches=True):
        rules, before = step.rules, copy.deepcopy(step.position)
        again = Random()
        again.setstate(step.state)
        if not same_value(_play_watched(rules, step.position, dict(step.answers), again), step.after):
            raise Violation(
                "play() of the same position, answers and chance gave two different positions",
                type(rules).play,
                "take chance from the argument alone, and keep nothing in the rules or in the module",
            )
        for mover in step.answers:
            rules.view(step.position, mover)
        rules.outcome(step.position), rules.scores(step.position), rules.draw(step.position, bench_names(bench))
        if not same_value(step.position, before):
            raise Violation("a method changed the position that it was given", type(rules).play, "make a new position")
        looked_at += 1
    return f"{looked_at} positions of games at random, all of which ended"


def bench_names(bench: Bench) -> list[str]:
    """What the players are called where nobody has a name."""
    return [f"player {seat}" for seat in range(1, bench.seats + 1)]


def legal_answers(bench: Bench) -> str:
    """Every legal answer can be played, and every other one is refused."""
    play_count = refusal_count = 0
    sample = Random(SEED).sample
    others: dict[Any, Any] = {}
    for step in _steps(bench):
        rules = step.rules
        for mover in step.answers:
            legal = list(rules.legal(step.position, mover)) if rules.lists_answers else [step.answers[mover]]
            for answer in sample(legal, min(len(legal), MOST_PLAYED)):
                if not rules.is_legal(step.position, mover, answer):
                    raise Violation(f"{show(answer)} is listed by legal(), but is_legal() refuses it", type(rules).is_legal)
                chance = Random(SEED)
                try:
                    rules.play(step.position, {**step.answers, mover: answer}, chance)
                except Exception as error:
                    raise Violation(
                        f"the legal answer {show(answer)} of player {mover} made play() raise {type(error).__name__}: {error}",
                        type(rules).play,
                    ) from error
                play_count += 1
            if rules.lists_answers:
                legal_keys = set(map(mark, legal))
                # Rules that don't say it themselves would make the list again for each answer.
                has_own = type(rules).is_legal is not Rules.is_legal
                for key, answer in others.items():
                    if key not in legal_keys:
                        if rules.is_legal(step.position, mover, answer) if has_own else answer in legal:
                            raise Violation(f"is_legal() accepts {show(answer)}, which legal() doesn't list", type(rules).is_legal)
                        refusal_count += 1
                others.update({mark(answer): answer for answer in legal[: max(0, MOST_OTHERS - len(others))]})
    if not play_count:
        raise NotShown("no team had to answer", "name a map whose match is longer: --map")
    return f"{play_count} answers could be played, {refusal_count} others were refused"


def guesses(bench: Bench) -> str:
    """What a seat sees tells nothing of what is hidden: a guess gives the same view, and the same legal answers."""
    chance, looked_at, differ = Random(SEED), 0, 0
    for step in _steps(bench):
        rules = step.rules
        if not rules.hides:
            raise NotApplicable("all players see all: the rules have no view()")
        for mover in step.answers:
            view = rules.view(step.position, mover)
            for _ in range(GUESSES):
                try:
                    guess = rules.guess(view, mover, chance)
                except NotImplementedError as error:
                    raise NotShown(str(error), "write guess(): sparring partners need it, and this property looks at it") from error
                again = rules.view(guess, mover)
                if not same_value(again, view):
                    raise Violation(
                        f"player {mover} sees {view!r:.60}; of a guess that fits it, it would see {again!r:.60}",
                        type(rules).guess,
                        "guess() returns a position in which this seat sees what it was given",
                    )
                if rules.lists_answers and not _same_answers(rules, guess, step.position, mover):
                    raise Violation(
                        f"two positions look the same to player {mover}, but have different legal answers",
                        type(rules).view,
                        "show what the legal answers depend on, or let them depend on what is shown",
                    )
                if rules.can_look_ahead and looked_at % PLAYED_ON == 0:
                    _end_at_random(rules, guess)
                looked_at += 1
                differ += not same_value(guess, step.position)
    return f"{looked_at} guesses, {differ} of them with something else behind the same view"


def _end_at_random(rules: Rules[Any, Any], guess: Any) -> None:
    """Play on from a guess, as sparring partners do it."""
    position, moves, chance = guess, 0, Random(SEED)
    try:
        while rules.outcome(position) is None and moves < MOST_PLAYED_ON:
            answers = {mover: rules.sample(position, mover, chance) for mover in rules.to_move(position)}
            position, moves = rules.play(position, answers, chance), moves + 1
        rules.scores(position)
    except Exception as error:
        raise Violation(
            f"the game can't go on from a guess: after {counted(moves, 'move')}, it raised {type(error).__name__}: {error}",
            type(rules).guess,
            "guess() returns a whole position, from which play() and outcome() work to the end",
        ) from error


def words(bench: Bench) -> str:
    """An answer that a person types is the one that its text says."""
    looked_at = 0
    for step in _steps(bench):
        rules = step.rules
        if not rules.lists_answers and type(rules).from_text is Rules.from_text:
            raise NotApplicable("the rules list no answers, and say with no from_text() how people type them")
        for mover, answer in step.answers.items():
            text = rules.to_text(answer, step.position, mover)
            try:
                typed = rules.from_text(text, step.position, mover)
            except ValueError as error:
                raise Violation(f"the text {text!r} of {show(answer)} isn't understood: {error}", type(rules).from_text) from error
            if not same_value(typed, answer):
                raise Violation(f"the text {text!r} of {show(answer)} is read as {show(typed)}", type(rules).to_text)
            looked_at += 1
    return f"{looked_at} answers, written and read"


def plays_without(bench: Bench) -> str:
    """The rules ask nobody who is out, and the others come to an end. Returns what else authors should know."""
    rules = bench.game.rules
    if not isinstance(rules, Rules):
        return ""
    if type(rules).without is Rules.without:
        return "; each ended the match for all players, as the rules have no without()" if bench.seats > 2 else ""
    for number, step in enumerate(_steps(bench)):
        for seat in step.answers:
            position = rules.without(step.position, seat)
            if position is not None:
                _play_on(rules, position, seat, rules.most_moves if number % PLAYED_ON == 0 else 1)
    return ""


def _play_on(rules: Rules[Any, Any], position: Any, out: int, moves: int) -> None:
    """Play so many moves at random from a position without one seat.

    Raises:
        Violation: that seat is asked, or nobody is, or the game doesn't end.
    """
    chance = Random(SEED)
    for number in range(moves):
        if rules.outcome(position) is not None:
            return
        movers = list(rules.to_move(position))
        if out in movers or not movers:
            when = f"{counted(number, 'move')} after" if number else "right after"
            raise Violation(
                f"{when} without(position, {out}), to_move() names {f'player {out}' if movers else 'nobody'}",
                type(rules).without if not number else type(rules).to_move,
                "keep in the position who is out, and let to_move() name only players who are still in",
            )
        position = rules.play(position, _answers_at_random(rules, position, movers, chance), chance)
    if moves > 1 and rules.outcome(position) is None:
        raise Violation(
            f"a game at random without player {out} isn't over after {moves:,} moves",
            type(rules).outcome,
            "let outcome() end it when one player is out",
        )


def perft(rules: Rules[Any, Any], board: Any, seats: int, depth: int, seed: int = 0) -> int:
    """How many ways there are to play the first ``depth`` moves: a number that changes where a rule does.

    Each seat that answers at the same time counts by itself. Chance is drawn again from ``seed`` for each position.
    """

    def count(position: Any, left: int) -> int:
        if not left or rules.outcome(position) is not None:
            return 1
        ways: list[dict[int, Any]] = [{}]
        for mover in rules.to_move(position):
            ways = [{**way, mover: answer} for way in ways for answer in rules.legal(position, mover)]
        return sum(count(rules.play(position, way, Random(seed)), left - 1) for way in ways)

    return count(rules.start(board, seats, Random(seed)), depth)


def _steps(bench: Bench, *, watches: bool = False) -> Iterator[RandomStep]:
    rules = bench.game.rules
    if not isinstance(rules, Rules):
        raise NotApplicable("the game states no rules: Game(rules=...) is not given")
    board = bench.game.maps.read(bench.map.name, bench.map.data, bench.seats)
    looked_at = 0
    for seed in range(SEED, SEED + GAMES):
        for number, step in enumerate(steps_of(rules, board, bench.seats, seed, watches=watches)):
            if number < MOST_STEPS and looked_at < ENOUGH:
                looked_at += 1
                yield step
        if looked_at >= ENOUGH:
            return


def _same_answers(rules: Rules[Any, Any], one: Any, other: Any, seat: int) -> bool:
    return set(map(mark, rules.legal(one, seat))) == set(map(mark, rules.legal(other, seat)))
