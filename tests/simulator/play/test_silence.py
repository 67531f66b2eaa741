"""What a match prints is discarded, and what other threads print meanwhile is not."""

from __future__ import annotations

import sys
import threading
import weakref

import pytest

from tiltyard_simulator.play.silence import silence


def test_only_the_own_thread_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    inside, done = threading.Event(), threading.Event()

    def play() -> None:
        with silence():
            print("a move")
            inside.set()
            done.wait(60)
            print("another move")

    thread = threading.Thread(target=play)
    thread.start()
    assert inside.wait(60)
    print("meanwhile")
    assert sys.stdout.isatty() is before.isatty()
    done.set()
    thread.join()
    assert capsys.readouterr().out == "meanwhile\n"
    assert sys.stdout is before


def test_one_in_another(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    with silence():
        with silence():
            print("inner")
        print("outer")
        sys.stdout.writelines(["also", "outer"])
    print("after")
    assert capsys.readouterr().out == "after\n"
    assert sys.stdout is before


def test_what_a_thread_may_be_printing_to_is_not_freed() -> None:
    """Python 3.11's ``print`` doesn't own ``sys.stdout``: a segmentation fault, seen once with an observer that prints."""
    with silence():
        output = weakref.ref(sys.stdout)
    assert output() is not None
    with silence():
        assert sys.stdout is output()
