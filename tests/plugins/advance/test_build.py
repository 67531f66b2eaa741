"""Which build is tested: see tests/plugins/tanks/test_build.py."""

from __future__ import annotations

import os

import pytest

from tiltyard_advance import evaluation, levels, rules, search, zobrist

EXPECTED = "TILTYARD_EXPECT_COMPILED"


@pytest.mark.parametrize("module", [rules, levels, evaluation, zobrist, search])
def test_the_build_that_is_meant_is_tested(module: object) -> None:
    file = str(getattr(module, "__file__", ""))
    assert file.endswith((".so", ".pyd")) == (os.environ.get(EXPECTED) == "1"), file
