"""The commands by their names; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """What looks closely at a team, a tournament, a fault, a message or this machine."""
    yield Command("check", "Check one team step by step.", "tiltyard_checks.command.check:app")
    about = "Show a tournament's schedule and how long it takes."
    yield Command("plan", about, "tiltyard_checks.command.plan:app")
    yield Command("status", "Show a tournament's progress.", "tiltyard_checks.command.status:app")
    about = "Play a tournament's matches again and compare the bytes."
    yield Command("verify", about, "tiltyard_checks.command.verify:app")
    about = "Print a tournament's matches as JSON lines."
    yield Command("export", about, "tiltyard_checks.command.export:app")
    yield Command("recover", "Save what is intact in a damaged store.", "tiltyard_checks.command.recover:app")
    yield Command("debug", "Ask a team the questions of a match that it failed in.", "tiltyard_checks.command.debug:app")
    yield Command("doctor", "Test how well this machine can confine code.", "tiltyard_checks.command.doctor:app")
    yield Command("plugins", "List plugins and their errors.", "tiltyard_checks.command.plugins:app")
    yield Command("explain", "Explain an error message.", "tiltyard_checks.command.explain:app")
