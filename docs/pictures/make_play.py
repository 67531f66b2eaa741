"""Makes the picture of a game in the browser: really plays some moves of connect four against a player of the example.

Run as ``.venv/bin/python docs/pictures/make_play.py``; needs Debian's chromium.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from pictures.photographs import browser, save  # noqa: E402 -- it lies beside this program

RULES = ROOT / "docs" / "examples" / "games" / "connect_four.py"
GAME = ("connect-four", "--web", "--no-browser", "--against", "four-careful", "--trust", str(RULES))
MOVES = ("column 3", "column 3", "column 2", "column 1")


def main() -> int:
    """Serve, play, photograph."""
    command = [str(Path(sys.executable).with_name("tiltyard")), "play", *GAME]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, browser() as chromium:
        assert server.stdout is not None
        found = re.search(r"http\S+?(?=;)", server.stdout.readline())
        assert found is not None
        page = chromium.new_page(viewport={"width": 1180, "height": 680}, reduced_motion="reduce")
        page.goto(found[0])
        for number, move in enumerate(MOVES):
            page.get_by_role("button", name=move, exact=True).click()
            page.locator(".news li").nth(2 * number + 1).wait_for()
        page.locator("button.square").first.wait_for()
        save("play-web.png", page.screenshot())
        server.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
