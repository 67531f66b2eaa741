"""The Host that also takes in what people handed in: archives, downloads and sources, built as ``tiltyard intake`` does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tiltyard_engine.host.interface import Submissions
from tiltyard_simulator.play.host import GuardHost


class IntakeHost(GuardHost):
    """What commands of plugins get from ``find_host``."""

    def take_in(
        self,
        handed_in: str,
        game: str,
        folder: Path,
        *,
        recipe: str = "",
        workers: int = 0,
        tell: Callable[[str], None] = lambda text: None,
    ) -> Submissions:
        # Imported late, so that commands that build nothing start sooner.
        from tiltyard_intake.one_team import TEAMS
        from tiltyard_intake.options import IntakeOptions
        from tiltyard_intake.players import take_players_in

        options = IntakeOptions(
            handed_in=Path(handed_in),
            into=folder / TEAMS,
            reports=folder,
            game=game,
            workers=workers or len(os.sched_getaffinity(0)),
            recipe=recipe,
            policy=self._policy,
            plays_once=False,
            keeps_sources=False,
        )
        return take_players_in(self, self._registry, handed_in, options, tell)
