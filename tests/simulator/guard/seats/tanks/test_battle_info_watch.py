from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tiltyard_engine.tanks import ActionRequest, BattleInfo, TankAlgorithm
from tiltyard_simulator.guard.seats.tanks import battle_info_watch
from tiltyard_simulator.guard.seats.tanks.battle_info_watch import InfoWatch, where_it_is


class Info(BattleInfo):
    def __init__(self) -> None:
        self.rows = ["##", "##"]
        self.others: list[Any] = []


class Tank(TankAlgorithm):
    """One that keeps whatever a test makes it keep."""

    keeper: Any = None

    def get_action(self) -> ActionRequest:
        return ActionRequest.SHOOT

    def update_battle_info(self, info: BattleInfo) -> None:
        type(self).keeper(self, info)


def generator(info: object) -> Iterator[None]:
    held = info
    yield
    print(held)


def running(info: object) -> Iterator[None]:
    started = generator(info)
    next(started)
    return started


KEEPERS: dict[str, Any] = {
    "itself": lambda info: info,
    "in a list of dicts": lambda info: [{"a": (info,)}],
    "in a closure": lambda info: lambda: info,
    "as a default": lambda info: lambda given=info: given,
    "in a partial": lambda info: partial(print, info),
    "by a bound method": lambda info: info.__init__,
    "in a generator": running,
    "by what it holds": lambda info: info.others.append(info) or info.others,
}


@pytest.mark.parametrize("how", KEEPERS)
def test_an_info_that_is_kept(how: str) -> None:
    tank, info = Tank(), Info()
    tank.__dict__["memory"] = KEEPERS[how](info)
    assert where_it_is(tank, info) == "self.memory"


@pytest.mark.parametrize(
    "copied",
    [
        lambda info: info.rows,
        lambda info: Info(),
        lambda info: Info,
        lambda info: generator,
        lambda info: battle_info_watch,
        lambda info: None,
    ],
)
def test_a_copy_is_none(copied: Any) -> None:
    tank, info = Tank(), Info()
    tank.__dict__["memory"] = copied(info)
    battle_info_watch.__dict__["somewhere"] = info
    Info.last = info  # type: ignore[attr-defined]
    try:
        assert where_it_is(tank, info) == ""
    finally:
        del battle_info_watch.__dict__["somewhere"], Info.last  # type: ignore[attr-defined]


def test_the_player_may_keep_it() -> None:
    class Keeper:
        pass

    tank, info, player = Tank(), Info(), Keeper()
    player.__dict__["memory"] = info
    tank.__dict__["commander"] = player
    assert where_it_is(tank, info, player) == ""
    assert where_it_is(tank, info) == "self.commander"


def test_slots_and_containers() -> None:
    class Slotted:
        __slots__ = ("__hidden", "empty", "open")

        def __init__(self, hidden: object, opened: object) -> None:
            self.__hidden = hidden
            self.open = opened

    class Pile(list[object]):
        pass

    info = Info()
    assert where_it_is(Slotted(None, info), info) == "self.open"
    assert where_it_is(Slotted([info], None), info) == "self.__hidden"
    assert where_it_is(Slotted(None, None), info) == ""
    assert where_it_is(Pile([info]), info) == "the tank itself"


def test_the_walk_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    tank, info = Tank(), Info()
    deep: list[Any] = [info]
    for _ in range(50):
        deep = [deep]
    tank.__dict__["memory"] = deep
    assert where_it_is(tank, info) == "self.memory"
    monkeypatch.setattr(battle_info_watch, "MOST_OBJECTS", 20)
    assert where_it_is(tank, info) == ""


def keep(tank: Any, info: BattleInfo) -> None:
    tank.last = info


def copy(tank: Any, info: Any) -> None:
    tank.last = info.rows


def test_it_is_looked_for_when_the_call_has_returned() -> None:
    class Keeping(Tank):
        keeper = keep

    class Cleaning(Keeping):
        def update_battle_info(self, info: BattleInfo) -> None:
            super().update_battle_info(info)
            self.__dict__.clear()

    watch = InfoWatch(None)
    cleaning, keeping = Cleaning(), Keeping()
    watch.add(cleaning, 0)
    watch.add(keeping, 3)
    watch.add(Keeping(), 4)
    cleaning.update_battle_info(Info())
    assert watch.problem == ""
    keeping.update_battle_info(Info())
    assert watch.problem == "tank 3 keeps its BattleInfo after update_battle_info returned: self.last"


def test_a_team_that_copies() -> None:
    class Copying(Tank):
        keeper = copy

    watch = InfoWatch(None)
    tank = Copying()
    watch.add(tank, 0)
    tank.update_battle_info(Info())
    assert (watch.problem, tank.__dict__["last"]) == ("", ["##", "##"])


def test_what_the_tank_raises_is_its_own() -> None:
    class Failing(Tank):
        keeper = lambda tank, info: 1 / 0  # noqa: E731

    watch = InfoWatch(None)
    tank = Failing()
    watch.add(tank, 0)
    with pytest.raises(ZeroDivisionError):
        tank.update_battle_info(Info())
    assert watch.problem == ""
