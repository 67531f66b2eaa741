"""Packages that are on this machine by chance are told of, and those that come with tiltyard aren't."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.engine.making import install

from tiltyard_intake.environments import chance_packages
from tiltyard_intake.environments.allowed import Allowed, allowed_of
from tiltyard_intake.environments.chance_packages import imported, notes_on_chance

SOURCE = b"""import os, sys, numpy as np, helpers
from tiltyard_engine import hookimpl
from . import other
import by_chance.parts as parts
    from msgspec import json
text = 'from nowhere to here'
"""


def test_what_is_imported() -> None:
    assert imported([SOURCE]) == {"numpy", "helpers", "tiltyard_engine", "by_chance", "msgspec"}
    assert imported([b'  "import by_chance\\n",\n']) == {"by_chance"}


def test_a_package_that_only_this_machine_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = install(tmp_path, "By.Chance", "1.0", {})
    (about / "top_level.txt").write_text("by_chance\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    chance_packages._distributions.cache_clear()
    names = ["bot.py", "helpers.py"]
    note = "by_chance is on this machine by chance and will be missing elsewhere: name by-chance in requirements.txt"
    assert list(notes_on_chance([SOURCE], names, Allowed())) == [f"{note}, and ask the organiser to add --allow by-chance"]
    assert list(notes_on_chance([SOURCE], names, allowed_of(["by-chance"], None))) == [note]
    assert not list(notes_on_chance([SOURCE], [*names, "by_chance/__init__.py"], Allowed()))
    chance_packages._distributions.cache_clear()


def test_a_program_has_nothing_but_python_for_sure() -> None:
    (note,) = notes_on_chance([b"import json, packaging, not_there_at_all"], ["main.py"], Allowed(), sys.executable)
    assert "name packaging in requirements.txt" in note
