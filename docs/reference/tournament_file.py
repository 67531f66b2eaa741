"""tournament-file.md, the keys of a tournament file, and the JSON Schema that is shipped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import tiltyard_tournaments.tournament_file as room
from tiltyard_tournaments.tournament_file.json_schema import SCHEMA_FILE, key_rows, schema_text

PAGE = Path(__file__).with_name("tournament-file.md")
SCHEMA = Path(next(iter(room.__path__))) / SCHEMA_FILE
INTRODUCTION = """\
# The tournament file

A tournament file is a YAML file. `tiltyard run FILE` plays it. Every key has a default, so a few lines are enough:

```yaml
game: tanks
teams: all installed
maps: all installed
format: round-robin
```

The whole file is checked before anything is played. Each problem is reported with the file, the line, the key, what was expected
and what was found. Paths are relative to the file's folder.

There are short forms. `teams[]`, `maps[]`, `format` and `scoring` can be a single word instead of keys and values. A list with one
item can be written as that item. `qualify: level 4` means `qualify: {level: 4}`, and `disqualify: {thunder: late}` means
`disqualify: {thunder: {reason: late}}`.

`tiltyard new tournament` writes a commented file, and the JSON Schema next to it. Editors find the schema by the file's first line:

```yaml
# yaml-language-server: $schema=tournament.schema.json
```

`docs/make.py tournament-file` makes this page and the schema; a test keeps them up to date. See [formats](formats.md) for the
options of formats, [standings](standings.md) for tie-breaks and ratings, and [isolation](isolation.md) for limits.

| key | default | meaning |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    return INTRODUCTION + "".join(f"| `{key}` | {default} | {text} |\n" for key, default, text in key_rows())


def files() -> Mapping[Path, str]:
    """The page and the schema."""
    return {PAGE: page(), SCHEMA: schema_text()}
