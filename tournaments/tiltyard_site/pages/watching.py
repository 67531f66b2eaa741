"""Games that are worth watching, and a small still picture of a board, in shapes of plain colours and without a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from markupsafe import Markup

from tiltyard_engine.replay import Replay, SquareStyle, Theme
from tiltyard_engine.results import PairingEnding
from tiltyard_site.pages.match_scripts import Listed
from tiltyard_viewer.drawing.colors import parse
from tiltyard_viewer.drawing.theme_colors import FILLED, drawn_colors

HIGHLIGHTS: Final = 3
LONG_GAME: Final = 2
"""A long game has at least this many times the median rounds of the decided games on its map."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A game, and why to watch it."""

    kind: str
    game: Listed


def highlights(entries: Sequence[Listed], teams: Sequence[str]) -> list[Highlight]:
    """Upsets, then games that are long for their map; ``teams`` in the order of the standings. Equal results give equal games."""
    place = {team: number for number, team in enumerate(teams)}
    upsets: list[tuple[int, Listed]] = []
    decided: list[Listed] = []
    rounds: dict[str, list[int]] = {}
    for entry in entries:
        match = entry.match
        if entry.replay and match.winner and match.ending is PairingEnding.PLAYED and not match.faults:
            winner = place[match.teams[match.winner - 1]]
            gap = max(winner - place[name] for name in match.teams)
            if gap > 0:
                upsets.append((-gap, entry))
            rounds.setdefault(match.map, []).append(match.rounds)
            decided.append(entry)
    cards = [Highlight("Upset", entry) for _, entry in sorted(upsets, key=lambda one: (one[0], one[1].id))[:HIGHLIGHTS]]
    usual = {name: median(numbers) for name, numbers in rounds.items()}
    long = [entry for entry in decided if entry.match.rounds >= LONG_GAME * usual[entry.match.map]]
    for entry in sorted(long, key=lambda one: (-one.match.rounds, one.id)):
        if len(cards) >= 2 * HIGHLIGHTS:
            break
        if all(entry is not other.game for other in cards):
            cards.append(Highlight("Long game", entry))
    return cards


def game_to_watch(
    entries: Sequence[Listed], places: Mapping[str, str], cards: Sequence[Highlight], is_over: bool, final: str = ""
) -> Highlight | None:
    """The one beside the standings: while more is to come the latest, then the last of the final, an upset, or the leaders'.

    ``final``: the stage of a knockout's last meeting; empty: it is none.
    """
    games = [entry for entry in entries if entry.replay and entry.match.counts]
    if not games:
        return None
    if not is_over:
        return Highlight("Latest game", games[-1])
    if final:
        finals = [entry for entry in games if entry.match.stage == final]
        return Highlight("The final", finals[-1]) if finals else Highlight("Latest game", games[-1])
    if cards:
        return cards[0]
    leaders = {team for team, place in places.items() if place in ("1", "2")}
    between = [entry for entry in games if set(entry.match.teams) <= leaders]
    return Highlight("The top two", between[-1]) if between else Highlight("Latest game", games[-1])


MOST_SQUARES: Final = 2500
"""Of a board that is drawn; a larger one would be most of the page."""


def board_preview(replay: Replay, theme: Theme | None) -> Markup:
    """The last board as SVG, hidden from screen readers; empty where there is no board, or one that is too large."""
    width, height = replay.width, replay.height
    if not 0 < width * height <= MOST_SQUARES:
        return Markup("")
    styles = drawn_colors(theme).styles
    squares: dict[str, list[str]] = {}
    pieces: list[Markup] = []
    for square, token in enumerate(replay.squares_after(len(replay.frames))):
        y, x = divmod(square, width)
        for color, is_piece in token_marks(styles[token]) if token in styles else ():
            if is_piece:
                pieces.append(Markup('<circle cx="{}.5" cy="{}.5" r=".4" fill="{}"/>').format(x, y, color))
            else:
                squares.setdefault(color, []).append(f"M{x} {y}h1v1h-1z")
    paths = [Markup('<path fill="{}" d="{}"/>').format(color, "".join(steps)) for color, steps in squares.items()]
    head = Markup('<svg class="preview" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">').format(width, height)
    floor = Markup('<rect class="floor" width="{}" height="{}"/>').format(width, height)
    return Markup("").join([head, floor, *paths, *pieces, Markup("</svg>")])


def token_marks(style: SquareStyle) -> list[tuple[str, bool]]:
    """(colour, whether it is a piece) of what is seen of a token from afar: its ground, then itself."""
    is_filled = style.shape in FILLED
    ground = style.floor or ("" if is_filled else style.background)
    own = style.background if is_filled else style.foreground
    is_piece = is_filled or style.seat > 0 or style.shape not in ("block", "broken block")
    marks = [(ground, False)] if parse(ground) else []
    if parse(own) and style.shape and style.shape != "nothing":
        marks.append((own, is_piece))
    return marks
