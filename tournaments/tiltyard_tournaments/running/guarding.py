"""What a plugin's code did wrong, in one line: who it is from, what was raised, and where."""

from __future__ import annotations

import traceback
from pathlib import Path

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.wording import one_line
from tiltyard_tournaments.running.tournament import Chosen


def what_went_wrong(chosen: Chosen, error: BaseException) -> str:
    """Such as ``slack (slack-team 1.0): raised KeyError: 'x' (slack.py, line 12)``; a UserError is told as it is."""
    source = chosen.reference.source
    who = chosen.name if str(source) == chosen.name else f"{chosen.name} ({_from(chosen)})"
    if isinstance(error, UserError):
        return one_line(f"{who}: {error}")
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return one_line(f"{who}: raised {describe(error)}{where}")


def _from(chosen: Chosen) -> str:
    """The distribution and version of something installed, else the file."""
    source = chosen.reference.source
    return f"{source.distribution} {source.version}".strip() if source.distribution else str(source)
