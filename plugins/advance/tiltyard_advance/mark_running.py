"""Marking bots: the tests of level after level, hidden tests, games. What can be played at once is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final

from tiltyard_advance.asking import TEST_GAME, map_of
from tiltyard_advance.board_files import write_board_file
from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.mark_keeping import KeptOutcomes
from tiltyard_advance.marking import GAMES, Answer, BotMark, Game, LevelResult, levels_of, may_play, tests_of
from tiltyard_advance.start import START
from tiltyard_engine.host import Host
from tiltyard_engine.host_matches import HostMatch, HostPlayer

ADVANCE: Final = "advance"
REFERENCE: Final = "advance-level-7"
START_MAP: Final = "advance-start"
MANAGER_FAILED: Final = "the referee failed"

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MarkWishes:
    """How to mark."""

    tests: Sequence[LevelTest]
    hidden: Sequence[LevelTest] = ()
    games: int = GAMES
    seed: int = 1
    """Of the first game; of the others the numbers after it."""
    limits: Mapping[str, float] = field(default_factory=dict)
    workers: int = 0


@dataclass(slots=True)
class Marker:
    """Marks bots; results that are kept already are not played again."""

    host: Host
    kept: KeptOutcomes
    wishes: MarkWishes
    show: Tell
    """Told how far it is, often."""
    say: Tell
    """Told of what was found, level by level."""

    def mark(self, bots: Sequence[tuple[BotMark, HostPlayer]]) -> None:
        """Fill in the marks.

        Raises:
            UserError: a match cannot be set up, or results cannot be kept.
        """
        for level in levels_of(self.wishes.tests):
            asked = [(mark, player) for mark, player in bots if all(result.is_complete for result in mark.levels)]
            tests = tests_of(self.wishes.tests, level)
            for (mark, _), result in zip(asked, self._ask(level, asked, tests, f"level {level}"), strict=True):
                mark.levels.append(result)
                self.say(f"{mark.label}: level {level}: {result.passed} of {len(result.answers)} tests")
        if self.wishes.hidden:
            for level in LEVELS:
                asked = [(mark, player) for mark, player in bots if any(result.level == level for result in mark.levels)]
                tests = tests_of(self.wishes.hidden, level)
                for (mark, _), result in zip(asked, self._ask(level, asked, tests, f"hidden, level {level}"), strict=True):
                    if result.answers:
                        mark.hidden.append(result)
        self._play([(mark, player) for mark, player in bots if may_play(mark)])

    def _ask(
        self, level: int, bots: Sequence[tuple[BotMark, HostPlayer]], tests: Sequence[LevelTest], stage: str
    ) -> Iterator[LevelResult]:
        """The results of some tests, bot by bot."""
        matches = [HostMatch(TEST_GAME, TEST_GAME, "test", map_of(test), (player,)) for _, player in bots for test in tests]
        found = self._outcomes(matches, stage)
        for place, _ in enumerate(bots):
            own = found[place * len(tests) : (place + 1) * len(tests)]
            yield LevelResult(level, [_answer(test, outcome) for test, outcome in zip(tests, own, strict=True)])

    def _play(self, bots: Sequence[tuple[BotMark, HostPlayer]]) -> None:
        """The games against level 7; the bot is white in the first, black in the second, and so on."""
        if not bots or not self.wishes.games:
            return
        reference = self.host.find_player(REFERENCE, ADVANCE)
        board = write_board_file(START)
        numbers = range(self.wishes.games)
        matches = [
            HostMatch(
                ADVANCE,
                ADVANCE,
                START_MAP,
                board,
                (reference, player) if number % 2 else (player, reference),
                self.wishes.seed + number,
            )
            for _, player in bots
            for number in numbers
        ]
        found = self._outcomes(matches, "games")
        for place, (mark, _) in enumerate(bots):
            own = found[place * len(numbers) : (place + 1) * len(numbers)]
            mark.games += [_game(number, outcome) for number, outcome in zip(numbers, own, strict=True)]
            self.say(f"{mark.label}: {mark.count('won')} of {len(mark.games)} games won")

    def _outcomes(self, matches: Sequence[HostMatch], stage: str) -> list[dict[str, Any]]:
        """What came of each match, from what is kept or by playing it."""
        keys = self.host.keys(matches, self.wishes.limits) if matches else []
        found = [self.kept.get(key) for key in keys]
        places = [place for place, outcome in enumerate(found) if outcome is None]
        done = len(matches) - len(places)
        self.show(f"{stage}: {done} of {len(matches)}")
        if places:
            missing = [matches[place] for place in places]
            with closing(self.host.play(missing, self.wishes.limits, self.wishes.workers)) as playing:
                for place, outcome in playing:
                    found[places[place]] = self.kept.add(outcome)
                    done += 1
                    self.show(f"{stage}: {done} of {len(matches)}")
        return [outcome for outcome in found if outcome is not None]


def _answer(test: LevelTest, outcome: Mapping[str, Any]) -> Answer:
    got = "".join(outcome["state"])
    message = str(outcome["fault"] or outcome["message"])
    seconds = sum(outcome["seconds"])
    passed = outcome["winner"] == 1 and not outcome["fault"]
    return Answer(test, passed, outcome["reason"], message, got, seconds, outcome["said"], outcome["void"])


def _game(number: int, outcome: Mapping[str, Any]) -> Game:
    side = number % 2
    winner = outcome["winner"]
    word = "tied" if not winner else "won" if winner == side + 1 else "lost"
    seconds = outcome["seconds"][side] if len(outcome["seconds"]) > side else 0.0
    message = f"{outcome['message']} ({outcome['fault']})" if outcome["fault"] else str(outcome["message"])
    return Game(number + 1, side, word, message, outcome["rounds"], seconds, outcome["void"])
