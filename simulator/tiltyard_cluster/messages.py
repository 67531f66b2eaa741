"""What travels between the coordinator and the machines. All of it is data of ours as msgpack, in bytes that Dask only carries."""

from __future__ import annotations

from typing import Final

import msgspec

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Source
from tiltyard_simulator.match.spec import MapSource, MatchSpec


class NeededPlugin(msgspec.Struct, frozen=True):
    """A plugin that matches need, and what its code is."""

    source: Source
    digest: str
    roots: tuple[str, ...] = ()
    """Of one that is not installed: the files and folders on the coordinator that are sent where they are missing."""
    files: dict[str, str] = {}
    """Of an installed one: each file's digest, so that a machine can say which one differs."""
    programs: tuple[ProgramTeam, ...] = ()
    """The external programs that it brings."""
    copies: tuple[str, ...] = ()
    """What of an installed one the coordinator imports from elsewhere, in words."""


class MachineRequirements(msgspec.Struct, frozen=True):
    """What a machine must be like to give the same results."""

    python: str
    """Such as ``CPython 3.13``."""
    version: str
    """Of tiltyard, for messages only: the files are what is compared."""
    host: dict[str, str]
    """The files of tiltyard itself that play a part in a match, with their digests."""
    plugins: tuple[NeededPlugin, ...]
    requirements: dict[str, str]
    """The versions of what installed plugins need."""
    level: str
    """The level of confinement; empty where nobody plays in a sandbox."""
    environment: dict[str, str]
    """Variables for the environment of match workers, beside the machine's own."""


class Report(msgspec.Struct, frozen=True):
    """What a machine is like."""

    host: str
    """Its name in the network."""
    differences: tuple[str, ...] = ()
    """What differs, and what to do about it. Empty: it can take part."""
    missing: tuple[str, ...] = ()
    """Digests of plugins whose files it must be sent."""
    places: dict[str, str] = {}
    """Digests of plugins whose files were sent, and the folder that they lie in there; all others lie where they lie here."""


class Bundle(msgspec.Struct, frozen=True):
    """The files of a plugin."""

    digest: str
    files: tuple[tuple[str, bool, bytes], ...]
    """(name within the folder, whether it can be executed, what it holds)."""


class Chunk(msgspec.Struct, frozen=True):
    """Matches that a machine plays one after the other."""

    run: str
    """Names the coordinator's run: its matches are played by processes that were started for it."""
    environment: dict[str, str]
    level: str
    """How all machines confine cells; empty where nobody plays in a sandbox."""
    maps: tuple[MapSource, ...]
    matches: tuple[tuple[int, MatchSpec], ...]
    """(number of the map, the match without its map)."""


class PlayedChunk(msgspec.Struct, frozen=True):
    """The results of a chunk."""

    records: tuple[MatchRecord, ...]
    refusal: str = ""
    """Why the next match could not be set up."""


ENCODER: Final = msgspec.msgpack.Encoder()
REQUIREMENTS: Final = msgspec.msgpack.Decoder(MachineRequirements)
REPORTS: Final = msgspec.msgpack.Decoder(Report)
BUNDLES: Final = msgspec.msgpack.Decoder(Bundle)
CHUNKS: Final = msgspec.msgpack.Decoder(Chunk)
PLAYED: Final = msgspec.msgpack.Decoder(PlayedChunk)
