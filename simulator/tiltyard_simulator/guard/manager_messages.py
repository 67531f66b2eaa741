"""What a GameManager in a cell of its own wants of the host, and what the host tells it.

The host's first question is to play the match. From then on each answer of the cell is a want, and the host's next
question is what came of it; the last answer is the claim. What the manager has recorded rides along.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.guard.messages import Done, Failed


class Opened(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """The GameManager is loaded; how it wants to hear of seats that fail."""

    on_fault: Literal["idle", "raise"]


# What the manager's cell wants. ``seat`` counts from 1; a ``tank`` is the number under which the host created it.


class TankWanted(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Let the seat create a tank."""

    seat: int
    tank_index: int


class ActionsWanted(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Ask these tanks of the seat at once."""

    seat: int
    tanks: list[int]


class ActionWanted(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """Ask one tank."""

    seat: int
    tank: int


class BriefingWanted(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """Let the Player update a tank; the manager shows its view if somebody looks."""

    seat: int
    tank: int


class InformingWanted(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Hand a tank an empty BattleInfo."""

    seat: int
    tank: int


class ChargeWanted(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """Charge the seat with a fault that the rules found."""

    seat: int
    termination: Termination
    message: str


class StartWanted(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """Tell the seat that play begins."""

    seat: int
    position: msgspec.Raw


class ChoiceWanted(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """Ask the seat for its answer to a position."""

    seat: int
    position: msgspec.Raw


class Recorded(msgspec.Struct, frozen=True, array_like=True, tag=9):
    """Nothing but what rides along."""


class Shown(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """The rows of the manager's view, which the host asked for."""

    rows: list[str]


class Unshown(msgspec.Struct, frozen=True, array_like=True, tag=11):
    """The manager's own view failed."""


class Claimed(msgspec.Struct, frozen=True, array_like=True, tag=12):
    """The manager's result."""

    claim: GameResult


Want: TypeAlias = (
    TankWanted
    | ActionsWanted
    | ActionWanted
    | BriefingWanted
    | InformingWanted
    | ChargeWanted
    | StartWanted
    | ChoiceWanted
    | Recorded
    | Shown
    | Unshown
    | Claimed
)


class Says(msgspec.Struct, frozen=True, array_like=True, tag=11):
    """One step of the manager's: what it wants, and what it has recorded since the last one."""

    want: Want
    recorded: list[msgspec.Raw]
    """Each a ``RecordedStart`` or a ``RecordedFrame``."""


class RecordedStart(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """``Recorder.start``."""

    width: int
    height: int
    squares: list[str]


class RecordedFrame(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """``Recorder.frame``."""

    changes: list[tuple[int, str]]
    actions: list[str]
    scores: list[float]
    notes: list[str]


# What the host tells. ``fault`` is the seat's first fault, sent once; None says that there is nothing new.


class Told(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """It was done."""

    fault: Fault | None = None


class Created(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """The tank is there, under this number."""

    tank: int
    fault: Fault | None = None


class Answered(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """One byte an action, in the order asked."""

    actions: bytes
    fault: Fault | None = None


class Answer(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """A turn seat's answer, of the game's type."""

    answer: msgspec.Raw
    fault: Fault | None = None


class Raised(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """The seat raised SeatFault, after so many answers; also what ``charge`` returns."""

    fault: Fault | None
    answers: bytes = b""


class Refused(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """The call broke the contract, in these words."""

    message: str
    fault: Fault | None = None


class Look(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """Show the view of the briefing that is under way."""

    width: int
    height: int


class ViewFailed(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """The briefing ended because the manager's own view failed: let it have its error back."""

    fault: Fault | None = None


Tells: TypeAlias = Told | Created | Answered | Answer | Raised | Refused | ViewFailed

FOREIGN: Final = -1
"""In place of the number of a tank that the seat did not create."""

OPENINGS: Final = msgspec.msgpack.Decoder(Opened | Failed | Done)
STEPS: Final = msgspec.msgpack.Decoder(Says | Failed)
TELLS: Final = msgspec.msgpack.Decoder(Told | Created | Answered | Answer | Raised | Refused | Look | ViewFailed)
RECORDS: Final = msgspec.msgpack.Decoder(RecordedStart | RecordedFrame)
