"""What a failing team costs itself, and how the game and its log tell of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.plugins.tanks.games import CopyingPlayer, Played, a_map, play_teams

from tiltyard_engine.records import TankTeam
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks.conformance import ScriptedTank
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.rules import DIALECTS

BOARD = ["1  ", "   ", "2 1", "   "]
"""Birth order: a tank of player 1, one of player 2, the second one of player 1."""

Act = Callable[[], Any]


def raises(kind: type[BaseException] = RuntimeError) -> Act:
    def act() -> Any:
        raise kind("boom")

    return act


def returns(value: object) -> Act:
    return lambda: value


class FaultyTank(ScriptedTank):
    """Plays its script; asked again it does what it was given, and likewise if it is told something."""

    def __init__(self, script: str = "", asked: Act | None = None, told: Act | None = None) -> None:
        super().__init__(script)
        self._left = len(script)
        self._asked = asked
        self._told = told

    def get_action(self) -> ActionRequest:
        self._left -= 1
        if self._left < 0 and self._asked is not None:
            return self._asked()  # type: ignore[no-any-return]
        return super().get_action()

    def update_battle_info(self, info: BattleInfo) -> None:
        if self._told is not None:
            self._told()


class FaultyPlayer(Player):
    """Does what it was given when it is to inform a tank; by default it informs it."""

    def __init__(self, act: Act | None = None) -> None:
        self._act = act

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        if self._act is not None:
            self._act()
        tank.update_battle_info(BattleInfo())


def team(*tanks: Act, player: Act = FaultyPlayer) -> TankTeam:
    """A team of tank factories, by tank index, and a Player factory, all without arguments."""
    return TankTeam("team", lambda *_: player(), lambda player_index, tank_index: tanks[tank_index]())


def calm_tank() -> TankAlgorithm:
    return ScriptedTank("")


CALM = team(calm_tank, calm_tank)


def play_against_calm(
    faulty: TankTeam, *, board: Sequence[str] = BOARD, steps: int = 6, dialect: str = "reference", on_fault: OnFault = "raise"
) -> tuple[Fault, Played]:
    """Play the faulty team as player 1: its fault, and the game."""
    manager = TanksGameManager(DIALECTS[dialect][0])
    played, seats = play_teams(a_map(board, steps), [faulty, CALM], manager, on_fault)
    assert seats[1].fault is None
    assert seats[0].fault is not None
    return seats[0].fault, played


def summary(fault: Fault) -> tuple[int, Termination, int, str]:
    return fault.seat, fault.termination, fault.round, fault.message


@pytest.fixture(params=["reference", "one-by-one", "info-at-once"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# Constructors


def lost_at_once(faulty: TankTeam, dialect: str, termination: Termination, message: str) -> None:
    """The fault is of the time before round 1; the tanks vanish when they are first asked."""
    fault, played = play_against_calm(faulty, dialect=dialect)
    assert summary(fault) == (1, termination, 0, message)
    assert played.lines == ["DoNothing (killed), DoNothing, DoNothing (killed)"]
    assert played.final == ["   ", "   ", "2  ", "   "]
    assert (played.result.winner, played.result.remaining_tanks, played.result.ranks) == (2, (0, 1), (2, 1))
    assert played.result.message == "Player 2 won with 1 tanks still alive"


@pytest.mark.parametrize("kind", [RuntimeError, SystemExit])
def test_tank_that_raises_when_created(dialect: str, kind: type[BaseException]) -> None:
    message = f"creating tank 0 raised {kind.__name__}: boom"
    lost_at_once(team(raises(kind), calm_tank), dialect, Termination.CRASH, message)


def test_second_tank_that_raises_when_created(dialect: str) -> None:
    faulty = team(lambda: ScriptedTank("FFF"), raises())
    lost_at_once(faulty, dialect, Termination.CRASH, "creating tank 1 raised RuntimeError: boom")


def test_tank_of_the_wrong_type(dialect: str) -> None:
    faulty = team(dict, raises())
    lost_at_once(faulty, dialect, Termination.PROTOCOL, "the tank factory returned dict, not a TankAlgorithm")


@pytest.mark.parametrize("kind", [RuntimeError, SystemExit])
def test_player_that_raises_when_created(dialect: str, kind: type[BaseException]) -> None:
    faulty = team(raises(), raises(), player=raises(kind))
    lost_at_once(faulty, dialect, Termination.CRASH, f"creating the Player raised {kind.__name__}: boom")


def test_player_of_the_wrong_type(dialect: str) -> None:
    faulty = team(raises(), raises(), player=object)
    lost_at_once(faulty, dialect, Termination.PROTOCOL, "the player factory returned object, not a Player")


# get_action


ANSWERS = [
    (raises(), Termination.CRASH, "get_action raised RuntimeError: boom"),
    (raises(SystemExit), Termination.CRASH, "get_action raised SystemExit: boom"),
    (returns(None), Termination.PROTOCOL, "get_action returned nothing (None), expected an ActionRequest"),
    (returns(6), Termination.PROTOCOL, "get_action returned an integer (6), expected an ActionRequest"),
    (returns("Shoot"), Termination.PROTOCOL, "get_action returned a string ('Shoot'), expected an ActionRequest"),
]


@pytest.mark.parametrize(("act", "termination", "message"), ANSWERS)
def test_bad_answer(dialect: str, act: Act, termination: Termination, message: str) -> None:
    """The tank asked before the bad one is logged with its request; both are gone before anything moves."""
    faulty = team(lambda: ScriptedTank("DDF"), lambda: FaultyTank("DD", asked=act))
    fault, played = play_against_calm(faulty, dialect=dialect)
    assert summary(fault) == (1, termination, 3, message)
    assert played.lines[2:] == ["MoveForward (killed), DoNothing, DoNothing (killed)"]
    assert (played.result.rounds, played.result.winner, played.result.remaining_tanks) == (3, 2, (0, 1))
    assert played.replay.frames[2].notes == ("tank 1 of player 1 lost", "tank 3 of player 1 lost")


def test_tanks_asked_after_the_bad_one_are_not_asked() -> None:
    asked: list[int] = []
    faulty = team(lambda: FaultyTank("", asked=raises()), lambda: FaultyTank("", asked=lambda: asked.append(1)))
    fault, played = play_against_calm(faulty)
    assert (fault.round, asked, played.lines) == (1, [], ["DoNothing (killed), DoNothing, DoNothing (killed)"])


def test_fault_tells_where_in_the_teams_code() -> None:
    fault, _ = play_against_calm(team(lambda: FaultyTank("", asked=raises()), calm_tank))
    assert 'raise kind("boom")' in fault.traceback
    assert "inline.py" not in fault.traceback


def test_tanks_vanish_before_the_first_half_step() -> None:
    """The shell would hit in the first half of round 3; it flies on through the empty square."""
    shooter = team(lambda: ScriptedTank("S"))
    played, _ = play_teams(a_map(["2   1 "]), [shooter, team(calm_tank)], TanksGameManager())
    assert (played.lines[2], played.final) == ("DoNothing (killed), DoNothing", ["    1 "])
    faulty = team(lambda: FaultyTank("DD", asked=raises()))
    played, _ = play_teams(a_map(["2   1 "]), [shooter, faulty], TanksGameManager())
    assert (played.lines[2], played.final) == ("DoNothing (killed), DoNothing", ["    1*"])


# Information


INFORMING = [
    (lambda: FaultyTank("DDG"), lambda: FaultyPlayer(raises())),
    (lambda: FaultyTank("DDG"), lambda: FaultyPlayer(raises(SystemExit))),
    (lambda: FaultyTank("DDG", told=raises()), FaultyPlayer),
    (lambda: FaultyTank("DDG", told=raises(SystemExit)), FaultyPlayer),
]


@pytest.mark.parametrize(("tank", "player"), INFORMING)
def test_information_that_fails(dialect: str, tank: Act, player: Act) -> None:
    """The request came, so the log tells it; both tanks are gone in the same round."""
    fault, played = play_against_calm(team(lambda: ScriptedTank("DDL"), tank, player=player), dialect=dialect)
    assert (fault.seat, fault.termination, fault.round) == (1, Termination.CRASH, 3)
    assert fault.message in (f"update_tank_with_battle_info raised {kind}: boom" for kind in ("RuntimeError", "SystemExit"))
    assert played.lines[2:] == ["RotateLeft90 (killed), DoNothing, GetBattleInfo (killed)"]
    assert played.result.winner == 2


def test_information_that_fails_leaves_other_answers_alone() -> None:
    """The first tank's failing answer takes the second one away before it is answered; the other team is answered."""
    views: list[list[str]] = []
    watching = TankTeam("watching", lambda index, x, y, steps, shells: CopyingPlayer(views, x, y), lambda p, i: ScriptedTank("G"))
    told: list[int] = []
    faulty = team(lambda: FaultyTank("G", told=raises()), lambda: FaultyTank("G", told=lambda: told.append(1)))
    played, seats = play_teams(a_map(BOARD), [faulty, watching], TanksGameManager())
    assert played.lines == ["GetBattleInfo (killed), GetBattleInfo, GetBattleInfo (killed)"]
    assert (told, views, seats[1].fault) == ([], [["1  ", "   ", "% 1", "   "]], None)


