"""What the publishers of tables can be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tiltyard_engine.formats import option

TableName: TypeAlias = Literal["standings", "not-admitted", "ratings", "crosstable", "maps", "seats", "faults", "games"]
SHOWN: tuple[TableName, ...] = ("standings", "ratings", "crosstable", "maps")
WHICH: Final = "which: standings, not-admitted, ratings, crosstable, maps, seats, faults, games"


@dataclass(frozen=True, slots=True)
class FileOptions:
    """All tables in one file."""

    file: str = option("", "the file, within the output folder; by default standings with the format's ending")
    tables: Sequence[TableName] = option(SHOWN, WHICH)


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """A file for each table, which has its name."""

    folder: str = option("tables", "the folder of the files, within the output folder")
    tables: Sequence[TableName] = option((*SHOWN, "games"), WHICH)
