"""The contract between tiltyard, games and teams.

A team's package needs this distribution and pluggy, no more. A whole team in one module::

    from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam, hookimpl


    class Spinner(TankAlgorithm):
        def __init__(self, player_index: int, tank_index: int) -> None:
            self.steps = 0

        def get_action(self) -> ActionRequest:
            self.steps += 1
            return ActionRequest.SHOOT if self.steps % 5 == 0 else ActionRequest.ROTATE_LEFT_45

        def update_battle_info(self, info: BattleInfo) -> None:
            pass


    class SpinnerPlayer(Player):
        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            tank.update_battle_info(BattleInfo())


    @hookimpl
    def algorithms():
        yield TankTeam("spinner", player=SpinnerPlayer, tank=Spinner)

Register the module with ``[project.entry-points.tiltyard]`` or give its file to the simulator as it is.

Rooms:

- ``tanks`` and ``turns``: what teams implement.
- ``match``, ``seats``, ``results`` and ``replay``: what GameManagers use. ``match_record``: a match's result.
- ``programs``: what a game's adapter speaks to. ``formats``: what tournament formats are made of.
- ``lifecycle``: what observers hear of, and what publishers get.
- ``recipes``: how what people hand in becomes teams.
- ``learning``: a game's observations and actions as numbers, for agents in training.
- ``records`` and ``hooks``: what plugins yield. ``registry``: finds plugins. ``frozen``: makes the host's records quickly.
- ``seat_kinds``: how each kind of seat asks its team, here or in another process; how a game says what players must not see.
- ``host``, ``exit_status``: for plugins' own commands. ``texts``: names, counts and texts that people read.

The package ``tiltyard_kit``, which comes with this one, is for authors of games: ``tiltyard_kit.testing`` holds a game to what is
true of all games. ``testing``, ``terminal`` and ``conformance`` are names that parts of it had here; they still work.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tiltyard_engine.errors import ContractError, MapError, NotFoundError, UserError
from tiltyard_engine.hooks import API_VERSION, Hooks, hookimpl, hookspec
from tiltyard_engine.match import GameManager, Match, NoOptions
from tiltyard_engine.programs import Call, Program, ProgramError, ProgramTeam
from tiltyard_engine.records import (
    Algorithm,
    Command,
    Game,
    GameDisplay,
    GameEncoding,
    GameInterface,
    GameLogs,
    GameMaps,
    GamePrograms,
    GameTeams,
    Manager,
    MapFile,
    TankInterface,
    TankTeam,
    TurnInterface,
    TurnTeam,
)
from tiltyard_engine.replay import FigureStyle, Frame, NullRecorder, Recorder, Replay, ReplayRecorder, SquareStyle, Theme
from tiltyard_engine.replay.panels import CardsPanel, Panel, PlotPanel, TablePanel, TextPanel
from tiltyard_engine.results import Fault, GameResult, PairingEnding, SeatFault, Termination, ranks_of, winner_of
from tiltyard_engine.seat_kinds.hidden_views import hides
from tiltyard_engine.seats import Seat, TankSeat, TurnSeat, choose_all, start_all
from tiltyard_engine.tanks import (
    ActionRequest,
    BattleInfo,
    Player,
    PlayerFactory,
    SatelliteView,
    TankAlgorithm,
    TankAlgorithmFactory,
    ViewExpiredError,
)
from tiltyard_engine.turns import TurnAlgorithm

if TYPE_CHECKING:
    from tiltyard_engine.formats import (
        Absence,
        Bracket,
        BracketMeeting,
        Bye,
        Field,
        Fixture,
        FixtureResult,
        Format,
        TournamentFormat,
        option,
    )
    from tiltyard_engine.learning import Observation, Spaces, TankEncoding, TankMemory, TurnEncoding
    from tiltyard_engine.lifecycle import (
        BatchStarted,
        Event,
        MatchFault,
        MatchStarted,
        Notice,
        Observer,
        Pairing,
        Publication,
        Publisher,
        Table,
        TournamentFinished,
        TournamentObserver,
        TournamentResults,
        TournamentStarted,
    )
    from tiltyard_engine.match_record import Outcome, PlayedMatch, SeatAccount
    from tiltyard_engine.recipes import Part, Product, Recipe, Step, Way

    MatchRecord = Outcome
    """The name under which plugins knew an outcome before."""
else:

    def __getattr__(name: str) -> Any:
        """What formats, observers, recipes and training need. No team does, so no team's process imports it as it starts."""
        public = "Outcome" if name == "MatchRecord" else name
        for room in ("formats", "match_record", "lifecycle", "recipes", "learning") if public in __all__ else ():
            if (value := getattr(import_module(f"tiltyard_engine.{room}"), public, None)) is not None:
                globals()[name] = value
                return value
        raise AttributeError(f"module 'tiltyard_engine' has no attribute {name!r}")


__all__ = [
    "Absence",
    "TextPanel",
    "TablePanel",
    "PlotPanel",
    "Panel",
    "CardsPanel",
    "API_VERSION",
    "ActionRequest",
    "Algorithm",
    "BatchStarted",
    "BattleInfo",
    "Bracket",
    "BracketMeeting",
    "Bye",
    "Call",
    "Command",
    "ContractError",
    "Event",
    "Fault",
    "Field",
    "FigureStyle",
    "Fixture",
    "FixtureResult",
    "Format",
    "Frame",
    "Game",
    "GameDisplay",
    "GameEncoding",
    "GameInterface",
    "GameLogs",
    "GameManager",
    "GameMaps",
    "GamePrograms",
    "GameResult",
    "GameTeams",
    "Hooks",
    "Manager",
    "MapError",
    "MapFile",
    "Match",
    "MatchFault",
    "MatchStarted",
    "NoOptions",
    "NotFoundError",
    "Notice",
    "NullRecorder",
    "Observation",
    "Observer",
    "Outcome",
    "Part",
    "PlayedMatch",
    "Player",
    "PlayerFactory",
    "Product",
    "Program",
    "ProgramError",
    "ProgramTeam",
    "Pairing",
    "Publication",
    "Publisher",
    "Recipe",
    "Recorder",
    "Replay",
    "ReplayRecorder",
    "SatelliteView",
    "Seat",
    "SeatAccount",
    "PairingEnding",
    "SeatFault",
    "Spaces",
    "SquareStyle",
    "Step",
    "Table",
    "TankAlgorithm",
    "TankAlgorithmFactory",
    "TankEncoding",
    "TankInterface",
    "TankMemory",
    "TankSeat",
    "TankTeam",
    "Termination",
    "Theme",
    "TournamentFinished",
    "TournamentFormat",
    "TournamentObserver",
    "TournamentResults",
    "TournamentStarted",
    "TurnAlgorithm",
    "TurnEncoding",
    "TurnInterface",
    "TurnSeat",
    "TurnTeam",
    "UserError",
    "ViewExpiredError",
    "Way",
    "choose_all",
    "hides",
    "hookimpl",
    "hookspec",
    "option",
    "ranks_of",
    "start_all",
    "winner_of",
]