def test_tanks_vanish_after_the_first_half_step_when_information_fails() -> None:
    """A shell that would have hit in the second half-step of round 3 flies on through the empty square."""
    shooter = team(lambda: ScriptedTank("S"))
    informed = team(lambda: ScriptedTank("DDG"))
    played, _ = play_teams(a_map(["2    1"]), [shooter, informed], TanksGameManager())
    assert (played.lines[2], played.final) == ("GetBattleInfo (killed), DoNothing", ["     1"])
    faulty = team(lambda: ScriptedTank("DDG"), player=lambda: FaultyPlayer(raises()))
    played, _ = play_teams(a_map(["2    1"]), [shooter, faulty], TanksGameManager())
    assert (played.lines[2], played.final) == ("GetBattleInfo (killed), DoNothing", ["*    1"])


def test_killed_before_the_answer_there_is_no_fault() -> None:
    faulty = team(lambda: ScriptedTank("DDG"), player=lambda: FaultyPlayer(raises()))
    played, seats = play_teams(a_map(["2   1"]), [team(lambda: ScriptedTank("S")), faulty], TanksGameManager())
    assert (played.lines[2], seats[1].fault) == ("GetBattleInfo (killed), DoNothing", None)


# Views


class KeepingPlayer(Player):
    """Keeps the view for later, against the contract."""

    def __init__(self) -> None:
        self.kept: list[SatelliteView] = []

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        if self.kept:
            self.kept[0].get_object_at(0, 0)
        self.kept.append(satellite_view)


