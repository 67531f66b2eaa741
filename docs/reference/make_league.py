"""Writes the table of keys in league.md from the league file's model.

Run as ``.venv/bin/python docs/reference/make_league.py``. With ``--check`` it only says whether the page is up to date: 0 or 1.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tiltyard_league.league_file.model import LeagueKeys

PAGE = Path(__file__).with_name("league.md")


def table() -> str:
    """A row for each key."""
    rows = ["| Key | Default | Meaning |", "|---|---|---|"]
    for name, field in LeagueKeys.model_fields.items():
        default = "" if field.default is None else str(field.default).lower()
        rows.append(f"| `{field.alias or name}` | {default} | {field.description} |")
    return "\n".join(rows)


def main() -> int:
    """Write the page, or compare it."""
    text = PAGE.read_text(encoding="utf-8")
    new = re.sub(r"(?<=<!-- keys -->\n).*?(?=\n<!-- end of keys -->)", lambda _: table(), text, flags=re.DOTALL)
    if "--check" in sys.argv[1:]:
        return int(new != text)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
