"""Generated inputs: hypothesis, where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Final, get_args, get_origin, get_type_hints

from tiltyard_kit.game_check.bench.outcomes import NotApplicable

CHARACTERS: Final = "ab zAZ019.,:;#@-/%\\\"'\n\t\0\u00e9\u2603"
LONGEST_TEXT: Final = 100
NEEDS_HYPOTHESIS: Final = "generated inputs need hypothesis, which is not installed: run 'pip install hypothesis'"


def strategies() -> Any:
    """The module ``hypothesis.strategies``.

    Raises:
        NotApplicable: hypothesis is not installed.
    """
    try:
        from hypothesis import strategies as st
    except ImportError:
        raise NotApplicable(NEEDS_HYPOTHESIS) from None
    return st


def values_of(kind: type[Any] | None) -> Any:
    """A strategy for values of a type; None: plain ones. Texts are of few characters: making up all of Unicode takes a second.

    Raises:
        NotApplicable: hypothesis is not installed, or cannot make up such values.
    """
    st = strategies()
    if kind is None:
        return st.one_of(
            st.integers(), st.text(CHARACTERS, max_size=LONGEST_TEXT), st.booleans(), st.lists(st.integers(), max_size=3)
        )
    try:
        strategy = _strategy(kind, st)
        strategy.validate()
    except Exception as error:
        raise NotApplicable(f"hypothesis can't make up values of {kind.__name__}: {error}") from error
    return strategy


def _strategy(kind: Any, st: Any) -> Any:
    if kind is str:
        return st.text(CHARACTERS, max_size=LONGEST_TEXT)
    if isinstance(kind, type) and is_dataclass(kind):
        types = get_type_hints(kind)
        return st.builds(kind, **{field.name: _strategy(types[field.name], st) for field in fields(kind) if field.init})
    if get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        return st.lists(_strategy(get_args(kind)[0], st), max_size=LONGEST_TEXT // 10).map(tuple)
    return st.from_type(kind)


def for_all(inputs: Any, check: Callable[[Any], None], examples: int) -> None:
    """Call ``check`` with so many inputs of a strategy, always the same ones, simple ones first; the first failure ends it."""
    from hypothesis import HealthCheck, Phase, given, settings

    quiet = settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        # To look for a simpler input would take a hundred matches more.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    called_with: Any = given(inputs)
    quiet(called_with(check))()
