"""What played for a team before: when a new attempt replaces it, it is put aside."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tiltyard_engine.errors import file_errors
from tiltyard_intake.building.build_cache import BuildCache, results_of
from tiltyard_intake.building.products import put
from tiltyard_intake.report.team_report import NO_TEAM, NOT_THERE, TeamReport, time_in_words
from tiltyard_intake.trees.file_names import file_stem

EARLIER: Final = "earlier"


@dataclass(frozen=True, slots=True)
class PreviousAttempts:
    """The folder of what played before: a folder for each team, and in it one for each attempt."""

    reports: Path
    """The folder of reports."""
    builds: BuildCache

    def keep(self, new: TeamReport, old: TeamReport) -> TeamReport:
        """The new report of a team, with the attempts before it; the last one is put aside if it stops playing.

        Raises:
            UserError: the folder can't be written.
        """
        if not old.products or old.digest == new.digest:
            return replace(new, replaced=old.replaced)
        build = self.builds.find(old.digest)
        if build is None:
            note = "it is no longer known how the previous attempt was built, so it wasn't kept"
            return replace(new, replaced=old.replaced, notes=(*new.notes, note))
        when = f"{file_stem(time_in_words(old.playing_since).replace(':', '-'))}_" if old.playing_since else ""
        place = f"{EARLIER}/{file_stem(old.team)}/{when}{file_stem(old.digest[:8])}"
        with file_errors(self.reports / place, "written"):
            put(results_of(build), self.reports / place)
        replaced = tuple(dict.fromkeys((*(each for each in old.replaced if each != place), place)))
        team_report = replace(new, replaced=replaced)
        if new.verdict not in NO_TEAM | NOT_THERE:
            return team_report
        why = "nothing was handed in this time; " if new.verdict in NOT_THERE else ""
        return replace(team_report, notes=(*team_report.notes, f"{why}the earlier team was moved to {self.reports.name}/{place}"))
