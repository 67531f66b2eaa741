"""Matches whose GameManager and teams are all files of one loader, played as a whole in a process of their own.

This is how compiled code runs ``inline``, or together in one sandbox: at full speed, with nothing between the manager and its
players.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.programs import Program
from tiltyard_engine.results import Fault, GameResult

Starter: TypeAlias = Callable[[Path], Program]
"""Starts an executable file in a sandbox, in which it can read itself and the files of one match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeMatch:
    """A match and its limits; a limit of 0 is none."""

    manager: Path
    algorithms: tuple[Path, ...]
    """Seat 1 first."""
    board: Any
    """The map, as the game read it."""
    map_name: str
    names: tuple[str, ...]
    """Of the algorithms, seat 1 first."""
    folder: Path
    """In which the match's process works: what its code writes lands there. One that isn't there is made, and removed afterwards.

    A relative path begins where the host was started, such as in the scratch folder of a sandbox."""
    verbose: bool = False
    """Whether the manager's own log is wanted."""
    cpu_seconds: float = 0.0
    """For the whole match, all its code together."""
    wall_seconds: float = 0.0
    memory_bytes: int = 0
    file_bytes: int = 16 << 20
    """The longest file that may be written, and the most that may be printed."""
    step_seconds: tuple[tuple[float, float], ...] = ()
    """CPU and wall seconds of a single call: first those of the manager between two of its asks, then those of each seat."""
    output_bytes: int = 1 << 16
    """How much is kept of what is printed."""


@dataclass(frozen=True, slots=True)
class NativeOutcome:
    """The outcome of a NativeMatch."""

    claim: GameResult | None
    """The manager's; None if it made none, which its fault explains."""
    faults: tuple[Fault, ...]
    output: bytes
    """What manager and teams printed, mixed."""
    cpu_seconds: float


class NativeHost(ABC):
    """Plays such matches one after the other. It may keep the files that it has loaded, but nothing that a match left behind."""

    @abstractmethod
    def play(self, match: NativeMatch) -> NativeOutcome:
        """Play a match. What its files do wrong is in the outcome's faults.

        Raises:
            UserError: this machine cannot play it, as where there is no compiler.
        """

    @abstractmethod
    def close(self) -> None:
        """End all that was started."""
