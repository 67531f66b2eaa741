"""Readers of what makes a run and what it leaves: tournament files, submissions, replays, stores, fault folders."""

from __future__ import annotations

import io
import sys
import tomllib  # noqa: F401 -- a run has folders of its own to import from
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.checks.faults.test_fault_folders import failed
from tests.fuzz.damage import Form
from tests.fuzz.files import made, shipped
from tests.fuzz.trial import Reader, at
from tests.made_specs import spec_with
from tests.simulator.replays.panel_games import every_kind
from tests.tournaments.running.made_runs import by_chance, tournament_of
from tests.tournaments.store.test_store import OUTCOME, REPLAY, SPEC, SPOILT

from tiltyard_checks.faults.conversation_replay import exchanges_with
from tiltyard_checks.faults.fault_folders import MATCH_FILE, write_fault_folder
from tiltyard_checks.faults.fault_reading import read_conversation, read_fault_folder
from tiltyard_checks.faults.rerun import check_trust
from tiltyard_checks.runs.export_lines import export_lines
from tiltyard_checks.runs.recovery import recover
from tiltyard_engine.registry import Registry, Selection, installed_sources, path_sources
from tiltyard_engine.registry.contributions import describe_source
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.replay import Theme
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.svg import svg_picture
from tiltyard_simulator.guard.programs.program_paths import paths_of_environment, why_not_found
from tiltyard_simulator.match import plugin_files
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.output.tables import render_all
from tiltyard_simulator.play.arena import labelled
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import pack, unpack
from tiltyard_site.pages.replay_scripts import packed_replay, replay_problem
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tables import tables_of
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import STORE_NAME, Store
from tiltyard_tournaments.store.row_form import result_bytes
from tiltyard_tournaments.tournament_file.document import read_document
from tiltyard_tournaments.tournament_file.resolution import resolve
from tiltyard_viewer.drawing.options import DrawOptions
from tiltyard_viewer.player.printing import print_match

MANIFEST: Final = b"""game = "filler"
command = ["./robot", "--fast"]
files = ["book.txt"]
readable = ["/usr/lib"]
environment = { LANG = "C" }
protocol = "42"
"""
PROJECT: Final = b"""[project]
name = "bots"
version = "1.0"

[project.entry-points.tiltyard]
one = "bots.one"
two = "bots.two:plugin"
"""
CUP: Final = b"""title: Cup
game: tanks
teams: [acorn, {team: bramble, name: Second, limits: {move_seconds: 2}}]
maps: [back-yard, {generate: {count: 2, seed: 3, rows: 9, cols: 12}}]
format: {name: swiss, rounds: 3}
scoring: {win: 3}
tie-breaks: [wins]
isolation: inline
publication: {publishers: [markdown]}
"""
SCRIPT: Final = (
    b"#!/usr/bin/env python3\n",
    b"#!/work/venv/bin/python\nimport sys\n",
    b'#!/bin/sh\n\'\'\'exec\' "/a b/python" "$0" "$@"\n',
)


@cache
def installed() -> Registry:
    """The plugins, loaded once before any trial."""
    return Registry.installed(Selection(), own=OWN_DISTRIBUTIONS)


def _tournament_files() -> Sequence[bytes]:
    installed()
    return [*shipped("tournaments/tiltyard_tournaments/examples/*.yaml")(), CUP]


def _tournament_file(path: Path) -> None:
    resolve(read_document(path), path, lambda _: installed())


def _project(path: Path) -> None:
    for source in path_sources(path.parent):
        code_digest(source)


def _manifest(path: Path) -> None:
    for source in path_sources(path.parent):
        describe_source(source)


def _script(path: Path) -> None:
    path.chmod(0o755)
    why_not_found(str(path), [])
    paths_of_environment(str(path))


@contextmanager
def _installed_here(folder: Path) -> Iterator[None]:
    before = sys.path[:]
    sys.path[:] = [str(folder)]
    try:
        plugin_files.forget()
        yield
    finally:
        sys.path[:] = before


def _distribution(name: str) -> Reader:
    """The reader of one file of an installed distribution, with the others as they should be."""
    about = metadata.distribution("tiltyard-acorn")
    texts = {
        **{file: (about.read_text(file) or "").encode() for file in ("METADATA", "entry_points.txt")},
        "RECORD": b"bots/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\nbots-1.0.dist-info/RECORD,,\n",
        "direct_url.json": b'{"dir_info": {"editable": true}, "url": "file:///work/bots"}',
    }

    def read(data: bytes, folder: Path) -> None:
        for file, content in {**texts, name: data}.items():
            at(f"bots-1.0.dist-info/{file}", str)(content, folder)
        at("bots/__init__.py", str)(b"", folder)
        with _installed_here(folder):
            installed_sources(own=OWN_DISTRIBUTIONS)
            plugin_files.installed_plugins()
            plugin_files.owners()

    return Reader(name=f"installed-{name}", samples=lambda: [texts[name]], read=read)


