"""Marking bots: the tests of level after level, hidden tests, games. What can be played at once is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, Final

from tiltyard_advance.board_files import write_board_file
from tiltyard_advance.level_test_game import TEST_GAME, map_of
from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.manager import TIMEOUT
from tiltyard_advance.marks import GIVE_UP, Answer, BotMark, Game, LevelResult, levels_of, may_play, tests_of
from tiltyard_advance.name_game import NAME_GAME, NAME_MAP
from tiltyard_advance.outcome_file import OutcomeFile
from tiltyard_advance.positions import START
from tiltyard_engine.host import Host, HostMatch, HostPlayer
from tiltyard_engine.programs import DENIED
from tiltyard_engine.texts.sanitize import with_own_options
from tiltyard_engine.texts.time_left import TimeLeft

ADVANCE: Final = "advance"
REFERENCE: Final = "advance-level-7"
START_MAP: Final = "advance-start"
NAMES: Final = "names"
GAMES_STAGE: Final = "games"
OPTIONS: Final = {"move_seconds": "--seconds", "wall_factor": "--seconds"}
"""Of 'tiltyard mark advance', for its limits."""
NAME_LIMITS: Final = {"move_seconds": 2.0, "startup_seconds": 2.0, "wall_factor": 3.0}

Bot = tuple[BotMark, HostPlayer]


@dataclass(slots=True, kw_only=True)
class Marker:
    """Marks bots; matches whose outcomes are in the file are not played again."""

    host: Host
    outcome_file: OutcomeFile
    show: Callable[[str], None]
    """Called with the progress, often."""
    say: Callable[[str], None]
    """Called with the results, level by level."""
    tests: Sequence[LevelTest]
    hidden: Sequence[LevelTest]
    games: int
    seed: int
    """Of the first game; of the others the numbers after it."""
    limits: Mapping[str, float]
    workers: int
    give_up: int = GIVE_UP
    """A bot is not asked more tests of a level after so many timeouts in a row; 0: it is asked all."""
    _outcomes: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)
    """By key: those from the file and new ones, also void ones."""
    _keys: dict[tuple[str, str], list[str]] = field(default_factory=dict, init=False)
    """What a bot is asked in a stage, by its label and the stage's name; nothing where the stage has not begun."""

    def mark(self, bots: Sequence[Bot]) -> None:
        """Fill in the marks. After an error or Ctrl-C they hold the results until then, and say that they are not final.

        Raises:
            UserError: a match cannot be set up, or results cannot be saved.
        """
        try:
            self._ask_all(bots)
            self._find_denials(bots)
        finally:
            for mark, _ in bots:
                self._fill(mark)
                if mark.same_end:
                    # The same command asks again, once the machine works again.
                    self.outcome_file.forget(key for (label, _), keys in self._keys.items() if label == mark.label for key in keys)

    def _find_denials(self, bots: Sequence[Bot]) -> None:
        """Ask programs that always ended in the same way once more, watched: what was denied to them may be the reason."""
        level, *_ = levels_of(self.tests)
        tests = tests_of(self.tests, level)
        suspects = [
            (mark, player)
            for mark, player in bots
            if player.reference.program is not None
            and BotMark(label=mark.label, levels=[self._result(mark, _stage(level), level, tests)]).same_end
        ]
        questions = [replace(_test_questions(tests[:1], player)[0], watch_denials=True) for _, player in suspects]
        with closing(self.host.play(questions, self.limits, self.workers)) as playing:
            for record in playing:
                message = next((fault.message for fault in record.faults if fault.seat), "")
                _, word, what = message.partition(DENIED)
                suspects[record.place][0].denied = word + what

    @property
    def isolation(self) -> str:
        """How the bots' code was isolated in their tests, in words."""
        stages = {_stage(level) for level in LEVELS}
        keys = chain.from_iterable(keys for (_, stage), keys in self._keys.items() if stage in stages)
        return "; ".join(sorted({word for key in keys for word in self._outcomes.get(key, {}).get("held", [])}))

    # Asking

    def _ask_all(self, bots: Sequence[Bot]) -> None:
        self.host.preload(player for _, player in bots)
        programs = [(mark, player) for mark, player in bots if player.reference.program is not None]
        self._play(NAMES, programs, _name_questions, NAME_LIMITS)
        bots_by_level: dict[int, Sequence[Bot]] = {}
        bots_left = bots
        for level in levels_of(self.tests):
            bots_by_level[level] = bots_left
            tests = tests_of(self.tests, level)
            self._play(_stage(level), bots_left, partial(_test_questions, tests), self.limits)
            results = [self._result(mark, _stage(level), level, tests) for mark, _ in bots_left]
            for (mark, _), result in zip(bots_left, results, strict=True):
                given_up = f"; given up after {self.give_up} timeouts in a row" if result.is_given_up else ""
                self.say(f"{mark.label}: level {level}: {result.passed} of {result.tests} tests{given_up}")
            bots_left = [bot for bot, result in zip(bots_left, results, strict=True) if result.is_complete]
        for level in sorted({test.level for test in self.hidden}):
            tests = tests_of(self.hidden, level)
            self._play(_stage(level, hidden=True), bots_by_level.get(level, ()), partial(_test_questions, tests), self.limits)
        if levels_of(self.tests) == list(LEVELS) and bots_left and self.games:
            self._play(GAMES_STAGE, bots_left, self._game_questions, self.limits)
            for mark, _ in bots_left:
                won = [game.outcome for game in self._games(mark)].count("won")
                self.say(f"{mark.label}: {won} of {self.games} games won")

    def _play(
        self, stage: str, bots: Sequence[Bot], questions: Callable[[HostPlayer], list[HostMatch]], limits: Mapping[str, float]
    ) -> None:
        """Get the outcomes that are missing."""
        matches = {mark.label: questions(player) for mark, player in bots}
        keys = self.host.keys(list(chain.from_iterable(matches.values())), limits) if matches else []
        rest = iter(keys)
        for label, bot_matches in matches.items():
            self._keys[label, stage] = [next(rest) for _ in bot_matches]
        for key in keys:
            if (outcome := self.outcome_file.get(key)) is not None:
                self._outcomes.setdefault(key, outcome)
        pace = TimeLeft()
        self._show(stage, matches, pace)
        with closing(self.host.play(self._missing(stage, matches), limits, self.workers)) as playing:
            for record in playing:
                self._outcomes[record.key] = self.outcome_file.add(record)
                pace.count()
                self._show(stage, matches, pace)

    def _missing(self, stage: str, matches: Mapping[str, Sequence[HostMatch]]) -> Iterator[HostMatch]:
        """What is still to be played; decided when its turn comes, as a bot may have been given up until then."""
        keys_so_far: set[str] = set()
        for label, bot_matches in matches.items():
            keys = self._keys[label, stage]
            for place, (match, key) in enumerate(zip(bot_matches, keys, strict=True)):
                if place >= self._number_that_counts(keys):
                    break
                if key not in self._outcomes and key not in keys_so_far:
                    keys_so_far.add(key)
                    yield match

    def _show(self, stage: str, labels: Mapping[str, object], pace: TimeLeft) -> None:
        keys = [key for label in labels for key in self._keys[label, stage][: self._number_that_counts(self._keys[label, stage])]]
        number_left = sum(key not in self._outcomes for key in keys)
        text = pace.text(number_left)
        self.show(f"{stage}: {len(keys) - number_left} of {len(keys)}{f', {text}' if text else ''}")

    def _number_that_counts(self, keys: Sequence[str]) -> int:
        """How many of the questions count: all, or those up to the timeout after which the bot is given up.

        The order is that of the tests, whatever ended first: so the mark doesn't depend on the number of workers.
        """
        late = 0
        for number, key in enumerate(keys, start=1):
            outcome = self._outcomes.get(key)
            late = late + 1 if outcome is not None and outcome["reason"] == TIMEOUT else 0
            if self.give_up and late == self.give_up:
                return number
        return len(keys)

    def _game_questions(self, player: HostPlayer) -> list[HostMatch]:
        """The games against level 7; the bot is white in the first, black in the second, and so on."""
        reference = self.host.find_player(REFERENCE, ADVANCE)
        board = write_board_file(START)
        return [
            HostMatch(
                game=ADVANCE,
                manager=ADVANCE,
                map_name=START_MAP,
                map_data=board,
                players=(reference, player) if number % 2 else (player, reference),
                seed=self.seed + number,
            )
            for number in range(self.games)
        ]

    # Results

    def _fill(self, mark: BotMark) -> None:
        """Fill in a bot's mark from the outcomes of its matches."""
        mark.name = next((outcome["state"][0] for outcome in self._outcomes_of(mark, NAMES) if outcome["state"]), "")
        is_over = True
        for level in levels_of(self.tests):
            result = self._result(mark, _stage(level), level, tests_of(self.tests, level))
            is_over = not result.is_unfinished
            if result.answers or not mark.levels:
                mark.levels.append(result)
            if not result.is_complete:
                break
        for level in sorted({test.level for test in self.hidden} & {result.level for result in mark.levels}):
            result = self._result(mark, _stage(level, hidden=True), level, tests_of(self.hidden, level))
            is_over = is_over and not result.is_unfinished
            if result.answers:
                mark.hidden.append(result)
        mark.games = self._games(mark)
        mark.is_stopped = not is_over or (may_play(mark) and len(mark.games) < self.games)

    def _outcomes_of(self, mark: BotMark, stage: str) -> list[dict[str, Any]]:
        keys = self._keys.get((mark.label, stage), [])
        return [self._outcomes[key] for key in keys if key in self._outcomes]

    def _result(self, mark: BotMark, stage: str, level: int, tests: Sequence[LevelTest]) -> LevelResult:
        keys = self._keys.get((mark.label, stage), [])
        counted = self._number_that_counts(keys)
        answers = [
            _answer(test, self._outcomes[key]) for test, key in zip(tests, keys[:counted], strict=False) if key in self._outcomes
        ]
        return LevelResult(level, answers, unasked=len(tests) - len(answers), is_given_up=counted < len(keys))

    def _games(self, mark: BotMark) -> list[Game]:
        keys = self._keys.get((mark.label, GAMES_STAGE), [])
        return [_game(number, self._outcomes[key]) for number, key in enumerate(keys) if key in self._outcomes]


