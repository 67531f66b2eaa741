"""How strong teams are, and how sure that is: ratings with intervals, and a sequential test for two teams.

``davidson`` rates from games of two, ``plackett_luce`` from games of more; ``rate`` takes what fits. ``sprt`` tests two teams,
``shares`` has intervals for few games. All count first and look at counts alone, so the order of games cannot matter.
They need numpy, which takes a moment to load: import its modules where they are used. ``beyond_ratings`` finds what no rating says.
"""

from functools import cache
from typing import Any, Final

from tiltyard_engine.registry.sources import host_value

BEYOND_RATINGS: Final = "tiltyard.tables"
"""The entry-point group of that."""


@cache
def beyond_ratings() -> Any:
    """What says whether one number a team fits, and has tables of its own; None: it is not there."""
    return host_value(BEYOND_RATINGS)
