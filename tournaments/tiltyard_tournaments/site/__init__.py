"""The published site: a folder of pages that needs no server, no network and no build step."""

from tiltyard_tournaments.site.data import Logo, RatedTeams, Rating, SeatView, SiteData
from tiltyard_tournaments.site.publication import Published, publish

__all__ = ["Logo", "Published", "RatedTeams", "Rating", "SeatView", "SiteData", "publish"]