def _stage(level: int, *, hidden: bool = False) -> str:
    return f"hidden, level {level}" if hidden else f"level {level}"


def _name_questions(player: HostPlayer) -> list[HostMatch]:
    return [HostMatch(game=NAME_GAME, manager=NAME_GAME, map_name="name", map_data=NAME_MAP, players=(player,))]


def _test_questions(tests: Sequence[LevelTest], player: HostPlayer) -> list[HostMatch]:
    return [
        HostMatch(game=TEST_GAME, manager=TEST_GAME, map_name="test", map_data=map_of(test), players=(player,)) for test in tests
    ]


def _answer(test: LevelTest, outcome: Mapping[str, Any]) -> Answer:
    board = "".join(outcome["state"])
    message = with_own_options(str(outcome["fault"] or outcome["message"]), OPTIONS)
    seconds = sum(outcome["seconds"])
    passed = outcome["winner"] == 1 and not outcome["fault"]
    return Answer(
        test=test,
        passed=passed,
        reason=outcome["reason"],
        message=message,
        got=board,
        seconds=seconds,
        stderr=outcome["said"],
        is_void=outcome["void"],
    )


def _game(number: int, outcome: Mapping[str, Any]) -> Game:
    side = number % 2
    winner = outcome["winner"]
    word = "tied" if not winner else "won" if winner == side + 1 else "lost"
    seconds = outcome["seconds"][side] if len(outcome["seconds"]) > side else 0.0
    message = f"{outcome['message']} ({outcome['fault']})" if outcome["fault"] else str(outcome["message"])
    return Game(
        number=number + 1,
        side=side,
        outcome=word,
        message=with_own_options(message, OPTIONS),
        plies=outcome["rounds"],
        seconds=seconds,
        is_void=outcome["void"],
    )
