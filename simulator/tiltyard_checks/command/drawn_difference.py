"""Where two runs of a match part, drawn on the terminal for ``tiltyard verify``, ``tiltyard check --times`` and ``comparative``."""

from __future__ import annotations

import shutil
import sys

from tiltyard_checks.runs.difference import Board, Difference, FirstRounds, plain_tokens
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Theme
from tiltyard_engine.texts.sanitize import escaped
from tiltyard_simulator.output.tables import render
from tiltyard_viewer.drawing.draw import draw_side_by_side
from tiltyard_viewer.drawing.options import DrawOptions, detect_options


def draw_difference(title: str, difference: Difference, game: Reference) -> None:
    """Print both boards beside each other, and what each tank did, below a title."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    theme = game.load_as(Game).display.theme
    print(f"\n{title}:")
    print("\n".join(show_difference(difference, theme, detect_options(sys.stdout, columns=columns))))


def show_difference(difference: Difference, theme: Theme | None, options: DrawOptions) -> list[str]:
    """Both boards side by side, differing squares marked and listed, and what every tank did."""
    title = f"{difference.left} and {difference.right}"
    if difference.round < 0:
        lines = [f"{title}: {difference.note}"]
    else:
        lines = [f"{title} first differ in round {difference.round}: {', '.join(difference.kinds)}"]
        if difference.firsts is not None:
            lines.append(_first_rounds(difference.firsts))
        if difference.note:
            lines.append(f"note: {difference.note}")
    if difference.views is not None:
        lines += [f"the views of round {difference.round}:", *_views(difference, theme, options)]
    if difference.views is None or difference.boards[0] != difference.boards[1]:
        if difference.board_round > difference.round:
            lines.append(f"the boards after round {difference.board_round}:")
        lines += _boards(difference, difference.boards, difference.tokens, theme, options)
    if difference.actions:
        if difference.action_round not in (difference.round, difference.board_round, -1):
            lines.append(f"round {difference.action_round}:")
        lines.append(render(("tank", difference.left, difference.right), difference.actions))
    return lines


def _first_rounds(firsts: FirstRounds) -> str:
    kinds = {"views": firsts.view, "actions": firsts.actions, "boards": firsts.board}
    rounds = sorted((number, what) for what, number in kinds.items() if number is not None)
    parts = [f"{what} in round {number}" for number, what in rounds]
    parts[:1] = [part.replace(" in ", " first differ in ", 1) for part in parts[:1]]
    parts += [f"{what} never differ" for what, number in kinds.items() if number is None]
    parts.append("the results agree" if firsts.result is None else f"from round {firsts.result} on, the results can't agree")
    return "; ".join(parts)


def _views(difference: Difference, theme: Theme | None, options: DrawOptions) -> list[str]:
    assert difference.views is not None
    left, right = difference.views
    if not left or not right:
        giver, rows = (difference.left, left) if left else (difference.right, right)
        return [f"only {giver} gave one:", *map(escaped, rows)]
    return _boards(difference, difference.views, plain_tokens(difference.views), theme, options)


def _boards(
    difference: Difference,
    boards: tuple[Board, Board],
    tokens: tuple[list[str], list[str]],
    theme: Theme | None,
    options: DrawOptions,
) -> list[str]:
    """Two boards beside each other; one below the other where their squares can't be compared."""
    left, right = boards
    if [len(row) for row in left] != [len(row) for row in right] or not left:
        return [f"{difference.left}:", *map(escaped, left), f"{difference.right}:", *map(escaped, right)]
    names = (difference.left, difference.right)
    return draw_side_by_side(*tokens, len(left[0]), theme or Theme(styles={}), names, options=options)
