"""What goes wrong with compiled files, as exceptions."""

from __future__ import annotations

from tiltyard_engine.errors import ForeignError, UserError


class NativeError(UserError):
    """A compiled file, the compiler or the cache cannot be used; the message says what to do."""


class CppError(ForeignError):
    """An exception of C++ code: its type, and what it said."""
