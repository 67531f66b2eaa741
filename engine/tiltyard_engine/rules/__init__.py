"""A game as its rules: one class with pure methods over a position. Everything else that a game needs follows from them.

It may import the contract and ``seat_kinds``, and nothing of the host.

- ``contract``: what an author writes, ``Rules``, and what it speaks of: ``Ending`` and ``Picture``. Begin here.
- ``referee``: the GameManager of every such game: asks the seats, judges their answers, records and reports.
- ``sparring``: players of every such game, which look ahead by its rules: ``random``, ``greedy`` and ``mcts``.
- ``derived``: the records that follow from a game's rules: its interface, its GameManager and its sparring partners.
- ``hooks``: a whole plugin in one call, for a game with nothing special.
"""

from tiltyard_engine.rules.contract import Ending, Picture, Rules
from tiltyard_engine.rules.hooks import game_hooks, whole_numbers

__all__ = ["Ending", "Picture", "Rules", "game_hooks", "whole_numbers"]
