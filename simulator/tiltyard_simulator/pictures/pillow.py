"""Pillow, which only pictures of pixels need."""

from __future__ import annotations

import importlib.util

from tiltyard_engine.errors import UserError


def require_pillow() -> None:
    """Raises a UserError that says how to install it, where Pillow is missing."""
    if importlib.util.find_spec("PIL") is None:
        raise UserError("PNG and GIF need Pillow, which is not installed: pip install 'tiltyard[pictures]'; SVG works without it")
