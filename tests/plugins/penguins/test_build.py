from __future__ import annotations

import os

import pytest

from tiltyard_penguins import rules

EXPECTED = "TILTYARD_EXPECT_COMPILED"


@pytest.mark.parametrize("module", [rules])
def test_the_build_that_is_meant_is_tested(module: object) -> None:
    """Set the variable where the compiled build is on the path: then these tests are of it, else of the sources."""
    file = str(getattr(module, "__file__", ""))
    assert file.endswith((".so", ".pyd")) == (os.environ.get(EXPECTED) == "1"), file
