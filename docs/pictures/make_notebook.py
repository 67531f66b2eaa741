"""Makes the picture of a notebook: executes its cells and photographs the page.

Run as ``.venv/bin/python docs/pictures/make_notebook.py``; needs Debian's chromium.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

from tests.tournaments.library.executed_notebook import execute, page  # noqa: E402 -- notebooks are executed as in the tests

DEFINITIONS = """
import tiltyard_tournaments as tiltyard
from tiltyard_engine import ActionRequest, TankAlgorithm


class Gunner(TankAlgorithm):
    def get_action(self):
        return ActionRequest.SHOOT

    def update_battle_info(self, info):
        pass
"""
CELLS = (
    'tiltyard.play([Gunner, "acorn"], map="two-fortresses")',
    'cup = tiltyard.tournament(teams=[Gunner, "acorn", "bramble", "coyote"], maps=["narrow-pass", "back-yard"])\ncup.run()',
    'cup.table("crosstable")',
    'tiltyard.compare("bramble", "acorn")',
)
ROUND = 12
COLORS = 128
LARGEST = 300_000
"""Bytes of the picture."""


def main() -> int:
    """Execute, lay out, photograph."""
    program = shutil.which("chromium")
    if program is None:
        print("needs chromium: apt install chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        values = execute([DEFINITIONS, 'import os; os.chdir("' + folder + '")', *CELLS])[2:]
        file = Path(folder, "notebook.html")
        file.write_text(page(CELLS, values), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--headless=new"])
        shown = browser.new_page(viewport={"width": 1000, "height": 900}, color_scheme="light")
        shown.goto(file.as_uri())
        element = shown.query_selector("iframe.tiltyard-replay")
        frame = element.content_frame() if element is not None else None
        assert frame is not None
        frame.wait_for_selector(".counter")
        for _ in range(ROUND):
            frame.click(".control.on")
        taken = shown.screenshot(full_page=True)
        browser.close()
    picture = Image.open(io.BytesIO(taken)).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    target = FOLDER / "notebook.png"
    picture.save(target, optimize=True)
    assert target.stat().st_size <= LARGEST, f"{target} has {target.stat().st_size} bytes"
    print(f"{target.name}: {picture.width} x {picture.height}, {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
