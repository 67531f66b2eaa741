"""What plugins' commands give to typer as ``autocompletion``; what tiltyard makes of it is tested with its own completion."""

from __future__ import annotations

from types import SimpleNamespace

from tiltyard_engine.host import names_of


def test_only_what_the_command_itself_knows_is_offered_without_tiltyard() -> None:
    complete = names_of("algorithms", game="advance", also=("me", "champion"))
    assert complete(SimpleNamespace(meta={}), "m") == [("me", "")]
    assert complete(SimpleNamespace(meta={}), "") == [("me", ""), ("champion", "")]
