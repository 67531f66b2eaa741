"""Other answers that visitors try in a replay: what a team could have answered, and how the game goes on with it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.public_text import public_text
from tiltyard_site.pages.labels import line
from tiltyard_site.pages.match_scripts import fault_message, match_message, only_own_words, without_words
from tiltyard_site.pages.replay_scripts import compressed_replay
from tiltyard_site.web.bounded_cache import BoundedCache
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_web_play.app import PREFIX
from tiltyard_web_play.orders import MACHINE_SECONDS, HourlyBudget, Turnstile, address_of, take_order, whole_numbers
from tiltyard_whatif.analysis.idle_process import IdleProcess
from tiltyard_whatif.playing import Point, Rematch, check_same
from tiltyard_whatif.stored import StoredGame, played_again, stored_games

TRY: Final = f"{PREFIX}try/"
MOST_WAITING: Final = 8
LEAST_CHARGED: Final = 0.5
"""Seconds that any work counts."""
EXPECTED_SECONDS: Final = 5.0
"""What one game is expected to take; ten times as long, or two minutes, is too long."""
MOST_ANSWERS: Final = 400
LONGEST_ANSWER: Final = 1000
"""Characters."""
KEPT_GAMES: Final = 32
KEPT_COURSES: Final = 64


@dataclass(frozen=True, slots=True)
class PossibleAnswers:
    """What a team answered at a point of a game, and what else it could."""

    turn: int
    part: int
    answer: str
    others: tuple[str, ...]
    is_all: bool


@dataclass(frozen=True, slots=True)
class TriedCourse:
    """How a game went with another answer."""

    outcome: Outcome
    rounds: int
    replay: bytes
    """As a page reads it."""


class Trials:
    """Tries answers for visitors; each answer once.

    Args:
        game_of: a game by its number on the site.
        process: where games are played.
        hide: what the tournament doesn't publish.
        budget: what each address may use.
        own_seats: in which seats of a game an address hears what the code said when it failed, and of no other seat; None: in all.
    """

    def __init__(
        self,
        game_of: Callable[[int], StoredGame],
        process: IdleProcess,
        hide: Set[str],
        budget: HourlyBudget | None = None,
        own_seats: Callable[[str, int], frozenset[int]] | None = None,
    ) -> None:
        self._game_of, self._process, self._hide, self._own_seats = game_of, process, hide, own_seats
        self._turnstile = Turnstile(MOST_WAITING, budget or HourlyBudget(MACHINE_SECONDS))
        self._answers: BoundedCache[Sequence[PossibleAnswers]] = BoundedCache(KEPT_GAMES)
        self._courses: BoundedCache[TriedCourse] = BoundedCache(KEPT_COURSES)

    def answers(self, address: str, number: int, seat: int, turn: int) -> dict[str, Any]:
        """What a team could have answered in a turn, or in the next one in which it answers.

        Args:
            address: where the visitor is.
            number: the game's on the site.
            seat: the team's, from 1.
            turn: as replays count it.

        Raises:
            UserError: there is no such game, seat or turn, or no room for the question.
        """
        every = self._answers.find((number, seat))
        if every is None:
            with self._turnstile.enter(address, LEAST_CHARGED) as charge:
                game = self._checked(number, seat)
                every, seconds = self._process.do(possible_answers, game, seat, cpu_seconds=EXPECTED_SECONDS)
                charge(seconds)
            self._answers.keep((number, seat), every, 1)
        first = next((each.turn for each in every if each.turn >= turn), None)
        if first is None:
            raise UserError(f"player {seat} gives no answer from turn {turn} on")
        return {
            "turn": first,
            "parts": [
                [each.part, line(each.answer, 400), [line(text, 400) for text in each.others], each.is_all]
                for each in every
                if each.turn == first
            ],
        }

    def course(self, address: str, number: int, seat: int, point: Point, answer: str) -> dict[str, Any]:
        """How the game goes with another answer, as the page shows it.

        Args:
            address: where the visitor is.
            number: the game's on the site.
            seat: the team's, from 1.
            point: the turn, and its part.
            answer: in words.

        Raises:
            UserError: as ``answers``; or the answer isn't legal there.
        """
        own = None if self._own_seats is None else self._own_seats(address, number)
        key = number, seat, point, answer, own
        course = self._courses.find(key)
        if course is None:
            with self._turnstile.enter(address, LEAST_CHARGED) as charge:
                game = self._checked(number, seat)
                course, seconds = self._process.do(tried_course, game, seat, point, answer, own, cpu_seconds=EXPECTED_SECONDS)
                charge(seconds)
            self._courses.keep(key, course, 1)
        outcome = course.outcome
        return {
            "winner": outcome.winner,
            "rounds": course.rounds,
            "message": match_message(outcome, self._hide),
            "faults": [
                [fault.seat, fault.termination.value, fault_message(fault.message, self._hide), fault.round]
                for fault in outcome.faults
            ],
            "replay": base64.b64encode(course.replay).decode(),
        }

    def _checked(self, number: int, seat: int) -> StoredGame:
        game = self._game_of(number)
        if not 1 <= seat <= len(game.spec.input.names):
            raise UserError(f"seat {seat}: expected 1 to {len(game.spec.input.names)}")
        return game


def stored_game(options: TournamentOptions, number: int) -> StoredGame:
    """A game of a tournament by its number on the site.

    Raises:
        UserError: there is none with a replay, or its code has changed since.
    """
    with stored_games(options) as games:
        return games.game(str(number))


def possible_answers(game: StoredGame, seat: int) -> tuple[Sequence[PossibleAnswers], float]:
    """In the process: all that a team could have answered in a game, and the CPU seconds that it took to find out.

    Raises:
        UserError: the game isn't the same when it is played again, or doesn't say which answers there are.
    """
    with Rematch(game.spec, seat) as rematch:
        course = played_again(game, rematch)
        every = []
        for decision in course.decisions:
            others = [text for text in rematch.choices.texts(decision.view, seat) if text != decision.answer]
            is_all = rematch.choices.lists_all and len(others) <= MOST_ANSWERS
            every.append(PossibleAnswers(decision.turn, decision.part, decision.answer, tuple(others[:MOST_ANSWERS]), is_all))
    return every, course.cpu_seconds


def tried_course(game: StoredGame, seat: int, point: Point, answer: str, own: Set[int] | None = None) -> tuple[TriedCourse, float]:
    """In the process: a game with another answer, and the CPU seconds that it took.

    Args:
        game: the game.
        seat: of the team that answers differently.
        point: where it does.
        answer: in words.
        own: seats of which is told what their code said when it failed; None: all.

    Raises:
        UserError: the answer isn't legal there, or the game isn't the same before it.
    """
    with Rematch(game.spec, seat) as rematch:
        course = rematch.play({point: answer})
    assert game.replay is not None, "games of a tournament file are found by their replays"
    check_same(game.replay, course, before=point[0])
    outcome, replay = course.outcome, course.replay
    if own is not None:
        frames = [without_words(frame, outcome.faults) for frame in replay.frames]
        outcome = only_own_words(outcome, own)
        if len(outcome.teams) > 2:
            # Of more, it has the names that their programs give themselves.
            outcome = replace(outcome, message="")
        replay = replace(replay, frames=frames, message=outcome.message)
    replay.message = public_text(replay.message)
    return TriedCourse(outcome, len(replay.frames), compressed_replay(replay)), course.cpu_seconds


def try_routes(trials: Trials) -> list[Route]:
    """The routes at which visitors try answers."""
    return [
        Route(f"{TRY}{{place}}/answers", partial(_answers, trials), methods=["POST"]),
        Route(f"{TRY}{{place}}/course", partial(_course, trials), methods=["POST"]),
    ]


async def _answers(trials: Trials, request: Request) -> Response:
    return await take_order(
        request, lambda order: trials.answers(address_of(request), _game_in(request), *whole_numbers(order, "seat", "turn"))
    )


async def _course(trials: Trials, request: Request) -> Response:
    def try_answer(order: dict[str, Any]) -> object:
        number, (seat, turn, part) = _game_in(request), whole_numbers(order, "seat", "turn", "part")
        answer = order.get("answer")
        if not isinstance(answer, str) or len(answer) > LONGEST_ANSWER:
            raise UserError(f"answer: expected a text of at most {LONGEST_ANSWER} characters")
        return trials.course(address_of(request), number, seat, (turn, part), answer)

    return await take_order(request, try_answer)


def _game_in(request: Request) -> int:
    """The number of the game in an address.

    Raises:
        UserError: it is none.
    """
    text = str(request.path_params["place"])
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UserError("games have numbers")
    return int(text)
