"""The Host that also takes in what people handed in: archives, downloads and sources, built as ``tiltyard intake`` does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tiltyard_engine.registry.lookup import Submissions
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
        told: Callable[[str], None] = lambda text: None,
    ) -> Submissions:
        # Imported late, so that commands that build nothing start sooner.
        from tiltyard_intake.players import take_players_in

        return take_players_in(
            self,
            self._registry,
            self._policy,
            handed_in=handed_in,
            game=game,
            folder=folder,
            recipe=recipe,
            workers=workers,
            told=told,
        )