def _editable(path: Path) -> None:
    plugin_files._is_project(path.parent, "bots")


def _replay(data: bytes, folder: Path) -> None:
    replay = unpack(data, "replay")
    if not replay_problem(replay):
        packed_replay(replay)
        packed_replay(data)
    if replay.panels and len(replay.squares) < 10_000:
        svg_picture(MatchPicture(replay), len(replay.frames))
    print_match(
        replay, (), Theme(styles={}), DrawOptions(), io.StringIO(), every_round=len(replay.squares) * len(replay.frames) < 100_000
    )


def _tables(tournament: Tournament) -> None:
    with Store(tournament.folder, writable=False) as store:
        progress = follow(tournament, store.ended_as)
        render_all(tables_of(tournament, progress.schedule, None))
        list(export_lines(store))


@cache
def _store() -> Sequence[bytes]:
    with TemporaryDirectory() as folder:
        with Store(Path(folder)) as store:
            store.set_fact("title", "Cup")
            for key in ("k1", "k2", "k3"):
                store.add(key, SPEC, OUTCOME)
                store.add_incident(key, "a worker died")
            store.add_void("v1", SPOILT)
            store.add_entry("e1", "ann", "moves", True, "fine")
        return [(Path(folder) / STORE_NAME).read_bytes()]


def _stored(path: Path) -> None:
    with Store(path.parent, writable=False) as store:
        (
            store.facts(),
            store.entries(),
            store.incidents(),
            store.stamp(),
            store.replayed(),
            list(export_lines(store, with_replays=True)),
        )
        for key in store.keys() | store.void_keys():
            store.ended(key)


def _recovered(path: Path) -> None:
    recover(path.parent)


@cache
def _cup() -> Tournament:
    return tournament_of(installed(), teams=3)


@cache
def _outcomes() -> Sequence[bytes]:
    play = by_chance(1, faults=40)
    specs = list(follow(_cup(), lambda spec: None).missing)
    return [result_bytes(labelled(play(spec), spec)) for spec in specs]


def _standings(data: bytes, folder: Path) -> None:
    """One row of a whole store holds the input."""
    tournament = replace(_cup(), folder=folder)
    with closing(Store(folder)) as store:
        for spec in follow(tournament, lambda spec: None).missing:
            store.add(spec.place.key, spec, labelled(by_chance(1)(spec), spec))
        store._connection.execute("UPDATE matches SET outcome = ? WHERE place = 1", (data,))
    _tables(tournament)


@cache
def _fault_folder() -> tuple[bytes, bytes]:
    team = installed().find(ALGORITHM, "acorn").reference
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fault"
        write_fault_folder(path, spec_with(SPEC, teams=(team, team)), failed())
        return (path / MATCH_FILE).read_bytes(), (path / "seat1.conversation").read_bytes()


def _fault(path: Path) -> None:
    record = read_fault_folder(path.parent)
    record.changed()
    check_trust(record.spec, IsolationPolicy())


def _conversation(path: Path) -> None:
    exchanges_with(installed().find(ALGORITHM, "acorn").reference, read_conversation(path.parent, 1))


RUNS: Final = (
    Reader(
        name="tournament",
        samples=_tournament_files,
        read=at("cup.yaml", _tournament_file),
    ),
    Reader(name="pyproject", samples=made(PROJECT), read=at("bots/pyproject.toml", _project)),
    Reader(name="editable", samples=made(PROJECT), read=at("bots/pyproject.toml", _editable)),
    Reader(name="program", samples=made(MANIFEST), read=at("robot/program.toml", _manifest)),
    Reader(name="script", samples=made(*SCRIPT), read=at("robot", _script)),
    *map(_distribution, ("METADATA", "entry_points.txt", "RECORD", "direct_url.json")),
    Reader(
        name="replay",
        samples=lambda: [encode(REPLAY), *map(encode, (every_kind(), every_kind(width=0)))],
        read=_replay,
        form=Form.JSON_LINES,
    ),
    Reader(name="packed-replay", samples=lambda: [pack(REPLAY)], read=_replay),
    Reader(name="store", samples=_store, read=at(STORE_NAME, _stored)),
    Reader(name="recover", samples=_store, read=at(STORE_NAME, _recovered)),
    Reader(name="standings", samples=_outcomes, read=_standings, form=Form.MSGPACK),
    Reader(name="fault", samples=lambda: _fault_folder()[:1], read=at(MATCH_FILE, _fault), form=Form.JSON),
    Reader(
        name="conversation", samples=lambda: _fault_folder()[1:], read=at("seat1.conversation", _conversation), form=Form.MSGPACK
    ),
)
