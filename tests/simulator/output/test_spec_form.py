"""What lies in files of earlier versions must be read, and must be written as it was."""

from __future__ import annotations

from dataclasses import fields
from hashlib import blake2b

import msgspec
from tests.made_specs import KINDS, PARTS, made_spec

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.match.verdict import OnCrash
from tiltyard_simulator.output.spec_form import SpecForm, form_of


def player(kind: str, name: str) -> Reference:
    return Reference(kind=kind, name=name, game="mill", source=Source(name=name, origin=Origin.FILE, value=f"/teams/{name}.py"))


LEAST = {
    "game": player("game", "mill"),
    "manager": player("manager", "miller"),
    "map": MapSource("duel", b"a map"),
    "teams": (player("algorithm", "ann"), player("algorithm", "bob")),
}
ALL = made_spec(
    **LEAST,
    seed=1,
    log=True,
    replay=True,
    trace=True,
    kept_view=(1, 2, 3),
    rounds=4,
    idle_on_fault=True,
    on_crash=OnCrash.VOID,
    isolations=(Isolation.SANDBOX, Isolation.PROCESS),
    limits=(Limits(move_seconds=2.0), Limits()),
    together=True,
    manager_isolation=Isolation.SANDBOX,
    measure=True,
    watch_infos=True,
    watch_denials=True,
    key="kkkk",
    digests=("a", "b", "c", "d"),
    number=5,
    game_number=6,
    stage="final",
)
"""Nothing of it is a default but the GameManager's limits."""
WRITTEN = {
    "seed": 1,
    "verbose": True,
    "record": True,
    "trace": True,
    "kept_view": [1, 2, 3],
    "rounds": 4,
    "idle_on_fault": True,
    "on_crash": "void",
    "isolations": ["sandbox", "process"],
    "together": True,
    "manager_isolation": "sandbox",
    "measure": True,
    "watch_infos": True,
    "watch_denials": True,
    "key": "kkkk",
    "digests": ["a", "b", "c", "d"],
    "place": 5,
    "game_number": 6,
    "stage": "final",
}


def test_a_match_is_written_byte_for_byte_as_it_always_was() -> None:
    """But for the name of a twin, which each of its four references has had since version 0.3.0."""
    data = msgspec.msgpack.encode(form_of(ALL)).replace(msgspec.msgpack.encode("twin") + msgspec.msgpack.encode(""), b"")
    # A map of nine fields was one of eight.
    data = data.replace(b"\x89" + msgspec.msgpack.encode("kind"), b"\x88" + msgspec.msgpack.encode("kind"))
    assert (len(data), blake2b(data, digest_size=8).hexdigest()) == (1743, "fae1fcd4d63d0b2b")
    written = msgspec.json.decode(msgspec.json.encode(form_of(ALL)))
    assert {name: written[name] for name in WRITTEN} == WRITTEN
    assert [team["name"] for team in written["algorithms"]] == ["ann", "bob"]


def test_what_was_written_is_read() -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(form_of(ALL)), type=SpecForm).spec == ALL
    oldest = {
        name: msgspec.to_builtins(LEAST["teams" if name == "algorithms" else name])
        for name in ("game", "manager", "map", "algorithms")
    }
    for reference in (oldest["game"], oldest["manager"], *oldest["algorithms"]):
        del reference["twin"]
    assert msgspec.json.decode(msgspec.json.encode(oldest), type=SpecForm).spec == made_spec(**LEAST)


def test_a_field_of_each_part_is_one_of_the_form() -> None:
    assert sum(len(fields(kind)) for kind in KINDS.values()) == len(PARTS), "no two parts have a field of the same name"
    assert set(PARTS) == set(SpecForm.__struct_fields__)
