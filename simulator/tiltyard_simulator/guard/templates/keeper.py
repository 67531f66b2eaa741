"""All templates of a zygote: which one forks a cell, when one is started, and when it has to go."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from tiltyard_simulator.guard.cells.messages import loading_seconds
from tiltyard_simulator.guard.confinement.folder_removal import remove
from tiltyard_simulator.guard.policy import CellPolicy
from tiltyard_simulator.guard.templates.family import Family, Key, key_of
from tiltyard_simulator.guard.templates.template import Order, State, Template, UnfitError

MOST_TEMPLATES: Final = 24
MOST_FAMILIES: Final = 256
"""How many teams are remembered, most of them for being unfit."""
IDLE_SECONDS: Final = 60.0
IDLE_IMPORTS: Final = 30.0
"""A template that was not used for so long, and in addition for so many times its import, is ended."""
REST_SECONDS: Final = 0.25
"""Between two looks whether all templates wait that must."""


class Owner(Protocol):
    """What the zygote's clerk does for its templates."""

    def watch(self, descriptor: int, callback: Callable[[], None]) -> None:
        """Call back when something can be read."""

    def forget(self, descriptor: int) -> None:
        """Stop watching a descriptor."""

    def start_template(self, policy: CellPolicy, order: Order, channel: socket.socket, output: int) -> tuple[int, int]:
        """Fork a template that loads the order's code; its process, and a pidfd of it for the caller to close."""

    def fork_fresh(self, order: Order, unfit: str) -> None:
        """Fork a cell that has loaded nothing yet, for the reason ``unfit``."""

    def admit(self, process: int, handle: int, order: Order, template: Template) -> None:
        """A template has forked the cell that was ordered. ``handle`` is a pidfd of it, which is closed."""


