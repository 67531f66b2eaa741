"""The records that follow from a game's rules: what its teams get and answer, its GameManager, and its sparring partners."""

from __future__ import annotations

import typing
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tiltyard_engine.records import Game, Manager, Record, TurnInterface, TurnTeam
from tiltyard_engine.rules.contract import Rules
from tiltyard_engine.rules.referee import RulesGameManager, ShortMatch
from tiltyard_engine.rules.sparring import GreedyPlayer, RandomPlayer, TreePlayer

REFEREE: Final = "referee"
PARTNERS: Final = {
    "random": (RandomPlayer, "sparring partner: any legal answer"),
    "greedy": (GreedyPlayer, "sparring partner: looks one move ahead"),
    "mcts": (TreePlayer, "sparring partner: plays games out in its head (UCT)"),
}
"""Each by its name in every game."""


def position_and_answer(rules: Rules[Any, Any]) -> tuple[Any, Any]:
    """The types that the author named in ``Rules[position, answer]``; ``Any`` where none is."""
    for base in type(rules).__mro__:
        for parent in getattr(base, "__orig_bases__", ()):
            arguments = typing.get_args(parent)
            if len(arguments) == 2 and not any(isinstance(each, typing.TypeVar) for each in arguments):
                return arguments
    return (Any, Any)


def view_type(rules: Rules[Any, Any]) -> Any:
    """What teams get: what ``view`` is annotated to return, or a position."""
    return typing.get_type_hints(type(rules).view).get("return", Any) if rules.hides else position_and_answer(rules)[0]


def with_rules(game: Game[Any], refereed: Collection[str]) -> Game[Any]:
    """The game with all that follows from its rules and that it doesn't say itself.

    Args:
        game: the game.
        refereed: games with a GameManager of their own, which reads no maps but the game's.
    """
    if not isinstance(game.rules, Rules):
        return game
    interface, maps = game.interface, game.maps
    if isinstance(interface, TurnInterface) and interface.position_type is None and interface.answer_type is None:
        answer = position_and_answer(game.rules)[1]
        interface = TurnInterface(view_type(game.rules), None if answer is Any else answer)
    if maps.truncate is None and game.name not in refereed:
        maps = replace(maps, truncate=ShortMatch)
    return replace(game, interface=interface, maps=maps)


def with_derived(records: Iterable[Record]) -> list[Record]:
    """A plugin's records, and what follows from the games with rules among them and isn't there under the same name.

    A game for which the plugin has a GameManager of its own gets no other.
    """
    listing = list(records)
    names = {(each.game, each.name) for each in listing if isinstance(each, TurnTeam)}
    refereed = {each.game for each in listing if isinstance(each, Manager)}
    own = [with_rules(record, refereed) if isinstance(record, Game) else record for record in listing]
    derived: list[Record] = []
    for game in own:
        if not isinstance(game, Game) or not isinstance(game.rules, Rules):
            continue
        if game.name not in refereed:
            referee = partial(RulesGameManager, game.rules)
            about = "plays by the game's rules"
            derived.append(Manager(name=REFEREE, game=game.name, create=referee, on_fault="raise", description=about))
        for name, (player, about) in PARTNERS.items():
            can_play = game.rules.can_guess if player is RandomPlayer else game.rules.can_look_ahead
            if can_play and isinstance(game.interface, TurnInterface) and (game.name, name) not in names:
                derived.append(TurnTeam(name, game.name, partial(player, game.rules), about, is_partner=True))
    return own + derived
