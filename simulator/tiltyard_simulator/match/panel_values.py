"""Panels as plain values, for replay files and for messages between processes. Decoding checks types, the panels check the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec

from tiltyard_engine.replay.panels import CardsPanel, Panel, PlotPanel, TablePanel, TextPanel, checked_panels


class _Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="kind"):
    """What is empty is not written. The fields are written in the order in which they stand here."""

    title: str


class _Text(_Value, frozen=True, kw_only=True, tag="text"):
    lines: tuple[str, ...] = ()
    seat: int = 0


class _Cards(_Value, frozen=True, kw_only=True, tag="cards"):
    cards: tuple[str, ...] = ()
    hidden: int = 0
    seat: int = 0


class _Table(_Value, frozen=True, kw_only=True, tag="table"):
    headers: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    column_seats: tuple[int, ...] = ()
    row_seats: tuple[int, ...] = ()
    seat: int = 0


class _Plot(_Value, frozen=True, kw_only=True, tag="plot"):
    values: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    seats: tuple[int, ...] = ()


PanelValue: TypeAlias = _Text | _Cards | _Table | _Plot

_VALUES: Final[dict[type[Any], type[_Value]]] = {TextPanel: _Text, CardsPanel: _Cards, TablePanel: _Table, PlotPanel: _Plot}
_PANELS: Final[dict[type[_Value], type[Any]]] = {value: panel for panel, value in _VALUES.items()}


def panel_values(panels: Iterable[Panel]) -> list[Any]:
    """The panels as values that msgspec can write.

    Raises:
        TypeError: one of them is no panel.
    """
    return [
        _VALUES[type(panel)](**{name: getattr(panel, name) for name in _VALUES[type(panel)].__struct_fields__})
        for panel in checked_panels(panels)
    ]


def panels_of(values: Iterable[PanelValue]) -> tuple[Panel, ...]:
    """The panels of such values.

    Raises:
        ValueError: there cannot be such a panel.
    """
    return tuple(_PANELS[type(value)](**{name: getattr(value, name) for name in value.__struct_fields__}) for value in values)
