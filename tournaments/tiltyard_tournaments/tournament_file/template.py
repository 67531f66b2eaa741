"""The commented file that ``tiltyard new tournament`` writes."""

from __future__ import annotations

from tiltyard_tournaments.tournament_file.json_schema import SCHEMA_FILE


def tournament_template(title: str, game: str) -> str:
    """A tournament file that can be run as it is; what is commented out shows the other keys."""
    return f"""\
# yaml-language-server: $schema={SCHEMA_FILE}
# Run it:     tiltyard run FILE        (again to go on where it stopped)
# Look ahead: tiltyard plan FILE
# Publish:    tiltyard publish FILE
# All keys:   docs/reference/tournament-file.md

title: {_quoted(title)}
game: {game}

# Installed names, .py and .so files, package folders, programs, folders of these. Paths are relative to this file.
teams:
  - all installed
  # - submissions/
  # - team: special/thunder.py
  #   limits: {{move_seconds: 2}}

# Shipped maps by name, files, folders, patterns, generated ones.
maps:
  - all installed
  # - maps/*.txt
  # - generate: {{count: 5, seed: 7, rows: 15, cols: 25}}

# round-robin, gauntlet, swiss, knockout, competition, pools, until-settled; their options stand beside the name.
format: round-robin
# format: {{name: swiss, rounds: 5}}

# games: 1                 # of each pairing on each map
# seed: 1                  # all chance comes from it
# manager: reference       # the GameManager
# scoring: {{win: 3, draw: 1, loss: 0}}
# tie-breaks: [wins, head-to-head, sonneborn-berger]
# limits: {{move_seconds: 1, memory_bytes: 5.0e+8}}
# quarantine: 10           # matches with faults before a team is taken out; 0: never
# workers: 0               # 0: one a core
# output: results          # by default a folder of this file's name

# observers: [notices.py]  # plugins that hear of the run; their code must be trusted
# trust: [./notices.py]

# publication:
#   publishers: [site, markdown]   # also at the end of a run; without: the site, by 'tiltyard publish'
#   title: The spring cup of our course
#   logo: logo.png
#   links: {{The course: "https://example.org/"}}
#   hide: [output]         # output, faults, replays, ratings
"""


def _quoted(text: str) -> str:
    """As a YAML scalar."""
    return "'" + text.replace("'", "''") + "'"
