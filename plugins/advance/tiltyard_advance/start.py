"""The position that every game begins with, unless an opening is played first."""

from __future__ import annotations

from typing import Final

START: Final = "mjdsgscjmbzzzzzzzb.............................................BZZZZZZZBMJCSGSDJM"
"""81 characters, line 1 first. Turned by half a turn with the colours exchanged it is the same."""
SIDES: Final = ("white", "black")
"""Words for sides, by side."""
