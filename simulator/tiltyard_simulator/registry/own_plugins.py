"""What the project's own plugins contribute, kept in a file: to import them all takes a third of a command's start.

The file holds for as long as their code, the engine and what is installed stay as they are. Nobody but this user can have written
it, and it has plain data alone; whatever plays is imported from the plugin itself.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Final

import msgspec

from tiltyard_engine.registry import Description, Source
from tiltyard_engine.registry.contributions import describe_source
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.match.own_cache import cached, code_state, digest_of
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.registry.description_cache import copy_of

_ENGINE: Final = "tiltyard_engine"


def describe_imported(sources: Sequence[Source]) -> list[Description]:
    """The description of each source that this process may import. Our own plugins are imported only if that isn't known."""
    own = tuple(source for source in sources if source.origin is Origin.INSTALLED and source.distribution in OWN_DISTRIBUTIONS)
    described = dict(zip(own, _descriptions(own), strict=True)) if own else {}
    return [copy_of(described[source]) if source in described else describe_source(source) for source in sources]


@cache
def _descriptions(sources: tuple[Source, ...]) -> list[Description]:
    modules = [source.value.partition(":")[0] for source in sources]
    if all(module in sys.modules for module in modules):
        return [describe_source(source) for source in sources]
    # Each environment of Python has its own.
    environment = digest_of([sys.prefix, repr(sources)])
    state = digest_of([environment, *code_state([_ENGINE, *(module.partition(".")[0] for module in modules)])])
    return cached(
        f"plugins-{environment}.msgpack",
        state,
        lambda: [describe_source(source) for source in sources],
        is_sound=lambda descriptions: not any(description.problems for description in descriptions),
        pack=msgspec.msgpack.encode,
        unpack=msgspec.msgpack.Decoder(list[Description]).decode,
    )
