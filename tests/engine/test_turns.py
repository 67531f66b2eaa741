"""What teams for turn-based games are made of."""

from __future__ import annotations

import pytest

from tiltyard_engine.turns import TurnAlgorithm


def test_choosing_is_all_that_a_team_must_do() -> None:
    class Echo(TurnAlgorithm[int, int]):
        def choose(self, position: int) -> int:
            return position

    echo = Echo()
    echo.start(3)
    assert echo.choose(3) == 3


def test_without_choose_there_is_nothing() -> None:
    class Silent(TurnAlgorithm[int, int]):
        pass

    with pytest.raises(TypeError, match="choose"):
        Silent()  # type: ignore[abstract]
