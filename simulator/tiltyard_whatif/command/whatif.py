"""``tiltyard whatif``: another answer is put into a match that was played."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_checks.runs.file_or_folder import FileOrFolder
from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render
from tiltyard_simulator.replays.files import is_replay, write_replay
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_whatif.destroyed import tank_numbers
from tiltyard_whatif.playing import Course, Point, Rematch, TeamAnswer, check_same, first_difference, point_in_words
from tiltyard_whatif.stored import MoreQuestions, StoredGame, TeamChoice, games_of_run, played_again
from tiltyard_whatif.versions import answers_of, versions_of
from tiltyard_whatif.words import chance_in_words, result_in_words

app = application()

MOST_SHOWN: Final = 12
"""Other answers of a turn that a table for people lists."""
_PART: Final = re.compile(r"\s*(\d+)\s*:\s*(.*)")


@app.command()
def whatif(
    *,
    options: FileOrFolder,
    match: Annotated[
        str, typer.Option("--match", help="The match's number in the schedule, or the start of its key.", show_default=False)
    ] = "",
    team: TeamChoice = None,
    turn: Annotated[
        int | None,
        typer.Option("--turn", min=1, help="The turn, as replays count it. Without it, the turns are listed.", show_default=False),
    ] = None,
    answer: Annotated[
        str | None,
        typer.Option(
            "--answer",
            help="The answer that the game gets instead, as the list writes it. '2: shoot' is for the team's second tank.",
            show_default=False,
        ),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            "--replay",
            help="Write a replay with this answer to this file. It is compressed if its name ends in .zst.",
            show_default=False,
        ),
    ] = None,
    more: MoreQuestions,
    style: TableFormat = "simple",
) -> None:
    """Put a different answer into a match, and see the result. Without --turn and --answer, list the turns of a team.

    The match is played again by the same programs, with the same seed and limits, and must be the recorded one byte for byte. At
    the turn, the team is asked as before, but the game gets your answer. Then all programs play on. The teams must have the same
    code as in the match, and it must be deterministic.

    \b
    Examples:
      tiltyard whatif cup.yaml --match 12 --team acorn
      tiltyard whatif cup.yaml --match 12 --team acorn --version old/acorn/
      tiltyard whatif cup.yaml --match 12 --team acorn --turn 41 --answer "move forward"
      tiltyard whatif cup.yaml --match 12 --team acorn --turn 41 --answer "2: shoot" --replay other.jsonl
    """
    if (turn is None) != (answer is None):
        missing, other = ("--answer", "--turn") if answer is None else ("--turn", "--answer")
        raise UserError(f"{missing} is missing: {other} needs it, or leave both out to list the turns")
    if replay is not None:
        if turn is None:
            raise UserError(f"--replay {replay}: also needs --turn and --answer")
        check_output(replay, "a replay", is_replay)
    if more.versions and turn is not None:
        raise UserError(f"--version {more.versions[0]}: is for the list of turns; leave out --turn and --answer")
    with games_of_run(options) as games:
        if not match:
            raise UserError(f"say which match with --match; 'tiltyard replay {options.words}' lists them")
        game, policy = games.game(match), games.isolation_policy
    seat = game.seat_of(team)
    with Rematch(game.spec, seat) as rematch:
        recorded = played_again(game, rematch)
        if turn is None or answer is None:
            others = versions_of(more.versions or (), game.spec, seat, policy)
            _list(rematch, recorded, style, {name: answers_of(each, seat, recorded)[0] for name, each in others.items()})
            return
        decision, text = _decision(game, recorded, seat, turn, answer)
        text = _checked(rematch, decision, text)
        changed = rematch.play({decision.point: text})
        tanks = tank_numbers(recorded.replay, seat) if rematch.has_parts else []
        often = (
            [rematch.frequency(decision.point, put_in, more.seeds) for put_in in ({}, {decision.point: text})] if more.seeds else []
        )
    check_same(recorded.replay, changed, before=decision.turn)
    print("\n".join(_comparison(decision, text, recorded, changed, seat, tanks)))
    if often:
        print(f"  {chance_in_words(text, *often)}")
    if replay is not None:
        changed.replay.message = public_text(changed.replay.message)
        size = write_replay(replay, changed.replay)
        print(f"{replay}: {counted(len(changed.replay.frames), 'round')}, {size:,} bytes")


def _list(rematch: Rematch, recorded: Course, style: str, versions: Mapping[str, Mapping[Point, str]]) -> None:
    is_for_programs = style in PROGRAM_FORMATS
    parts, word = any(decision.part > 1 for decision in recorded.decisions), "its tank" if rematch.has_parts else "number"
    rows: list[tuple[str | int, ...]] = []
    for decision in recorded.decisions:
        others = [text for text in rematch.choices.texts(decision.view, rematch.seat) if text != decision.answer]
        listing = (
            others
            if is_for_programs or len(others) <= MOST_SHOWN
            else [*others[:MOST_SHOWN], f"and {len(others) - MOST_SHOWN} more"]
        )
        answers = [one_line(answers.get(decision.point, "")) for answers in versions.values()]
        place = (decision.turn, *([decision.part] if parts else []))
        rows.append((*place, one_line(decision.answer), *answers, one_line(", ".join(listing))))
    if not is_for_programs:
        print(f"{rematch.spec.input.title}: {one_line(result_in_words(recorded.outcome, rematch.seat))}\n")
    print(render(("turn", *([word] if parts else []), "answer", *map(one_line, versions), "other answers"), rows, style))


def _decision(game: StoredGame, recorded: Course, seat: int, turn: int, answer: str) -> tuple[TeamAnswer, str]:
    """The decision that is meant, and the answer without its part."""
    name = game.spec.input.names[seat - 1]
    decisions = [decision for decision in recorded.decisions if decision.turn == turn]
    if not decisions:
        raise UserError(f"--turn {turn}: {name} gives no answer in turn {turn} of this match{_nearest(recorded.decisions, turn)}")
    prefix = _PART.fullmatch(answer)
    if prefix is not None:
        part = int(prefix[1])
        for decision in decisions:
            if decision.part == part:
                return decision, prefix[2]
        raise UserError(
            f"--answer {answer}: in turn {turn}, there is no answer {part}, only {', '.join(str(each.part) for each in decisions)}"
        )
    if len(decisions) > 1:
        parts = ", ".join(f"'{each.part}: {answer}'" for each in decisions)
        raise UserError(f"--answer {answer}: {name} gives {len(decisions)} answers in turn {turn}; say which one: {parts}")
    return decisions[0], answer


def _nearest(decisions: Sequence[TeamAnswer], turn: int) -> str:
    turns = sorted({decision.turn for decision in decisions}, key=lambda each: (abs(each - turn), each))
    return f"; the nearest turns are {' and '.join(map(str, sorted(turns[:2])))}" if turns else ": it was never asked"


def _checked(rematch: Rematch, decision: TeamAnswer, text: str) -> str:
    """The words of the list for an answer that was typed."""
    try:
        answer = rematch.choices.answer(text, decision.view, rematch.seat)
    except ValueError as error:
        raise UserError(f"--answer {text}: in {point_in_words(decision.point)}, {error}") from error
    return rematch.choices.text(answer, decision.view, rematch.seat)


def _comparison(decision: TeamAnswer, text: str, recorded: Course, other: Course, seat: int, tanks: Sequence[int]) -> list[str]:
    name = one_line(recorded.outcome.teams[seat - 1])
    where = point_in_words(decision.point, tanks)
    before, after = (one_line(result_in_words(course.outcome, seat)) for course in (recorded, other))
    lines = [
        f"{where}: {name} answered '{one_line(decision.answer)}'; with '{one_line(text)}' instead:",
        f"  before: {before} (after {counted(len(recorded.replay.frames), 'turn')})",
        f"  after:  {after} (after {counted(len(other.replay.frames), 'turn')})",
    ]
    first = first_difference(recorded.replay, other.replay)
    if first is None:
        return [*lines, "  nothing else changed: both matches are the same"]
    same = "the result is the same" if recorded.outcome.ranks == other.outcome.ranks else "the result changes"
    opponents = "this opponent" if len(recorded.outcome.ranks) == 2 else "these opponents"
    return [*lines, f"  the first turn that differs is {first}; {same}, against {opponents}, as the programs are"]
