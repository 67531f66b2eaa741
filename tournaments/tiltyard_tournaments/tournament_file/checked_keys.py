"""The keys of a tournament file as plain values.

What pydantic finds out about a file is kept for the next command with the same file: to load it and to make its models takes a
third of the time in which a tournament starts.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from tiltyard_engine.registry.sources import host_sources
from tiltyard_simulator.match.own_cache import cached, code_state, comes_back, digest_of
from tiltyard_tournaments.tournament_file.contest import CONTEST_GROUP
from tiltyard_tournaments.tournament_file.document import Document, KeyPath
from tiltyard_tournaments.tournament_file.problems import Problem

if TYPE_CHECKING:
    from tiltyard_tournaments.tournament_file.model import TournamentKeys

_PART: Final = 1
"""What stands in MessagePack for a part of the file, unlike a mapping whose keys are anybody's."""


def checked_keys(document: Document) -> tuple[TournamentKeys, list[Problem], set[KeyPath]]:
    """What a document says as far as it is sound, everything that is wrong with it, and the places that are left out.

    The values have the attributes of ``TournamentKeys`` and its parts, and nothing else of pydantic's.
    """
    problems: list[Problem] = []
    left_out: set[KeyPath] = set()

    def check() -> SimpleNamespace:
        from tiltyard_tournaments.tournament_file.model import TournamentKeys
        from tiltyard_tournaments.tournament_file.validation import check_sound_part

        keys, wrong, places = check_sound_part(TournamentKeys, document.data, document)
        problems.extend(wrong)
        left_out.update(places)
        return cast("SimpleNamespace", _plain(keys or TournamentKeys()))

    packages = [__name__.partition(".")[0], *(source.value.partition(".")[0] for source in host_sources(CONTEST_GROUP))]
    # Unlike any of its encodings, this tells a date from text.
    key = digest_of([*code_state(packages), repr(document.data)])
    # One of 256 files, so that they do not become more and more.
    name = f"file-{key[:2]}.msgpack"
    is_whole = comes_back(_pack, _unpack)
    keys = cached(name, key, check, is_sound=lambda keys: not problems and is_whole(keys), pack=_pack, unpack=_unpack)
    return cast("TournamentKeys", keys), problems, left_out


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(_plain, value))
    names = getattr(type(value), "model_fields", None)
    if names is None:
        return value
    return SimpleNamespace(**{name: _plain(getattr(value, name)) for name in names}, model_extra=value.model_extra)


def _pack(value: Any) -> bytes:
    return msgspec.msgpack.encode(value, enc_hook=lambda part: msgspec.msgpack.Ext(_PART, _pack(vars(part))))


def _unpack(data: bytes | memoryview) -> Any:
    return msgspec.msgpack.decode(data, ext_hook=lambda _, part: SimpleNamespace(**_unpack(part)))
