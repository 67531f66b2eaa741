"""How often bots cost a zygote: once for all of them, whatever they are asked."""

from __future__ import annotations

from pathlib import Path

from tests.plugins.advance.marked_bots import script, small_pack
from typer.testing import CliRunner

from tiltyard_advance import mark_commands
from tiltyard_simulator.guard.cells.zygote import Zygote


def test_further_bots_cost_no_further_zygote(tmp_path: Path, zygotes: list[Zygote]) -> None:
    small_pack(tmp_path / "tests", levels=(4,))
    for number in range(3):
        script(tmp_path / "bots" / f"bot{number}" / "bot", f"#!/bin/sh\necho {number} >&2\n")
    words = ["advance", str(tmp_path / "bots"), "--tests", str(tmp_path / "tests"), "-w", "1", "--output", str(tmp_path / "marks")]
    result = CliRunner().invoke(mark_commands.app, words)
    assert result.stdout.count("0/1") >= 3, result.output
    # Their names are one schedule, and the tests of a level another.
    assert len(zygotes) == 1
