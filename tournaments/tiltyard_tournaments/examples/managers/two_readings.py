"""Two GameManagers with different readings of the rules: tanks and shells move at once, or tanks move first.

To see where they differ, run this in the folder above this one, then open report/index.html:

    tiltyard comparative back-yard acorn bramble --managers managers --site report
"""

from collections.abc import Iterator

from tiltyard_engine import Manager, hookimpl
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.rules import Order, Rules


def tanks_first() -> TanksGameManager:
    """Tanks move before shells do."""
    return TanksGameManager(Rules(order=Order.TANKS_FIRST))


@hookimpl
def game_managers() -> Iterator[Manager]:
    """Both readings of the rules."""
    yield Manager(name="at-once", game="tanks", create=TanksGameManager, on_fault="raise")
    yield Manager(name="tanks-move-first", game="tanks", create=tanks_first, on_fault="raise")
