"""What a host asks a cell, and what a cell may answer. Everything is decoded strictly by these types."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from tiltyard_engine.records import PlayerArguments
from tiltyard_engine.registry import Description, Reference, Source
from tiltyard_engine.results import Fault, Termination


class FailureKind(StrEnum):
    """The verdicts that a cell may report of itself; all others are the host's to find."""

    CRASH = Termination.CRASH.value
    PROTOCOL = Termination.PROTOCOL.value
    OUT_OF_MEMORY = Termination.OUT_OF_MEMORY.value


class Failure(msgspec.Struct, frozen=True, array_like=True):
    """How the team's code failed, in the words that an inline seat uses."""

    kind: FailureKind
    message: str
    traceback: str = ""


class OpenTanks(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Load the team and create its Player."""

    algorithm: Reference
    seat: int
    arguments: PlayerArguments
    watch_infos: bool = False
    """Whether a tank that keeps its BattleInfo is a fault: only where a team is checked."""


class OpenTurns(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Load the team; ``game`` is the record that names the types of positions and answers."""

    algorithm: Reference
    seat: int
    game: Reference


class CreateTank(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """Create the tank of that index."""

    tank: int


class Act(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """Ask these tanks in this order."""

    tanks: list[int]


class Brief(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Let the Player update a tank; the board is sent only if it looks at the view."""

    tank: int


class Board(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """The rows of the view; None where the GameManager's own view failed."""

    rows: list[str] | None


class Inform(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """Hand a tank an empty BattleInfo that a GameManager made itself."""

    tank: int


class Start(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """Create the algorithm and show it the first position."""

    position: msgspec.Raw


class Choose(msgspec.Struct, frozen=True, array_like=True, tag=9):
    """Ask for the answer to a position."""

    position: msgspec.Raw


class Describe(msgspec.Struct, frozen=True, array_like=True, tag=20):
    """Import a plugin and tell what it contributes."""

    source: Source


class OpenManager(msgspec.Struct, frozen=True, array_like=True, tag=21):
    """Load a GameManager and the game that it is for, and read the map by the game's own rules."""

    manager: Reference
    game: Reference
    map_name: bytes
    """A file's name need not be text: UTF-8 with ``surrogatepass``."""
    map_data: bytes
    players: int
    rounds: int | None
    """End after so many; None: play it out."""


class RunMatch(msgspec.Struct, frozen=True, array_like=True, tag=22):
    """Let the GameManager run a match; from here on ``manager_messages`` are spoken."""

    seats: list[str]
    """Names, seat 1 first."""
    faults: list[Fault | None]
    """Of seats that have failed before the match began."""
    seed: int
    verbose: bool
    records: bool
    """Whether what is recorded is wanted."""


class Done(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """It was done; also the first word of a cell, once it is confined."""


class Failed(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """The team's code failed."""

    failure: Failure


class Acted(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """One byte an action, in the order asked; fewer than asked only together with a failure."""

    actions: bytes
    failure: Failure | None = None


class BoardWanted(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """The Player looks at its view."""


class Chosen(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """The answer, already checked in the cell to be of the game's type, and to be decoded as it again."""

    answer: msgspec.Raw


class Described(msgspec.Struct, frozen=True, array_like=True, tag=20):
    """What the plugin's own process says of it."""

    description: Description


Request: TypeAlias = (
    OpenTanks | OpenTurns | CreateTank | Act | Brief | Board | Inform | Start | Choose | Describe | OpenManager | RunMatch
)
Reply: TypeAlias = Done | Failed | Acted | BoardWanted | Chosen | Described

ENCODER: Final = msgspec.msgpack.Encoder()
REQUESTS: Final = msgspec.msgpack.Decoder(Request)
REPLIES: Final = msgspec.msgpack.Decoder(Reply)

EXIT_DISCONNECTED: Final = 113
"""A cell's exit code when its pipes were closed under it."""
EXIT_OUT_OF_MEMORY: Final = 114
"""A cell's exit code when there was not even memory left to report it."""
EXIT_UNCONFINED: Final = 115
"""A cell's exit code when it could not be set up; no code of a team has run."""


def sendable(text: str) -> str:
    """The text with a question mark for each character that is none, such as those of a file's name that is no text."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
