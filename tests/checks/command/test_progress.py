from __future__ import annotations

import sys

import pytest

from tiltyard_checks.command.progress import ProgressBar
from tiltyard_engine.match_record import Outcome


def run(map_name: str = "m", is_shown: bool | None = None) -> ProgressBar:
    with ProgressBar(2, is_shown) as progress:
        progress.finished(Outcome(teams=("a", "b"), map=map_name, ranks=(1, 1)))
    return progress


def test_a_pipe_sees_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run().games == 1
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_it_on_standard_error_only(capsys: pytest.CaptureFixture[str]) -> None:
    run(is_shown=True)
    assert capsys.readouterr().out == ""


def test_a_maps_name_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("[/nothing]", is_shown=True).games == 1


def test_closed_standard_error_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert run().games == 1
