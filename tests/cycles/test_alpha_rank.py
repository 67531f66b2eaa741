from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from tiltyard_cycles.alpha_rank import INTENSITY, POPULATION, alpha_ranks
from tiltyard_cycles.many_fits import Values


def win_shares(number: int, spread: float) -> Values:
    draw = np.random.default_rng(number)
    upper = np.triu(np.clip(0.5 + draw.normal(0, spread, (number, number)), 0.01, 0.99), 1)
    return np.asarray(upper + np.tril(1 - upper.T, -1) + np.eye(number) / 2)


@pytest.mark.parametrize("spread", [0.005, 0.05, 0.2])
@pytest.mark.parametrize("number", [2, 3, 8])
@pytest.mark.filterwarnings("ignore:overflow encountered in exp:RuntimeWarning")
def test_it_is_open_spiels(number: int, spread: float, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("open_spiel.python.egt.utils")
    drawing = "open_spiel.python.egt.alpharank_visualizer"  # needs matplotlib, and only draws
    monkeypatch.setitem(sys.modules, drawing, ModuleType(drawing))
    open_spiel = pytest.importorskip("open_spiel.python.egt.alpharank")
    shares = win_shares(number, spread)
    _, _, expected, _, _ = open_spiel.compute([shares], m=POPULATION, alpha=INTENSITY)
    assert alpha_ranks(shares[None])[0] == pytest.approx(expected, abs=1e-9)


def test_a_circle_shares_what_the_best_would_have_alone() -> None:
    circle = np.array([[0.5, 0.9, 0.1, 0.8], [0.1, 0.5, 0.9, 0.8], [0.9, 0.1, 0.5, 0.8], [0.2, 0.2, 0.2, 0.5]])
    order = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    assert alpha_ranks(circle[None])[0] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-9)
    assert alpha_ranks(order[None])[0] == pytest.approx([1, 0, 0], abs=1e-9)
    assert alpha_ranks(np.full((1, 1, 1), 0.5)) == pytest.approx(1)
