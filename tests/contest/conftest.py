from __future__ import annotations

from pathlib import Path

import pytest
from tests.contest.stages_cup import play_stages
from tests.site.conftest import left_visits, visit

__all__ = ["left_visits", "visit"]


@pytest.fixture(scope="session")
def stages_cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy it to change it."""
    return play_stages(tmp_path_factory.mktemp("stages"))
