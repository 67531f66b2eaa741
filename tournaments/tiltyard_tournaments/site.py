"""The name that ``tiltyard_site.publication`` had before. Programs that use it still work."""

import warnings

from tiltyard_site.publication import Logo, Published, RatedTeams, Rating, SeatView, SiteData, publish

__all__ = ["Logo", "Published", "RatedTeams", "Rating", "SeatView", "SiteData", "publish"]

warnings.warn("tiltyard_tournaments.site is now tiltyard_site.publication: import that", DeprecationWarning, stacklevel=2)
