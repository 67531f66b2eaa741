"""What the project's own plugins contribute, kept in a file: to import them all takes a third of a command's start.

The file holds for as long as their code, the engine and what is installed stay as they are. Nobody but this user can have written
it, and it has plain data alone; whatever plays is imported from the plugin itself.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Final

import msgspec

from tiltyard_engine.registry import Description, Source
from tiltyard_engine.registry.contributions import describe_source
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.match.own_cache import own_cache_folder, read_own, stamp_of, write_own
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.registry.description_cache import copy_of

MOST_BYTES: Final = 1 << 24
"""The shipped maps are in it."""
_ENGINE: Final = "tiltyard_engine"


class _File(msgspec.Struct, frozen=True):
    state: str
    descriptions: list[Description]


def describe_imported(sources: Sequence[Source]) -> list[Description]:
    """The description of each source that this process may import. Our own plugins are imported only if that isn't known."""
    own = tuple(source for source in sources if source.origin is Origin.INSTALLED and source.distribution in OWN_DISTRIBUTIONS)
    described = dict(zip(own, _descriptions(own), strict=True)) if own else {}
    return [copy_of(described[source]) if source in described else describe_source(source) for source in sources]


@cache
def _descriptions(sources: tuple[Source, ...]) -> list[Description]:
    are_imported = all(source.value.partition(":")[0] in sys.modules for source in sources)
    folder = None if are_imported else own_cache_folder()
    if folder is None:
        return [describe_source(source) for source in sources]
    # Each environment of Python has its own.
    path = folder / f"plugins-{_digest([sys.prefix, repr(sources)])}.msgpack"
    state = _digest(_state(sources))
    try:
        file = msgspec.msgpack.decode(read_own(path, MOST_BYTES), type=_File)
    except (OSError, msgspec.MsgspecError, RecursionError):
        file = None
    if file is not None and file.state == state and len(file.descriptions) == len(sources):
        return file.descriptions
    descriptions = [describe_source(source) for source in sources]
    # The machine may have caused a problem.
    if not any(description.problems for description in descriptions):
        write_own(path, msgspec.msgpack.encode(_File(state, descriptions)))
    return descriptions


def _state(sources: Sequence[Source]) -> Iterator[str]:
    """All that the descriptions follow from: Python, what is installed, and the files of the plugins and the engine."""
    yield sys.version
    for folder in sys.path:
        if folder.endswith("-packages"):
            # It changes when something is installed in it.
            yield stamp_of(folder)
    for package in sorted({_ENGINE, *(source.value.partition(":")[0].partition(".")[0] for source in sources)}):
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            yield from _files(folder)


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                yield stamp_of(entry.path)


def _digest(texts: Sequence[str] | Iterator[str]) -> str:
    return hashlib.blake2b("\0".join(texts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
