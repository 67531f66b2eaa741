"""Photographs of pages, in the browser that Debian has, with a note of what each was drawn from."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pictures.drawn_from import note
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).resolve().parent
LARGEST = 300_000
"""Bytes of a picture."""


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium, with or without its window."""
    program = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    if program is None:
        raise SystemExit("needs chromium: apt install chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--headless=new"])
        try:
            yield found
        finally:
            found.close()


def save(name: str, picture: bytes) -> None:
    """As a PNG of few colours, which is enough for a page and a fraction of the size."""
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(FOLDER / name, optimize=True)
    size = (FOLDER / name).stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{name} has {size} bytes: expected at most {LARGEST}")
    note(name, Path(sys.argv[0]).name)
    print(f"{name}: {image.width} x {image.height}, {size / 1000:.0f} kB")
