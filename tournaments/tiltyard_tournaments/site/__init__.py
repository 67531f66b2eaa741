"""The published site: a folder of pages that needs no server, no network and no build step."""

from tiltyard_tournaments.site.data import Hidden, Link, Logo, Rating, SeatView, SiteData, SiteTeam
from tiltyard_tournaments.site.publishing import Published, publish

__all__ = ["Hidden", "Link", "Logo", "Published", "Rating", "SeatView", "SiteData", "SiteTeam", "publish"]
