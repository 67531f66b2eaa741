"""Makes the picture of a notebook: executes its cells and photographs the page.

Run as ``.venv/bin/python docs/pictures/make_notebook.py``; needs Debian's chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[number]) for number in (1, 2)]

from pictures.photographs import browser, save  # noqa: E402 -- it lies beside this program
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


def main() -> int:
    """Execute, lay out, photograph."""
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        values = execute([DEFINITIONS, 'import os; os.chdir("' + folder + '")', *CELLS])[2:]
        file = Path(folder, "notebook.html")
        file.write_text(page(CELLS, values), encoding="utf-8")
        shown = chromium.new_page(viewport={"width": 1000, "height": 900}, color_scheme="light")
        shown.goto(file.as_uri())
        element = shown.query_selector("iframe.tiltyard-replay")
        frame = element.content_frame() if element is not None else None
        assert frame is not None
        frame.wait_for_selector(".counter")
        for _ in range(ROUND):
            frame.click(".control.on")
        taken = shown.screenshot(full_page=True)
    save("notebook.png", taken)
    return 0


if __name__ == "__main__":
    sys.exit(main())
