"""Which recorded matches are asked, within a budget of CPU time, and the files in which answers lie until they are wanted again."""

from __future__ import annotations

import atexit
import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_alike.asking import AskedPosition, Questioner, TeamAnswers, asking
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_simulator.match.key import KeyMaker
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.result_files import write_over
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

FOLDER: Final = "alike"
"""Of a tournament's output: nothing in it is published."""
ASKED_TWICE: Final = 3
"""Of so many matches, one is put to every team twice, so that teams that answer by chance are known."""


class AskedMatch(msgspec.Struct, frozen=True):
    """A match with the answers of all who were asked."""

    key: str
    title: str
    teams: tuple[str, ...]
    """Who played it, seat 1 first."""
    positions: tuple[AskedPosition, ...]
    answers: dict[str, TeamAnswers]
    """By what teams are called."""
    again: dict[str, TeamAnswers]
    """The second time."""


class _Notes(msgspec.Struct):
    """The file of a match. Answers lie under a hash over all that they depend on."""

    positions: tuple[AskedPosition, ...] = ()
    answers: dict[str, TeamAnswers] = {}
    again: dict[str, TeamAnswers] = {}


@dataclass(frozen=True, slots=True)
class AskingLimits:
    """When it is enough."""

    cpu_seconds: float = inf
    """No team is asked any more after so many; answers of an earlier look cost nothing."""
    positions: int = sys.maxsize
    """No further match is asked after so many."""


@dataclass(frozen=True, slots=True)
class MatchQuestions:
    """A match, and all who are asked."""

    spec: MatchSpec
    askings: tuple[tuple[str, str, MatchSpec], ...]
    """Of each team: what it is called, the hash of its answers, and the match with it in all seats."""
    is_asked_twice: bool
    file: Path


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What is known of a match."""

    match: AskedMatch
    is_whole: bool
    """Whether all were asked before the time was over."""
    seconds: float
    """CPU time of this look."""


def matches_to_ask(specs: Sequence[MatchSpec], outcomes: Sequence[Outcome]) -> list[MatchSpec]:
    """The matches that count and in which nobody failed, in an order in which all teams' games come equally early."""
    pairs = [
        spec
        for spec, outcome in zip(specs, outcomes, strict=True)
        if outcome.counts and not outcome.faults and not outcome.is_forfeit
    ]
    pairs.sort(key=lambda spec: hashlib.blake2b(spec.place.key.encode()).digest())
    games: Counter[str] = Counter()
    levels: dict[int, int] = {}
    for at, spec in enumerate(pairs):
        games.update(set(spec.input.names))
        levels[at] = max(games[name] for name in spec.input.names)
    return [pairs[at] for at in sorted(levels, key=lambda at: (levels[at], at))]


def questions(
    specs: Iterable[MatchSpec], teams: Mapping[str, Reference], policy: IsolationPolicy, folder: Path
) -> Iterator[MatchQuestions]:
    """What is asked, match by match.

    Args:
        specs: the matches.
        teams: who is asked, by what they are called.
        policy: how their code is held.
        folder: the tournament's output folder.

    Raises:
        UserError: a team's files can't be read, or its code can't be confined on this machine.
    """
    keys = KeyMaker()
    for number, spec in enumerate(specs):
        askings = []
        for name, team in teams.items():
            own = asking(spec, team, policy.apply)
            digest = hashlib.blake2b(f"{spec.place.key} {keys.key(own)}".encode(), digest_size=16).hexdigest()
            askings.append((name, digest, own))
        yield MatchQuestions(spec, tuple(askings), number % ASKED_TWICE == 0, folder / FOLDER / f"{spec.place.key}.json")


def ask_all(
    questions: Iterable[MatchQuestions],
    game: Reference,
    bounds: AskingLimits,
    workers: int,
    tell: Callable[[QuestionResult, float], object],
) -> list[AskedMatch]:
    """Ask until all is known or the time is over.

    Args:
        questions: what is asked.
        game: of all of them.
        bounds: when it is enough.
        workers: processes that ask at once.
        tell: hears of each match, and the CPU seconds so far.

    Returns:
        The matches that at least two were asked, in the order of the questions.

    Raises:
        UserError: a match can't be played, or a file can't be written.
    """
    spent, positions = 0.0, 0
    matches: list[AskedMatch] = []
    source = iter(questions)
    with _pool(game, workers) as submit:
        running: list[Callable[[], QuestionResult]] = []
        while True:
            while spent < bounds.cpu_seconds and positions < bounds.positions and len(running) < workers:
                question = next(source, None)
                if question is None:
                    break
                running.append(submit(question, (bounds.cpu_seconds - spent) / workers))
            if not running:
                break
            result = running.pop(0)()
            spent += result.seconds
            positions += len(result.match.positions)
            if len(result.match.answers) > 1:
                matches.append(result.match)
            tell(result, spent)
    return matches


_Submit = Callable[[MatchQuestions, float], Callable[[], QuestionResult]]


@contextmanager
def _pool(game: Reference, workers: int) -> Iterator[_Submit]:
    if workers == 1:
        with Questioner(game.load_as(Game)) as questioner:
            yield lambda question, seconds: lambda: answer(question, questioner, seconds)
        return
    pool: Executor
    with ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (game,)) as pool:
        yield lambda question, seconds: pool.submit(_answer_in_worker, question, seconds).result


_WORKER: list[Questioner] = []
"""In a worker: what it asks with, for as long as it lives."""


def _start_worker(game: Reference) -> None:
    questioner = Questioner(game.load_as(Game))
    atexit.register(questioner.__exit__)
    _WORKER.append(questioner)


def _answer_in_worker(question: MatchQuestions, seconds: float) -> QuestionResult:
    return answer(question, _WORKER[0], seconds)


def answer(question: MatchQuestions, questioner: Questioner, cpu_seconds: float) -> QuestionResult:
    """Ask everybody whose answers aren't known yet.

    Args:
        question: the match, and who is asked.
        questioner: asks.
        cpu_seconds: no team is asked any more after so many.

    Raises:
        UserError: the match can't be played, or the file can't be written.
    """
    notes, spent = _read(question.file), 0.0
    tasks = [(name, digest, own, notes.answers) for name, digest, own in question.askings]
    if question.is_asked_twice:
        tasks += [(name, digest, own, notes.again) for name, digest, own in question.askings]
    missing = [task for task in tasks if task[1] not in task[3]]
    if missing:
        course = questioner.course(question.spec)
        spent += course.seconds
        if course.positions != notes.positions:
            # The game or a team of it isn't deterministic: what was answered before was to other positions.
            notes = _Notes(course.positions)
            missing = [(*task[:3], notes.answers if at < len(question.askings) else notes.again) for at, task in enumerate(tasks)]
        while missing and spent < cpu_seconds:
            _, digest, own, answers = missing.pop(0)
            answers[digest] = questioner.ask(own, course)
            spent += answers[digest].seconds
        _write(question.file, notes)
    match = AskedMatch(
        question.spec.place.key,
        question.spec.input.title,
        question.spec.input.names,
        notes.positions,
        *(
            {name: answers[digest] for name, digest, _ in question.askings if digest in answers}
            for answers in (notes.answers, notes.again)
        ),
    )
    return QuestionResult(match, not missing, spent)


def _read(path: Path) -> _Notes:
    """What is known already; nothing if there is nothing of use."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Notes)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return _Notes()


def _write(path: Path, notes: _Notes) -> None:
    Path(path.parent).mkdir(exist_ok=True, parents=True)
    write_over(path, msgspec.json.encode(notes).decode())
