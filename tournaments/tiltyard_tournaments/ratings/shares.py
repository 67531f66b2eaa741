"""How sure a share of points is: what a few games tell about one opponent or one map."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def share_interval(wins: float, ties: float, losses: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of the share of points, where a win is 1 and a tie 1/2: its lower and upper end.

    Ties vary less than wins and losses, so with ties the interval is wider than it need be, never too narrow on their account.
    Like every interval here it takes games as independent.
    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927), 209-212.

    Raises:
        ValueError: there are no games.
    """
    games = wins + ties + losses
    if games < 1:
        raise ValueError("no games, no share")
    share = (wins + ties / 2) / games
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
