"""Properties of what is recorded of a match, and of how it looks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tiltyard_engine.replay import SHAPES, Frame, Replay, SquareStyle, Theme
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.value_types import same_value
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, NotShown, Violation

COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}")
GLYPH_COLUMNS: Final = 2
LAST_BOARD: Final = "give GameResult the last board as final_state, a string a row"


def replays(bench: Bench) -> str:
    """The replay rebuilds the end, and recording a match changes nothing."""
    run = bench.sound
    silent = bench.play(replace(bench.match(), records=False)).record.claim
    if replace(silent, log="") != replace(run.record.claim, log=""):
        raise Violation(
            f"a match that is not recorded ends differently: {_difference(silent, run.record.claim)}",
            bench.manager.create,
            "recorder.active and match.verbose may decide what is written, never what happens",
        )
    replay = run.record.replay
    if replay is None:
        raise NotApplicable("nothing is recorded, so its matches can't be watched: call match.recorder.start() and frame()")
    _check_scores(replay, run.record.claim, bench)
    if not replay.frames:
        raise NotShown("no frame was recorded: nothing rebuilds the end", "call match.recorder.frame() after each round")
    end = run.record.claim.final_state
    rows = replay.rows_after(len(replay.frames))
    if rows and end and rows != end:
        line = next(
            (number for number, pair in enumerate(zip(rows, end, strict=False)) if pair[0] != pair[1]), min(len(rows), len(end))
        )
        recorded, claimed = (repr(lines[line]) if line < len(lines) else "nothing" for lines in (rows, end))
        raise Violation(
            f"row {line + 1} of the last board is {recorded} in the replay, but {claimed} in the result's final_state",
            bench.manager.create,
            "record every square that changes; a token's first character is the plain view that final_state has",
        )
    if rows and not end:
        raise NotShown("the result's final_state is empty: the last board of the replay has nothing to equal", LAST_BOARD)
    if rows and not any(frame.changes for frame in replay.frames):
        raise NotShown(
            f"none of {len(replay.frames)} frames changes the board: that the replay rebuilds the end is not shown",
            "record every square that changes: match.recorder.frame(changes), where one is (square, token)",
        )
    compared = "the last board is final_state" if rows and end else "no board to compare"
    return f"{len(replay.frames)} frames; {compared}; the same when it is not recorded"


def _difference(one: GameResult, other: GameResult) -> str:
    for name in ("winner", "reason", "rounds", "ranks", "scores", "final_state", "message"):
        first, second = getattr(one, name), getattr(other, name)
        if first != second:
            return f"{name} is {first!r:.80} and not {second!r:.80}"
    return "in its details"


def _check_scores(replay: Replay, claim: GameResult, bench: Bench) -> None:
    last: Frame | None = None
    for number, frame in enumerate(replay.frames, start=1):
        if frame.scores and len(frame.scores) != bench.seats:
            raise Violation(
                f"frame {number} has {len(frame.scores)} scores for {bench.seats} players",
                bench.manager.create,
                "give one to each seat",
            )
        last = frame if frame.scores else last
    if last is not None and claim.scores and tuple(last.scores) != tuple(claim.scores):
        raise Violation(
            f"the last scores of the replay are {last.scores!r:.60}, those of the result {claim.scores!r:.60}",
            bench.manager.create,
            "record the scores of the last round, too",
        )


def theme(bench: Bench) -> str:
    """What is recorded on a board has a theme, and the theme can be drawn."""
    replay = bench.sound.record.replay
    if replay is None:
        raise NotApplicable("nothing is recorded: see 'replay'")
    declared = bench.game.display.theme
    if declared is None and not replay.squares:
        raise NotApplicable("there is no board, and panels need no theme")
    if declared is None:
        raise Violation(
            "there is no theme: viewers show the board as plain letters, all in one colour",
            bench.declaration,
            "give the game display=GameDisplay(theme=Theme(styles={token: SquareStyle(...)}))",
        )
    for token, style in declared.styles.items():
        for problem in _style_problems(style):
            advice = "see 'python -m pydoc tiltyard_engine.SquareStyle'"
            raise Violation(f"the style of {token!r} {problem}", bench.declaration, advice)
    for color in declared.seat_colors:
        if not COLOR.fullmatch(color):
            raise Violation(f"the seat colour {color!r} is not #rrggbb", bench.declaration)
    colors = declared.seat_colors[: bench.game.seats[-1]]
    for seat, color in enumerate(colors, start=1):
        if color in colors[: seat - 1]:
            raise Violation(
                f"players {colors.index(color) + 1} and {seat} have the same colour, {color}: nobody can tell them apart",
                bench.declaration,
                "give each seat a colour of its own, or none at all: viewers then use theirs",
            )
    return _styled(replay, declared, bench)


def _style_problems(style: SquareStyle) -> Iterator[str]:
    if not style.glyph:
        yield "has no glyph"
    if not (len(style.plain) == GLYPH_COLUMNS and style.plain.isascii()):
        yield f"has plain={style.plain!r}, expected two ASCII characters"
    if style.shape and style.shape not in SHAPES:
        yield f"has the shape {style.shape!r}, expected one of {', '.join(SHAPES)}"
    if style.turn not in range(8):
        yield f"has turn={style.turn}, expected eighths from 0 to 7"
    for name in ("foreground", "background", "floor", "ring", "dot"):
        color = getattr(style, name)
        if color and not COLOR.fullmatch(color):
            yield f"has {name}={color!r}, expected #rrggbb"


def _styled(replay: Replay, declared: Theme, bench: Bench) -> str:
    tokens = {*replay.squares, *(token for frame in replay.frames for _, token in frame.changes)}
    bare = sorted(tokens - set(declared.styles))
    note = f"; shown as they are: {' '.join(map(repr, bare[:8]))}{' ...' if len(bare) > 8 else ''}" if bare else ""
    # Characters with the seats' colours alone are a choice, such as for a board that is a text.
    if tokens and len(bare) == len(tokens) and (declared.styles or not declared.seat_colors):
        raise Violation(
            f"none of the {len(tokens)} tokens has a style: viewers show the board as plain letters",
            bench.declaration,
            f"give Theme(styles=...) a SquareStyle for each: {' '.join(map(repr, bare[:8]))}",
        )
    if not tokens:
        return f"no board; {len(declared.seat_colors) or 'no'} seat colours"
    return f"{len(tokens) - len(bare)} of {len(tokens)} tokens have a style{note}"


def truncation(bench: Bench) -> str:
    """A shortened match goes as the whole one did, and ends in time."""
    truncate = bench.game.maps.truncate
    if truncate is None:
        raise NotApplicable("the game can't be shortened: GameMaps(truncate=...) is not given")
    whole = bench.sound
    rounds = whole.record.claim.rounds
    tried = sorted({1, rounds // 2} - {0, rounds})
    if not tried:
        raise NotShown(f"the match has {rounds} rounds, too few to shorten it", "name a map whose match is longer: --map")
    for limit in tried:
        short = bench.play(replace(bench.match(), rounds=limit))
        if short.error is not None or short.record.faults:
            raise Violation(f"shortened to {limit} rounds, the match fails: {short.record.message}", truncate)
        if short.record.claim.rounds > limit:
            raise Violation(
                f"shortened to {limit} rounds, the match has {short.record.claim.rounds}",
                truncate,
                "truncate(map, rounds) returns a map whose match ends after this many rounds",
            )
        if short.record.claim.rounds < limit:
            raise Violation(
                f"shortened to {limit} rounds, the match has only {short.record.claim.rounds}",
                truncate,
                "the shortened match is the same as the whole one up to that round",
            )
        same = same_value(
            [question.answer for question in short.questions],
            [question.answer for question in whole.questions[: len(short.questions)]],
        )
        pairs = zip(_boards(short.record.replay), _boards(whole.record.replay), strict=False)
        if not same or any(one != other for one, other in pairs):
            raise Violation(
                f"shortened to {limit} rounds, the match differs before it ends",
                truncate,
                "players must be told the whole map's limit: only the GameManager ends earlier",
            )
    return f"ended after {' and '.join(map(str, tried))} of {rounds} rounds, the same until then"


def _boards(replay: Replay | None) -> Iterator[object]:
    if replay is not None:
        yield replay.squares
        for frame in replay.frames:
            yield frame.changes
