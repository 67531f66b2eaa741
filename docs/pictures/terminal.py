"""A terminal after a command: really plays a match in it, and draws what is printed, in both looks."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

FOLDER = Path(__file__).resolve().parent
COMMAND = ("tiltyard", "watch", "dragoon", "coyote", "--map", "narrow-pass")
COLUMNS = 66

SIXTEEN = [(0, 0, 0), (205, 49, 49), (13, 140, 90), (170, 130, 0), (36, 114, 200), (150, 60, 150), (17, 140, 170), (200, 200, 200)]
LOOKS = {
    "terminal.svg": TerminalTheme((250, 250, 250), (30, 32, 38), SIXTEEN),
    "terminal-dark.svg": TerminalTheme((24, 26, 31), (225, 228, 232), SIXTEEN),
}

FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""As rich's own, but without its fonts, which come from another host."""


def files() -> Mapping[Path, str]:
    """The terminal in each look."""
    printed = play()
    return {FOLDER / name: draw(printed, theme) for name, theme in LOOKS.items()}


def play() -> str:
    """What the command prints in a terminal of many colours; the sample teams play the same game every time."""
    program = str(Path(sys.executable).with_name(COMMAND[0]))
    environment = {**os.environ, "COLORTERM": "truecolor", "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [program, *COMMAND[1:], "--color"], capture_output=True, check=True, env=environment, text=True, encoding="utf-8"
    )
    return done.stdout.rstrip()


def draw(printed: str, theme: TerminalTheme) -> str:
    """The terminal after the command."""
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor", legacy_windows=False
    )
    console.print(Text(f"$ {' '.join(COMMAND)}", style="bold"))
    console.print(Text.from_ansi(printed), no_wrap=True, crop=True)
    return console.export_svg(title="", theme=theme, code_format=FORMAT, unique_id="terminal")
