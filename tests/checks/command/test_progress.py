from __future__ import annotations

import re
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


def test_a_bar_shows_the_total_as_it_is_now(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with ProgressBar(0, is_shown=True, unit="answers tried") as progress:
        progress.total = 7
        progress.show(3, "2 of 20 CPU seconds")
    assert "3/7 answers tried" in re.sub(r"\x1b\[[\d;]*m|\s+", " ", capsys.readouterr().err).replace("  ", " ")


def test_a_pipe_gets_a_line_now_and_then_where_it_was_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProgressBar(7, is_shown=False, unit="matches", has_lines=True) as progress:
        progress.show(1, "a - b on m")
        monkeypatch.setattr("tiltyard_checks.command.progress.LINE_SECONDS", -1.0)
        progress.show(2, "a - c on m")
    assert capsys.readouterr().err == "2 of 7 matches: a - c on m\n"
