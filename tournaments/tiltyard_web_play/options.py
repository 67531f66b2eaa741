"""The options of ``tiltyard play GAME --web``; light to import, because every help does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

Web = Annotated[bool, typer.Option("--web", help="Play in the browser. Nobody else can reach the page.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="With --web: the port. 0 means any free one.")]
Clock = Annotated[
    float, typer.Option("--clock", min=0, help="With --web: your seconds for the whole game.", show_default="no limit")
]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="With --web: whether to open a browser.")]


@dataclass(frozen=True, slots=True)
class WebOptions:
    """Whether to play in the browser, and how."""

    web: Web = False
    port: Port = 0
    clock: Clock = 0
    browser: Browser = True
