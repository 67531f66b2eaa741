"""Two threads that take turns, and what happens when one of them fails."""

from __future__ import annotations

import threading
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: there is no wheel for this Python")

from tiltyard_engine.match_record import PlayedMatch
from tiltyard_gym.match_thread import AbandonedError, MatchEnd, MatchThread


class Game:
    """Asks three questions, and keeps the answers and how it ended."""

    def __init__(self) -> None:
        self.stopped = 0
        self.thread = MatchThread(self._stop)
        self.answers: list[Any] = []
        self.threads: set[int] = set()
        self.was_abandoned = False

    def _stop(self) -> None:
        self.stopped += 1

    def play(self) -> PlayedMatch:
        self.threads.add(threading.get_ident())
        try:
            for number in range(3):
                self.answers.append(self.thread.ask(number))
        except AbandonedError as error:
            self.was_abandoned = True
            self.thread.raise_again(error)
        return PlayedMatch(map="played")


def test_questions_and_answers() -> None:
    game = Game()
    for _ in range(2):
        game.answers.clear()
        assert game.thread.begin(game.play) == 0
        assert [game.thread.answer(answer) for answer in "ab"] == [1, 2]
        assert game.thread.answer("c") == MatchEnd(PlayedMatch(map="played"))
        assert game.answers == ["a", "b", "c"]
    assert len(game.threads) == 1
    assert threading.get_ident() not in game.threads
    game.thread.stop()
    assert game.stopped == 1


def test_a_match_that_nobody_wants_ends() -> None:
    game = Game()
    game.thread.begin(game.play)
    assert game.thread.begin(game.play) == 0
    assert game.was_abandoned
    assert game.answers == []
    game.was_abandoned = False
    game.thread.stop()
    assert game.was_abandoned
    assert game.stopped == 1


def test_an_error_in_the_match_is_the_callers() -> None:
    game = Game()

    def failing() -> PlayedMatch:
        game.thread.ask("first")
        raise LookupError("no such map")

    assert game.thread.begin(failing) == "first"
    with pytest.raises(LookupError, match="no such map"):
        game.thread.answer(None)
    assert game.thread.begin(game.play) == 0
    game.thread.stop()


def test_an_interrupted_wait_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the user pressed Ctrl-C while an opponent thinks: what the match hands out then is not for the next one."""
    game = Game()
    game.thread.begin(game.play)
    with monkeypatch.context() as patch:
        patch.setattr(game.thread, "_caller_turn", Interrupted(vars(game.thread)["_caller_turn"]))
        with pytest.raises(KeyboardInterrupt):
            game.thread.answer("a")
    assert game.thread.begin(game.play) == 0
    assert game.was_abandoned
    game.thread.stop()


class Interrupted:
    """A lock whose holder is interrupted while waiting for it."""

    def __init__(self, lock: threading.Lock) -> None:
        self.release = lock.release

    def acquire(self) -> None:
        raise KeyboardInterrupt
