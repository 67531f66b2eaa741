"""Tournament files as text, as the tests of their room read them."""

from __future__ import annotations

from tests.tournaments.tournament_file.conftest import read

__all__ = ["read"]
