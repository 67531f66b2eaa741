"""What a GameManager may not hand to a seat whose team is elsewhere: told in the same words by all such seats."""

from __future__ import annotations

from tiltyard_engine.errors import ContractError
from tiltyard_engine.tanks import BattleInfo, SatelliteView


def check_info(info: BattleInfo) -> None:
    """No object can go to the team's process, but an empty one can be made there.

    Raises:
        ContractError: it holds something.
    """
    if type(info) is not BattleInfo or vars(info):
        raise ContractError("a BattleInfo of the GameManager's own cannot be handed to a tank: its Player makes it")


def rows_of(view: SatelliteView, width: int, height: int) -> list[str]:
    """All rows of a manager's view.

    Raises:
        ContractError: they are not of the board's size. And whatever the view raises.
    """
    rows = list(view.get_rows(width, height))
    if len(rows) != height or any(len(row) != width for row in rows):
        raise ContractError(f"the GameManager's view has not {height} rows of {width} characters")
    return rows
