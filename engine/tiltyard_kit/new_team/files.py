"""Fills in the templates of a new team with what its game's rules say: types, the first position, the legal answers there."""

from __future__ import annotations

import ast
import inspect
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import resources
from itertools import pairwise
from random import Random
from string import Template
from textwrap import dedent, wrap
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game, MapFile, TurnInterface, usual_players
from tiltyard_engine.rules import Picture, Rules
from tiltyard_engine.texts.sanitize import one_line

FILES: Final = ("pyproject.toml", "README.md", "PACKAGE/__init__.py", "tests/test_PACKAGE.py")
MOST_ANSWERS: Final = 12
"""Legal answers of the first position that are written down."""
MOST_ROWS: Final = 30
WIDTH: Final = 120


def rules_team_template(name: str, game: Game[Any], map_file: MapFile, game_path: str) -> Mapping[str, str]:
    """The files of a team: path to text.

    Args:
        name: a letter, then letters and digits with single ``-``, ``_`` or ``.`` between them.
        game: states its rules.
        map_file: on which the position is that the team's code shows.
        game_path: the game's file or folder, seen from the team's; empty: it is installed.

    Raises:
        UserError: what a player sees doesn't tell the legal answers.
    """
    rules = game.rules
    assert isinstance(rules, Rules)
    if not rules.can_guess:
        raise UserError(f"{game.name} hides something, and its rules have no guess(): no team that plays at once can be made")
    words = [word for word in re.split(r"[^A-Za-z0-9]+", name) if word]
    package = "_".join(words).lower()
    state = "self.rules.guess(position, self.seat, self.chance)" if rules.hides else "position"
    way = (
        f"chance.choice(self.rules.legal({state}, self.seat))"
        if rules.lists_answers
        else f"rules.sample({state}, self.seat, self.chance)"
    )
    places = {
        "name": name,
        "package": package,
        "prefix": "".join(word[0].upper() + word[1:] for word in words),
        "game": game.name,
        "map": map_file.name,
        "seats": str(seats := map_file.seats or usual_players(game)),
        "others": " ".join(["random"] * (seats - 1)),
        "about": "\n".join(f"# {line}".rstrip() for line in _about(game, rules, map_file)),
        "choice": f"self.{way}",
        "target": f'Path(__file__).parents[1] / "{game_path}"' if game_path else f'"{game.name}"',
        "path": "from pathlib import Path\n\n" if game_path else "",
        "trust": f" --trust {game_path}" if game_path else "",
    }
    folder = resources.files("tiltyard_kit.new_team") / "templates"
    return {
        path.replace("PACKAGE", package): Template((folder / f"{path}.template").read_text(encoding="utf-8")).substitute(places)
        for path in FILES
    }


def _about(game: Game[Any], rules: Rules[Any, Any], map_file: MapFile) -> Iterator[str]:
    """What a team gets and answers, with the first position as an example."""
    assert isinstance(game.interface, TurnInterface)
    seats = map_file.seats or usual_players(game)
    position = rules.start(game.maps.read(map_file.name, map_file.data, seats), seats, Random(0))
    seat = min(rules.to_move(position))
    view = rules.view(position, seat)
    yield "What choose() gets, and what it answers:"
    yield ""
    types: list[Any] = []
    yield f"position: {_name(game.interface.position_type or type(view))}"
    yield f"answer: {_name(game.interface.answer_type)}"
    for kind in (game.interface.position_type or type(view), game.interface.answer_type):
        yield from _type_lines(kind, types)
    yield ""
    yield f"The first position on the map {map_file.name}, as player {seat} sees it:"
    yield ""
    yield from (f"    {line}" for line in wrap(one_line(repr(view)), WIDTH))
    picture = rules.draw_view(view, seat, [f"player {number}" for number in range(1, seats + 1)]) or Picture()
    if picture.rows:
        yield ""
        yield from (f"    {one_line(''.join(token[:1] for token in row))}" for row in picture.rows[:MOST_ROWS])
    yield ""
    if rules.lists_answers:
        legal = rules.legal(position, seat)
        words = [(repr(answer), rules.to_text(answer, position, seat)) for answer in legal[:MOST_ANSWERS]]
        texts = [code if code.strip("'") == text else f"{code} ({text})" for code, text in words]
        yield f"The legal answers there, {len(legal)} in all, and in words:"
        more = ", ..." if len(legal) > MOST_ANSWERS else ""
    else:
        texts = [repr(rules.sample(position, seat, Random(number))) for number in range(3)]
        yield "Some of the legal answers there, which are too many to list:"
        more = ", ..."
    yield ""
    yield from (f"    {line}" for line in wrap(one_line(", ".join(texts) + more), WIDTH))


def _type_lines(kind: Any, types: list[Any]) -> Iterator[str]:
    """What a type consists of, and the types in it, each once."""
    if kind in types:
        return
    types.append(kind)
    inner: Sequence[Any] = typing.get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        yield ""
        yield f"{kind.__name__}: {', '.join(member.name for member in kind)}"
    elif isinstance(kind, type) and is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        yield ""
        yield f"{kind.__name__}: {_first_line(kind)}"
        texts = _field_texts(kind)
        for field in fields(kind):
            yield f"    {field.name}: {_name(hints[field.name])}"
            yield from (f"        {line}" for line in wrap(texts.get(field.name, ""), WIDTH - 8))
        inner = list(hints.values())
    for each in inner:
        yield from _type_lines(each, types)


def _first_line(kind: type[Any]) -> str:
    """Of its docstring; a dataclass without one has its own signature there, which says nothing new."""
    text = (kind.__doc__ or "").strip().partition("\n")[0]
    return "" if text.startswith(f"{kind.__name__}(") else one_line(text)


def _field_texts(kind: type[Any]) -> dict[str, str]:
    """The strings below a class's fields, by the fields' names; they are in the source alone."""
    with suppress(OSError, TypeError, SyntaxError):
        (definition,) = ast.parse(dedent(inspect.getsource(kind))).body
        return {
            field.target.id: one_line(text.value.value)
            for field, text in pairwise(getattr(definition, "body", ()))
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
        }
    return {}


def _name(kind: Any) -> str:
    """A type as people write it."""
    return kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else re.sub(r"\b[\w.]+\.(?=\w)", "", str(kind))
