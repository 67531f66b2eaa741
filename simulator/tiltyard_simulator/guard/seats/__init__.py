"""The kinds of seats, a file or folder each: ``tanks`` and ``turns``. ``kinds`` says what a kind consists of."""

from tiltyard_simulator.guard.seats.kinds import add_kind
from tiltyard_simulator.guard.seats.tanks import TANKS
from tiltyard_simulator.guard.seats.turns import TURNS

__all__ = ["TANKS", "TURNS"]

add_kind(TANKS)
add_kind(TURNS)
