"""Writing the site to a folder, which needs no server, no network and no build step.

whole_site.py      all files of a site
replay_bundles.py  the replays, several in a file
page_writer.py     the folder: only what has changed is written, and what others put there is left alone
publisher.py       the site as one of the publishers of a tournament

It may import ``pages`` and the core. Begin with ``whole_site.py``; programs call ``publish`` with a ``SiteData``.
"""

from tiltyard_site.pages.data import Logo, RatedTeams, Rating, SeatView, SiteData
from tiltyard_site.publication.whole_site import Published, publish

__all__ = ["Logo", "Published", "RatedTeams", "Rating", "SeatView", "SiteData", "publish"]
