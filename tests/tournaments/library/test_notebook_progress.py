"""The bar below a cell while a tournament is played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import DUEL, map_text

import tiltyard_tournaments as tiltyard
from tiltyard_engine import Notice
from tiltyard_tournaments.library.notebook_progress import Html, in_notebook, notebook_display


def test_what_a_cell_shows(tmp_path: Path) -> None:
    shown: list[Html] = []

    def show(first: Html) -> Callable[[Html], None]:
        shown.append(first)
        return shown.append

    (tmp_path / "duel.txt").write_text(map_text(DUEL, 20, 5))
    cup = tiltyard.tournament(
        title="Duel & co", teams=["acorn", "bramble"], maps=tmp_path / "duel.txt", game="tanks", workers=1, output=tmp_path / "cup"
    )
    with notebook_display("Duel & co", show) as display:
        display(Notice("a machine <was> lost"))
        cup.run(progress=display)
    assert "width: 0%" in shown[0]._repr_html_()
    last = shown[-1]._repr_html_()
    assert "width: 100%" in last
    assert "Duel &amp; co" in last
    assert "a machine &lt;was&gt; lost" in last
    assert repr(shown[-1]).startswith("Duel & co: finished: 2 games (2 played in this run) in 0:0")
    assert len(shown) <= 5, "at most four times a second"


def test_no_notebook_here() -> None:
    assert not in_notebook()
