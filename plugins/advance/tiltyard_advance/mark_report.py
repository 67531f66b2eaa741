"""What a marking found, as text for a terminal, as a table of a class, and as values for other programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from tiltyard_advance.board_files import rows_of
from tiltyard_advance.marks import FREE_WINS, GAMES, HONOUR, PER_WIN, SPANS, Answer, BotMark, LevelResult
from tiltyard_advance.moves import COLUMNS, changed_places
from tiltyard_advance.positions import SIDES
from tiltyard_advance.rules import SIZE
from tiltyard_engine.texts.quantities import counted, in_seconds
from tiltyard_engine.texts.sanitize import one_line, quoted
from tiltyard_kit.sheet import Column, Sheet, table_lines

DOCTOR: Final = (
    "'tiltyard doctor' shows which languages' programs start here."
    " 'tiltyard check BOT --manager advance' names what the sandbox denies to one. Then run the same command again."
)
SAID_LINES: Final = 8
"""The number of lines shown of what a failed bot wrote to standard error: the last ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkSheet:
    """A marking: whom, with what, how."""

    marks: Sequence[BotMark]
    tests: str
    """Which public tests, in words."""
    hidden: str = ""
    isolation: str = ""
    """How the bots were isolated."""
    seconds: float = 30.0
    """For a move."""
    startup_seconds: float = 5.0
    """Added to that for a program's first move of a test or game."""
    per_win: float = PER_WIN
    left_out: Sequence[str] = ()
    """Who could not be marked, and why."""

    @property
    def rules(self) -> str:
        """How marks are made, in one sentence."""
        steps = ", ".join(f"level {level} up to {high:g} %" for level, (_, high) in SPANS.items())
        games = f"each win beyond {FREE_WINS} of {GAMES} games adds {self.per_win:g} %, up to 100 %"
        first = f"{in_seconds(self.seconds + self.startup_seconds)} for the first one with the program's start"
        time = f"{in_seconds(self.seconds)} per move, {first}"
        return f"{steps}; then {games}; {time}"


def text_report(sheet: MarkSheet) -> str:
    """A class as a table, one bot as all that is known of it."""
    head = [f"Tests: {sheet.tests}{f'; hidden: {sheet.hidden}' if sheet.hidden else ''}", f"Marks: {sheet.rules}"]
    if sheet.isolation:
        head.append(f"Bot isolation: {sheet.isolation}")
    if len(sheet.marks) == 1:
        body = list(_bot_lines(sheet.marks[0], sheet))
    else:
        body = class_sheet(sheet).lines()
        flagged = [f"{mark.label}: {flag}" for mark in sheet.marks for flag in mark.flags()]
        body += ["", "Check the code of:", *(f"  {line}" for line in flagged)] if flagged else []
        body += [f"{mark.label}: {note}" for mark in sheet.marks for note in mark.notes()]
        body += _advice(sheet.marks)
    left_out = ["", *(f"not marked: {line}" for line in sheet.left_out)] if sheet.left_out else []
    return "\n".join([*head, "", *body, *left_out]) + "\n"


def class_sheet(sheet: MarkSheet) -> Sheet[BotMark]:
    """The table of a class; in a file, who could not be marked has a line too, without a mark."""
    columns = (
        Column[BotMark]("bot", lambda mark: mark.label),
        Column[BotMark]("name", lambda mark: mark.name),
        Column[BotMark]("mark %", lambda mark: f"{mark.percent(sheet.per_win):.1f}", is_number=True),
        *(Column(f"level {level}", partial(_passed, level), is_number=True) for level in SPANS),
        *(Column(outcome, partial(_games, outcome), is_number=True) for outcome in ("won", "tied", "lost")),
        Column[BotMark]("flags", lambda mark: ", ".join(f"hidden {flag.split(':')[0]}" for flag in mark.flags())),
        Column[BotMark]("note", lambda mark: "; ".join(mark.notes()), is_for_files=True),
    )
    parts = [line.partition(": ") for line in sheet.left_out]
    return Sheet(columns, sheet.marks, [{"bot": who, "note": f"not marked: {reason}"} for who, _, reason in parts])


def _passed(level: int, mark: BotMark) -> str:
    return next((f"{result.passed}/{result.tests}" for result in mark.levels if result.level == level), "")


def _games(outcome: str, mark: BotMark) -> str:
    return str(mark.count(outcome)) if mark.games else ""


def games_line(mark: BotMark) -> str:
    """How the games went, in one line."""
    won, tied, lost = (mark.count(outcome) for outcome in ("won", "tied", "lost"))
    sides = ", ".join(f"{mark.count('won', side)} as {SIDES[side]}" for side in (0, 1))
    honour = f"{HONOUR} wins in {GAMES} {'reached' if mark.reached_honour else 'not reached'}"
    return f"{counted(len(mark.games), 'game')} against level 7: {won} won ({sides}), {tied} tied, {lost} lost; {honour}"


