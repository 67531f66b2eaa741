"""The name that ``tiltyard_kit.terminal`` had before, for those of its modules that games use. They still work."""

import sys
import warnings

from tiltyard_engine.texts import time_left
from tiltyard_kit.terminal import console, palette, saved_game, squares

for module in (console, palette, saved_game, squares, time_left):
    # The modules themselves, so that whoever imports both names has the same classes.
    sys.modules[f"{__name__}.{module.__name__.rpartition('.')[2]}"] = module

warnings.warn(
    "tiltyard_engine.terminal is now tiltyard_kit.terminal, and its time_left tiltyard_engine.texts.time_left: import these",
    DeprecationWarning,
    stacklevel=2,
)
