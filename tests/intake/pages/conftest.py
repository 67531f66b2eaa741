"""The browser of the site's tests, for the pages of an intake."""

from __future__ import annotations

from tests.site.conftest import left_visits, visit

__all__ = ["left_visits", "visit"]