def _bot_lines(mark: BotMark, sheet: MarkSheet) -> Iterator[str]:
    own_name = f' (its name for itself is "{mark.name}")' if mark.name else ""
    yield f"{mark.label}{own_name}"
    yield ""
    rows = [("level", "tests", "passed", "mark %")]
    rows += [(str(each.level), str(each.tests), str(each.passed), f"{each.percent:.1f}") for each in mark.levels]
    yield from table_lines(rows, range(4), is_ruled=True)
    yield ""
    if mark.games:
        yield games_line(mark)
    for result in mark.hidden:
        yield f"hidden tests of level {result.level}: {result.passed} of {result.tests} passed"
    for flag in mark.flags():
        yield f"CHECK THE CODE: {flag}"
    for note in mark.notes():
        yield note.replace("not final", "NOT FINAL")
    yield from _advice([mark])
    yield f"MARK: {mark.percent(sheet.per_win):g} %"
    failures = [answer for result in mark.levels for answer in result.failures]
    if failures:
        yield ""
        yield "Brackets mark squares where the expected board and the bot's board differ."
    for answer in failures:
        yield ""
        yield from failure_lines(answer)
    for game in mark.games:
        if game.outcome != "won":
            yield f"game {game.number}, {SIDES[game.side]}: {game.outcome}: {one_line(game.message)}"


def _advice(marks: Sequence[BotMark]) -> Iterator[str]:
    """What to do about bots that never started."""
    marks_with_same_end = [mark for mark in marks if mark.same_end]
    if len(marks_with_same_end) > 1 and len(marks_with_same_end) == len(marks):
        yield f"not final: all {len(marks)} bots ended in the same way in all of their tests: look for what they have in common"
    if marks_with_same_end:
        yield DOCTOR


def failure_lines(answer: Answer) -> Iterator[str]:
    """A failed test: what was wrong, then board, expected and got side by side."""
    yield f"{answer.test.name}, {SIDES[answer.test.side]} to move: {answer.reason}: {one_line(answer.message)}"
    boards = {"board": answer.test.board, "expected": answer.test.expected, **({"got": answer.got} if answer.got else {})}
    marked = {"board": frozenset[int](), "expected": differing(answer), "got": differing(answer)}
    width = 2 * SIZE + 1
    yield f"    {'   '.join(name.center(width) for name in boards)}".rstrip()
    yield f"    {'   '.join(' ' + ' '.join(COLUMNS) + ' ' for _ in boards)}".rstrip()
    for row in range(SIZE):
        yield f"  {row + 1} {'   '.join(_row(text, row, marked[name]) for name, text in boards.items())}".rstrip()
    if answer.stderr:
        yield quoted(answer.stderr, "    | ", SAID_LINES)


def differing(answer: Answer) -> frozenset[int]:
    """The places in which what was expected differs from what came, or from the position where nothing came."""
    other = answer.got or answer.test.board
    return frozenset(changed_places(answer.test.expected, other))


def _row(board: str, row: int, marked: frozenset[int]) -> str:
    """Nine squares with a space between them; marked ones in brackets, which neighbours share as ``|``."""
    line = rows_of(board)[row]
    gaps = []
    for column in range(SIZE + 1):
        before, after = (0 <= place < SIZE and row * SIZE + place in marked for place in (column - 1, column))
        gaps.append("|" if before and after else "]" if before else "[" if after else " ")
    return "".join(f"{gap}{sign}" for gap, sign in zip(gaps, line, strict=False)) + gaps[-1]


def json_report(sheet: MarkSheet) -> dict[str, Any]:
    """The whole mark sheet as values for JSON, for programs."""
    return {
        "tests": sheet.tests,
        "hidden_tests": sheet.hidden,
        "held": sheet.isolation,
        "seconds_a_move": sheet.seconds,
        "startup_seconds": sheet.startup_seconds,
        "percent_a_win": sheet.per_win,
        "bots": [_bot_value(mark, sheet.per_win) for mark in sheet.marks],
        "left_out": list(sheet.left_out),
    }


def _bot_value(mark: BotMark, per_win: float) -> dict[str, Any]:
    return {
        "bot": mark.label,
        "name": mark.name,
        "percent": round(mark.percent(per_win), 3),
        "level": mark.level,
        "is_final": mark.is_final,
        "notes": mark.notes(),
        "levels": [_level_value(result) for result in mark.levels],
        "hidden": [_level_value(result) for result in mark.hidden],
        "flags": mark.flags(),
        "games": {
            "played": len(mark.games),
            **{outcome: mark.count(outcome) for outcome in ("won", "tied", "lost")},
            "reached_90": mark.reached_honour,
            "each": [
                {
                    "number": game.number,
                    "side": SIDES[game.side],
                    "outcome": game.outcome,
                    "message": game.message,
                    "plies": game.plies,
                    "seconds": game.seconds,
                }
                for game in mark.games
            ],
        },
    }


def _level_value(result: LevelResult) -> dict[str, Any]:
    return {
        "level": result.level,
        "tests": result.tests,
        "not_asked": result.unasked,
        "passed": result.passed,
        "percent": round(result.percent, 3),
        "slowest_seconds": max((answer.seconds for answer in result.answers), default=0.0),
        "failures": [
            {
                "test": answer.test.name,
                "side": SIDES[answer.test.side],
                "board": list(rows_of(answer.test.board)),
                "expected": list(rows_of(answer.test.expected)),
                "got": list(rows_of(answer.got)) if answer.got else None,
                "reason": answer.reason,
                "message": answer.message,
                "stderr": answer.stderr,
            }
            for answer in result.failures
        ],
    }