class TemplateKeeper:
    """Gets the orders for cells whose code is known, and fills each: from a template, or by a fresh cell."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._families: dict[Key, Family] = {}
        """The one used last at the end. No OrderedDict, which hashes each long key when they are gone through."""
        self._parting: list[Template] = []
        """Stopped, while a cell of theirs still plays: their clocks count for it."""
        self._rest_checked = 0.0
        """When, on the monotonic clock."""
        self._unfilled: list[tuple[Order, str]] = []
        """Orders that need a fresh cell, and why."""

    # Orders

    def fill(self, order: Order) -> None:
        """Fork a cell, now or as soon as its template has loaded the code."""
        key = key_of(order.request)
        family = self._families[key] = self._families.pop(key, Family())
        # Those that wait already may be of the same match, which would never end without them.
        self._fill_waiting(family)
        if order.request.spare and not family.unfit and family.idle() is None and family.should_wait():
            family.let_wait(order)
        else:
            self._fill_now(family, order)
        self._limit()

    def _fill_waiting(self, family: Family) -> None:
        while family.waiting and (family.unfit or family.idle() is not None or not family.should_wait()):
            self._fill_now(family, family.waiting.popleft())

    def _fill_now(self, family: Family, order: Order) -> None:
        if family.unfit:
            self._unfilled.append((order, family.unfit))
            return
        template = family.idle()
        if template is not None:
            template.order = order
            self._fork_if_ready(family, template)
        elif family.may_grow:
            try:
                self._start(family, order)
            except OSError as error:
                family.unfit = f"it could not be started: {error}"
                self._unfilled.append((order, family.unfit))
        else:
            self._unfilled.append((order, "its team has as many templates as are allowed"))

    def _start(self, family: Family, order: Order) -> None:
        policy = order.request.policy
        scratch = tempfile.mkdtemp(prefix="template-", dir=Path(policy.scratch).parent)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        output, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        with theirs:
            try:
                process, handle = self._owner.start_template(replace(policy, scratch=scratch, template=True), order, theirs, write)
            finally:
                os.close(write)
        seconds = policy.limits.startup_seconds
        template = Template(process, handle, ours, output, seconds, order, scratch)
        template.deadline = time.monotonic() + loading_seconds(seconds)
        family.templates.append(template)
        self._owner.watch(ours.fileno(), lambda: self._meet(family, template))
        self._owner.watch(output, lambda: self._hear_output(family, template))

    def _fork_if_ready(self, family: Family, template: Template) -> None:
        with self._judging(family, template):
            if template.seconds_to_fork == 0.0:
                template.begin_fork()

    def fill_rest(self) -> None:
        """Fork fresh cells for those orders whose template was ended. Not at once: cells would inherit the error that ended it."""
        while self._unfilled:
            self._owner.fork_fresh(*self._unfilled.pop(0))

    # What templates do

    def _meet(self, family: Family, template: Template) -> None:
        with self._judging(family, template):
            self._owner.forget(template.channel.fileno())
            template.meet()
            self._owner.watch(template.listener, lambda: self._answer(family, template))

    def _hear_output(self, family: Family, template: Template) -> None:
        with self._judging(family, template):
            if not template.hear_output():
                self._owner.forget(template.output)

    def _answer(self, family: Family, template: Template) -> None:
        with self._judging(family, template):
            is_ready = template.answer_notice()
            family.import_seconds = template.import_seconds or family.import_seconds
            if is_ready:
                order, handle = template.finish_fork()
                self._owner.admit(template.cell, handle, order, template)
                order.close()
            elif template.seconds_to_fork == 0.0:
                template.begin_fork()

    @contextlib.contextmanager
    def _judging(self, family: Family, template: Template) -> Iterator[None]:
        """End a template that does what it must not, and its team's templates for good. Its order gets a fresh cell."""
        try:
            yield
        except (UnfitError, OSError) as error:
            # If it was killed already, only its last cell's calls are answered.
            if template.state is not State.GONE:
                if isinstance(error, UnfitError):
                    family.unfit = str(error)
                self._part(family, template, str(error))

    # Their ends

    def _all(self) -> list[tuple[Family, Template]]:
        return [(family, template) for family in self._families.values() for template in family.templates]

    @property
    def processes(self) -> set[int]:
        """The numbers of all templates' processes."""
        return {template.process for template in (*(template for _, template in self._all()), *self._parting)}

    @property
    def is_forking(self) -> bool:
        """Whether there may be a new process that nobody knows yet."""
        return any(template.state is State.FORKING for _, template in self._all())

    def template_ended(self, process: int) -> None:
        """A process was reaped that may be a template."""
        for family, template in self._all():
            if template.process == process:
                is_new = template.state in (State.STARTING, State.LOADING)
                why = "its code can't be loaded, or keeps a file open" if is_new else "it has ended by itself"
                family.unfit = family.unfit or why
                self._part(family, template)

    def cell_ended(self, process: int) -> None:
        """A cell was reaped that may have come from a template."""
        for template in [each for each in self._parting if each.cell == process]:
            self._parting.remove(template)
            template.kill()
            self._close(template)
        for family, template in self._all():
            if template.cell == process:
                with self._judging(family, template):
                    if not template.can_fork_again():
                        family.replace(template)
                        self._part(family, template)

    def look(self) -> float:
        """End those that are late or idle, and let those fork that had to wait. Returns in how many seconds to look again."""
        now = time.monotonic()
        soonest = float("inf")
        if checks_rest := now >= self._rest_checked + REST_SECONDS:
            self._rest_checked = now
        for family, template in self._all():
            if template.is_at_rest and not checks_rest:
                soonest = min(soonest, REST_SECONDS)
            elif template.deadline <= now:
                family.unfit = "it was not ready in time"
                self._part(family, template)
            elif (
                template.state is State.WAITING and now - template.last_used > IDLE_SECONDS + IDLE_IMPORTS * template.import_seconds
            ):
                self._part(family, template)
            else:
                if template.order is not None:
                    self._fork_if_ready(family, template)
                with self._judging(family, template):
                    if checks_rest:
                        template.check_rest()
                    soonest = min(soonest, template.seconds_to_load())
                soonest = min(soonest, template.deadline - now, template.seconds_to_fork, REST_SECONDS)
        for family in self._families.values():
            self._fill_waiting(family)
        return soonest

    def close(self) -> None:
        """Kill all templates, and forget them."""
        for family, template in self._all():
            template.order = None
            self._part(family, template)
        for family in self._families.values():
            family.waiting.clear()
        for template in self._parting:
            template.kill()

    def _limit(self) -> None:
        """End the idle templates that were used least recently, where there are too many."""
        every = self._all()
        idle = [pair for pair in every if pair[1].state is State.WAITING and pair[1].order is None]
        excess = len(every) - MOST_TEMPLATES
        for family, template in sorted(idle, key=lambda pair: pair[1].last_used)[: max(0, excess)]:
            self._part(family, template)
        for key in [key for key, family in self._families.items() if not (family.templates or family.waiting)]:
            if len(self._families) <= MOST_FAMILIES:
                break
            del self._families[key]

    def _part(self, family: Family, template: Template, reason: str = "") -> None:
        """End a template. If it was to fork a cell, a fresh one takes its place for this reason."""
        family.templates.remove(template)
        order, template.order = template.order, None
        if template.state is State.PLAYING:
            template.stop()
            self._parting.append(template)
        else:
            template.kill()
            self._close(template)
        if order is not None:
            self._unfilled.append((order, reason or family.unfit))

    def _close(self, template: Template) -> None:
        if template.channel.fileno() >= 0:
            self._owner.forget(template.channel.fileno())
        for descriptor in (template.output, template.listener):
            if descriptor >= 0:
                self._owner.forget(descriptor)
        template.close()
        remove(template.scratch)
