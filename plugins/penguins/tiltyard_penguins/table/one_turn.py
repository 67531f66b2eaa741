"""``penguins --interactive phase=...``: a person makes the one placement or move that a game master asks a program for."""

from __future__ import annotations

import contextlib

from tiltyard_engine.errors import UserError
from tiltyard_penguins.program import INTERNAL_ERROR, Parameters, play, say
from tiltyard_penguins.table.person import Person
from tiltyard_penguins.table.terminal import LeftError, controlling_terminal


def play_one_turn(parameters: Parameters) -> int:
    """The course's statuses; 3 where the person left, which changes no file."""
    with contextlib.ExitStack() as stack:

        def create(number: int) -> Person:
            return Person(stack.enter_context(controlling_terminal()), parameters.name)

        try:
            return play(parameters, create)
        except UserError as error:
            say(str(error))
        except LeftError as left:
            say(f"{left}: {_unchanged(parameters)}")
        except KeyboardInterrupt:
            say(f"interrupted: {_unchanged(parameters)}")
    return INTERNAL_ERROR


def _unchanged(parameters: Parameters) -> str:
    return f"nothing was written, {parameters.source} is as it was; to go on, give the same command again"
