"""A match in this process: what was asked, and matches that do not end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tiltyard_engine import GameInterface, GameManager, GameResult, Manager, Match, TurnSeat, UserError
from tiltyard_engine.results import Termination
from tiltyard_kit.game_check.bench.inline_match import InlineMatch, play_inline
from tiltyard_kit.game_check.bench.parts import parts_of
from tiltyard_kit.game_check.bench.scripts import scripted, wanderer

NIM = parts_of(Path(__file__).parents[3] / "programs" / "games" / "nim.py")


def nim(*stones: tuple[int, ...]) -> InlineMatch:
    teams = [scripted(*answers) for answers in stones]
    return InlineMatch(game=NIM.game, manager=NIM.managers[0], map=NIM.maps[0], teams=teams)


def test_questions_and_answers_are_told_in_their_order() -> None:
    played = play_inline(nim((3, 3, 1), (1, 2)))
    assert [(asked.seat, asked.view.stones, asked.answer) for asked in played.questions] == [
        (1, 10, 3),
        (2, 7, 1),
        (1, 6, 3),
        (2, 3, 2),
        (1, 1, 1),
    ]
    assert (played.record.winner, played.record.faults, played.error) == (1, (), None)


def test_a_fault_overrules_the_claim_as_in_any_match() -> None:
    record = play_inline(nim((9,), (1,))).record
    assert (record.winner, record.ranks, record.faults[0].termination) == (2, (2, 1), Termination.ILLEGAL_MOVE)


def test_tanks_are_asked_and_shown_the_board() -> None:
    tanks = parts_of("tanks")
    match = InlineMatch(game=tanks.game, manager=tanks.managers[0], map=tanks.map("back-yard"), teams=[wanderer()] * 2, rounds=5)
    played = play_inline(match)
    assert played.record.rounds == 5
    answers = [asked for asked in played.questions if asked.answer is not None]
    assert len(answers) == 10
    views = [asked for asked in played.questions if asked.view is not None]
    assert all("%" in asked.view for asked in views)
    assert len(views) == len([asked for asked in answers if asked.answer.name == "GET_BATTLE_INFO"])


class Stubborn(GameManager[Any, TurnSeat[Any, int]]):
    def run(self, match: Match[Any, TurnSeat[Any, int]]) -> GameResult:
        match.seats[0].start(match.map)
        while True:
            try:
                match.seats[0].choose(match.map)
            except Exception:
                continue


def test_a_match_that_does_not_end_is_broken_off() -> None:
    endless = replace(nim((1,), (1,)), manager=Manager(name="stubborn", game="nim", create=Stubborn), most_questions=50)
    played = play_inline(endless)
    assert len(played.questions) == 50
    assert played.record.message.endswith("EndlessMatchError: more than 50 questions were asked: the match does not end")


def test_who_cannot_sit_down() -> None:
    with pytest.raises(UserError, match="'wanderer' has a Player and tanks, but the game nim has none"):
        play_inline(replace(nim((1,), (1,)), teams=[wanderer()] * 2))
    tanks = parts_of("tanks")
    with pytest.raises(UserError, match="'scripted' has no Player and tanks, as tanks needs"):
        play_inline(replace(nim((1,), (1,)), game=tanks.game, manager=tanks.managers[0], map=tanks.map("back-yard")))
    odd = replace(NIM.game, interface=GameInterface())
    with pytest.raises(UserError, match="nim has seats of a kind of its own"):
        play_inline(replace(nim((1,), (1,)), game=odd))