@pytest.mark.parametrize("use", [lambda view: view.get_object_at(0, 0), lambda view: view.get_rows(1, 1)])
def test_view_used_after_its_time(dialect: str, use: Callable[[SatelliteView], object]) -> None:
    player = KeepingPlayer()
    faulty = team(lambda: FaultyTank("GD", asked=lambda: use(player.kept[0])), calm_tank, player=lambda: player)
    fault, _ = play_against_calm(faulty, dialect=dialect)
    assert summary(fault)[:3] == (1, Termination.CRASH, 3)
    assert fault.message.startswith("get_action raised ViewExpiredError: this SatelliteView has expired")


def test_old_view_used_while_a_new_one_is_valid() -> None:
    fault, played = play_against_calm(team(lambda: ScriptedTank("GG"), calm_tank, player=KeepingPlayer))
    assert summary(fault)[:3] == (1, Termination.CRASH, 2)
    assert fault.message.startswith("update_tank_with_battle_info raised ViewExpiredError")
    assert played.lines[1] == "GetBattleInfo (killed), DoNothing, DoNothing (killed)"


def test_a_view_shows_the_tanks_of_a_team_that_fails_in_the_same_round() -> None:
    """The view is the board at the end of the previous round, whatever happened since."""
    views: list[list[str]] = []
    watching = TankTeam("watching", lambda index, x, y, steps, shells: CopyingPlayer(views, x, y), lambda p, i: ScriptedTank("G"))
    faulty = team(lambda: ScriptedTank("F"), lambda: FaultyTank("", asked=raises()))
    played, _ = play_teams(a_map(BOARD), [faulty, watching], TanksGameManager())
    assert views == [["1  ", "   ", "% 1", "   "]]
    assert played.lines == ["MoveForward (killed), GetBattleInfo, DoNothing (killed)"]


# Both fail; nobody wants to hear of it


def test_both_teams_fail_in_one_round() -> None:
    faulty = team(*[lambda: FaultyTank("D", asked=raises())] * 2)
    played, seats = play_teams(a_map(BOARD), [faulty, faulty], TanksGameManager())
    assert [summary(seat.fault)[:3] for seat in seats if seat.fault] == [(seat, Termination.CRASH, 2) for seat in (1, 2)]
    assert played.lines[1] == "DoNothing (killed), DoNothing (killed), DoNothing (killed)"
    assert (played.result.winner, played.result.message) == (0, "Tie, both players have zero tanks")


@pytest.mark.parametrize(("act", "termination", "message"), ANSWERS)
def test_idle_seat_does_nothing_from_then_on(dialect: str, act: Act, termination: Termination, message: str) -> None:
    """For managers that cannot hear of faults the tanks stay; the whole team does nothing, and the fault is kept."""
    faulty = team(lambda: ScriptedTank("DDFF"), lambda: FaultyTank("DL", asked=act))
    fault, played = play_against_calm(faulty, dialect=dialect, steps=5, on_fault="idle")
    assert summary(fault) == (1, termination, 3, message)
    assert played.lines[1] == "DoNothing, DoNothing, RotateLeft90"
    first = "MoveForward"
    assert played.lines[2:] == [f"{first}, DoNothing, DoNothing", *["DoNothing, DoNothing, DoNothing"] * 2]
    assert (played.result.reason, played.result.remaining_tanks) == ("MAX_STEPS", (2, 1))


@pytest.mark.parametrize(("tank", "player"), INFORMING)
def test_idle_seat_whose_information_failed(dialect: str, tank: Act, player: Act) -> None:
    faulty = team(lambda: ScriptedTank("DDLF"), tank, player=player)
    fault, played = play_against_calm(faulty, dialect=dialect, steps=4, on_fault="idle")
    assert fault.round == 3
    assert played.lines[2:] == ["RotateLeft90, DoNothing, GetBattleInfo", "DoNothing, DoNothing, DoNothing"]


def test_idle_seat_whose_constructors_failed(dialect: str) -> None:
    for faulty in (team(raises(), raises()), team(calm_tank, calm_tank, player=raises())):
        fault, played = play_against_calm(faulty, dialect=dialect, steps=2, on_fault="idle")
        assert fault.round == 0
        assert played.lines == ["DoNothing, DoNothing, DoNothing"] * 2
