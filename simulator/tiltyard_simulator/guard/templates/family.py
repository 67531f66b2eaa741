"""The templates of one team: how many there are, and whether its code is fit for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tiltyard_engine.registry import Reference
from tiltyard_simulator.guard.cells.messages import Fork
from tiltyard_simulator.guard.confinement import CellPolicy
from tiltyard_simulator.guard.templates.template import State, Template

MOST_OF_A_TEAM: Final = 4
"""A match and the next one, for a team that plays against itself."""
MOST_REPLACED: Final = 3
"""A team whose templates had to be replaced so often in a row gains nothing by them, as when it writes a file in each match."""

Key = tuple[tuple[str, ...], tuple[str, ...], object, tuple[Reference, ...], str]


@dataclass(slots=True)
class Family:
    """The templates with the same code and the same confinement."""

    templates: list[Template] = field(default_factory=list)
    unfit: str = ""
    """Why no template can be had of this code; its cells load it themselves, and get the verdicts that it deserves."""
    replaced: int = 0
    """Templates in a row that had only one match."""

    def idle(self) -> Template | None:
        """A template that can fork at once."""
        return next((each for each in self.templates if each.state is State.WAITING and each.order is None), None)

    @property
    def may_grow(self) -> bool:
        """Whether one more is allowed."""
        return len(self.templates) < MOST_OF_A_TEAM

    def replace(self, template: Template) -> None:
        """One had to go because of what its last match left behind."""
        self.replaced = self.replaced + 1 if template.forked == 1 else 0
        if self.replaced >= MOST_REPLACED:
            self.unfit = "each of its matches changes its scratch folder"


def key_of(request: Fork) -> Key:
    """Cells whose requests have equal keys can come from one template: all but the scratch folder is the same."""
    policy: CellPolicy = request.policy
    return (policy.readable, policy.hidden, policy.limits, request.code, request.version)
