"""The reference of the Python packages has everything that can be imported, with words and an example for each."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from tests.scripts import ROOT, load_script

pytest.importorskip("sphinx", reason="Sphinx is not installed: it comes with the group 'docs'")

PACKAGES = ("tiltyard_engine", "tiltyard_kit.testing", "tiltyard_tournaments", "tiltyard_gym")
api_reference = load_script("docs/_extensions/api_reference.py")
ENTRIES = [entry for page in sorted((ROOT / "docs/api").glob("*.md")) for entry in api_reference.entries(page.read_text("utf-8"))]
HERE = [entry for entry in ENTRIES if importlib.util.find_spec(entry[0].partition(".")[0])]


def test_every_public_name_is_on_a_page_once() -> None:
    assert len(ENTRIES) == len(set(ENTRIES))
    for package in PACKAGES:
        if importlib.util.find_spec(package.partition(".")[0]):
            documented = {name for module, name in ENTRIES if module == package}
            exported = set(importlib.import_module(package).__all__)
            # The library gives on the engine's error under a name of its own.
            assert documented == exported - ({"UserError"} if package == "tiltyard_tournaments" else set())


def undocumented(module: str, name: str, found: Any) -> Iterator[str]:
    """The name, and names of its methods and properties, that have no words of their own."""
    if not (inspect.isclass(found) or inspect.isroutine(found) or hasattr(found, "__wrapped__")):
        if not api_reference.words_of_value(module, name):
            yield name
        return
    # A dataclass without a docstring gets its signature as one.
    if not found.__doc__ or found.__doc__.startswith(f"{name}("):
        yield name
    for member, value in vars(found).items() if inspect.isclass(found) else ():
        function = getattr(value, "fget", None) or getattr(value, "__func__", value)
        if not member.startswith("_") and inspect.isfunction(function) and not inspect.getdoc(getattr(found, member)):
            yield f"{name}.{member}"


def test_everything_has_words() -> None:
    missing = [word for module, name in HERE for word in undocumented(module, name, getattr(importlib.import_module(module), name))]
    assert missing == []


def test_what_has_no_words_is_found() -> None:
    class Silent:
        def said(self) -> None:
            """It does nothing."""

        def unsaid(self) -> None: ...

    assert list(undocumented("", "Silent", Silent)) == ["Silent", "Silent.unsaid"]
    assert list(undocumented("tiltyard_engine", "MANAGER_SEAT_", 1)) == ["MANAGER_SEAT_"]
    assert api_reference.words_of_value("tiltyard_engine", "Algorithm") == "What the hook ``algorithms`` yields."


def test_everything_is_used_in_code_that_the_tests_run() -> None:
    examples = api_reference.examples()
    # What the library's functions return is used without being named.
    assert [name for module, name in HERE if ".library." not in module and name not in examples] == []


def test_names_become_directives() -> None:
    text = api_reference.directives("<!-- api: tiltyard_engine: TankTeam Termination MapError ranks_of Event -->")
    assert [line for line in text.splitlines() if line.startswith("..")] == [
        ".. autoclass:: tiltyard_engine.TankTeam",
        ".. autoclass:: tiltyard_engine.Termination",
        ".. autoexception:: tiltyard_engine.MapError",
        ".. autofunction:: tiltyard_engine.ranks_of",
        ".. autodata:: tiltyard_engine.Event",
    ]
    assert text.count(":undoc-members:") == 1
    assert "`no_such_thing`" in api_reference.directives("<!-- api: no_such_thing: Name -->")
