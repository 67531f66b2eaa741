"""Which of a game's protocols a program speaks: by the words in its sources, or by trying."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import msgspec

from tiltyard_engine.recipes import Part, Product
from tiltyard_engine.registry.sources import MANIFEST
from tiltyard_intake.recipes.recognition import Recognised
from tiltyard_intake.report.team_report import TeamReport
from tiltyard_intake.trees.junk import SOURCES
from tiltyard_intake.trees.source_files import read_file
from tiltyard_simulator.output.result_files import write_over

Protocols = Mapping[str, Sequence[str]]


def protocol_in_sources(recognised: Recognised, protocols: Protocols) -> tuple[str, str]:
    """The protocol whose words stand in texts of the sources, and a note if it is not the usual one.

    Both are empty if no protocol's words do, or those of several. A name of a type or a comment tells nothing: a robot that reads a
    word has it in quotes.

    Raises:
        UserError: a file is too large or can't be read.
    """
    if len(protocols) < 2:
        return "", ""
    patterns = {name: re.compile(rb"[\"'`][^\"'`\n]*\b(?:%s)\b" % "|".join(words).encode()) for name, words in protocols.items()}
    mentioned: set[str] = set()
    prefix = f"{recognised.root}/" if recognised.root else ""
    for name in recognised.files:
        if PurePosixPath(name).suffix.lower() in SOURCES:
            data = read_file(recognised.tree, prefix + name).data
            mentioned |= {protocol for protocol, pattern in patterns.items() if pattern.search(data)}
    if len(mentioned) != 1:
        return "", ""
    protocol = mentioned.pop()
    is_usual = protocol == next(iter(protocols))
    return (
        protocol,
        "" if is_usual else f"uses the protocol {protocol}: its sources mention {' or '.join(protocols[protocol])}",
    )


def with_protocol(recognised: Recognised, protocol: str) -> Recognised:
    """The work, whose programs use a protocol where their recipe names none itself; as it is if that is empty."""

    def spoken(product: Product) -> Product:
        return replace(product, protocol=protocol) if product.form == "program" and not product.protocol else product

    def speaking(part: Part) -> Part:
        ways = tuple(way if way.product is None else replace(way, product=spoken(way.product)) for way in part.ways)
        return replace(part, ways=ways, product=spoken(part.product))

    recipe = recognised.recipe
    if not protocol or recipe is None:
        return recognised
    return replace(recognised, recipe=replace(recipe, parts=tuple(map(speaking, recipe.parts))))


def names_protocol(folder: Path) -> bool:
    """Whether the manifest of a program says how it is spoken to; also if there is no program."""
    try:
        return "protocol" in tomllib.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return True


def speak_to_in(folder: Path, protocol: str) -> None:
    """Write into the manifest of a program, which names no protocol, how it is spoken to.

    Raises:
        UserError: it can't be written.
    """
    manifest = folder / MANIFEST
    if not names_protocol(folder):
        write_over(manifest, f'protocol = "{protocol}"\n{manifest.read_text(encoding="utf-8")}')


def spoken_to(team_report: TeamReport, protocol: str) -> TeamReport:
    """The report of a team whose first match showed its protocol."""
    note = f"uses the protocol {protocol}: it failed at once with the usual one, but plays with this one"
    return msgspec.structs.replace(team_report, protocol=protocol, notes=(*team_report.notes, note))
