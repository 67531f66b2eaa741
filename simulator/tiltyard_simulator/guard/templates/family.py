"""The templates of one team: how many there are, and whether its code is fit for them."""

from __future__ import annotations

import time
from collections import deque
from typing import Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_simulator.guard.cells.messages import Code, Fork
from tiltyard_simulator.guard.policy import CellPolicy
from tiltyard_simulator.guard.templates.template import Order, State, Template

MOST_OF_A_TEAM: Final = 10
"""As many as a match may have seats."""
MOST_FOR_LATER: Final = 4
"""A match and the next one, for a team that plays against itself. Beyond, cells for later matches wait for a template."""
LONG_IMPORT: Final = 0.5
"""CPU seconds. Where the import takes longer, there are only as many templates as one match needs."""
PATIENCE_SECONDS: Final = 0.25
PATIENCE_IMPORTS: Final = 2.0
"""A cell for a later match waits so long, and in addition so many imports, for a template of the match before to become free."""
MOST_REPLACED: Final = 3
"""A team whose templates had to be replaced so often in a row gains nothing by them, as when it writes a file in each match."""

Key = tuple[tuple[str, ...], tuple[str, ...], object, tuple[Code, ...], str]


@dataclass(slots=True)
class Family:
    """The templates with the same code and the same confinement."""

    templates: list[Template] = field(default_factory=list)
    unfit: str = ""
    """Why no template can be had of this code; its cells load it themselves, and get the verdicts that it deserves."""
    replaced: int = 0
    """Templates in a row that had only one match."""
    waiting: deque[Order] = field(default_factory=deque)
    """For later matches, until a template is free."""
    import_seconds: float = 0.0
    """What loading the code last took, in CPU time."""
    _changed: float = 0.0
    """When, on the monotonic clock, an order last began to wait, or a template was last at hand."""

    def idle(self) -> Template | None:
        """A template that can fork at once."""
        template = next((each for each in self.templates if each.state is State.WAITING and each.order is None), None)
        if template is not None:
            self._changed = time.monotonic()
        return template

    def let_wait(self, order: Order) -> None:
        """Fill an order later: when a template is free, or when there was none for some time."""
        if not self.waiting:
            self._changed = time.monotonic()
        self.waiting.append(order)

    def should_wait(self) -> bool:
        """Whether an order for a later match had better wait for a template that is there."""
        if any(each.state in (State.STARTING, State.LOADING) for each in self.templates):
            self._changed = time.monotonic()
            return True
        is_enough = bool(self.templates) and (self.import_seconds > LONG_IMPORT or len(self.templates) >= MOST_FOR_LATER)
        return is_enough and (not self.waiting or self.patience_left > 0)

    @property
    def patience_left(self) -> float:
        """For how many seconds the orders that wait still do so, if no template becomes free."""
        return self._changed + PATIENCE_SECONDS + PATIENCE_IMPORTS * self.import_seconds - time.monotonic()

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
