"""The compiled library, as Python sees it; ``cpp/library.cpp`` is its other side."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_int, c_int32, c_long, c_size_t, c_uint64, c_void_p
from enum import IntEnum
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NoReturn

from tiltyard_engine.errors import ContractError
from tiltyard_engine.registry.file_loaders import ForkCells
from tiltyard_tanks_native.builds import library_path
from tiltyard_tanks_native.elf.demangler import demangle_words
from tiltyard_tanks_native.elf.errors import CppError, NativeError

MOST_COUNTS: Final = 16
"""Of a result's ``remaining_tanks``; what is beyond is not looked at."""
FAILED: Final = -(1 << 40)
"""In place of an action's number: the call failed."""


class Callbacks(ctypes.Structure):
    """What a GameManager asks for; a negative answer ends its run."""

    create_type = CFUNCTYPE(c_int, c_int, c_int)
    act_type = CFUNCTYPE(c_int, c_int)
    brief_type = CFUNCTYPE(c_int, c_int, c_int, c_void_p)
    inform_type = CFUNCTYPE(c_int, c_int)
    _fields_ = (("create_tank", create_type), ("act", act_type), ("brief", brief_type), ("inform", inform_type))


class Claim(ctypes.Structure):
    """A result as the GameManager's file returned it."""

    _fields_ = (
        ("winner", c_int32),
        ("reason", c_int32),
        ("rounds", c_uint64),
        ("remaining_count", c_uint64),
        ("remaining", c_uint64 * MOST_COUNTS),
        ("state", c_int32),
    )


class FailureKind(IntEnum):
    """Why a call failed: the numbers of ``cpp/failures.hpp``."""

    NONE = 0
    EXCEPTION = 1
    OUT_OF_MEMORY = 2
    CONTRACT = 3
    CALLER = 4
    LOADING = 5
    PROTOCOL = 6


class Library:
    """The functions of the library. Attributes, not methods: a tank is asked through one of them in every round."""

    def __init__(self, path: Path) -> None:
        """Load it, in a way that files opened later find the constructors by which they register.

        Raises:
            NativeError: it cannot be loaded.
        """
        try:
            # While a team's function runs, no other thread has work to do: releasing the interpreter lock would only cost time.
            with_lock = ctypes.PyDLL(str(path), mode=ctypes.RTLD_GLOBAL | os.RTLD_NOW)
            without_lock = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL | os.RTLD_NOW)
        except OSError as error:
            raise NativeError(f"{path}: cannot be loaded: {error}") from error
        self._error_kind = _function(with_lock.tn_error_kind, c_int)
        self._error_text = _function(with_lock.tn_error_text, c_char_p)
        self.open = _function(with_lock.tn_open, c_void_p, c_char_p)
        self.player = _function(with_lock.tn_player, c_void_p, c_void_p, c_int, *[c_size_t] * 4)
        self.tank = _function(with_lock.tn_tank, c_void_p, c_void_p, c_int, c_int)
        self.act = _function(with_lock.tn_act, c_long, c_void_p)
        self.brief = _function(with_lock.tn_brief, c_long, c_void_p, c_void_p, c_char_p, c_size_t, c_size_t)
        self.inform = _function(with_lock.tn_inform, c_long, c_void_p)
        # These two call the GameManager's code, which may have threads that come back to Python.
        self.look = _function(without_lock.tn_look, c_long, c_void_p, POINTER(c_char), c_size_t, c_size_t)
        self.manage = _function(
            without_lock.tn_manage,
            c_long,
            *(c_void_p, c_int, c_size_t, c_size_t, c_char_p, c_char_p, c_size_t, c_size_t, c_char_p, c_char_p),
            *(POINTER(Callbacks), POINTER(Claim), POINTER(c_char)),
        )
        self.open_template = _function(with_lock.tn_open_template, c_void_p, c_char_p)
        self._fork_cells = _function(with_lock.tn_fork_cells, None, c_void_p, POINTER(c_long), c_int, c_int)

    def fork_cells(self, file: int, call: Sequence[int], questions: int, answers: int) -> None:
        """In a template of this file: fork cells by this system call, and let them serve over these pipes."""
        self._fork_cells(file, (c_long * len(call))(*call), questions, answers)

    @property
    def words(self) -> str:
        """What was last said to have gone wrong."""
        text: bytes = self._error_text()
        return text.decode("utf-8", "replace")

    def fail(self) -> NoReturn:
        """Raise what the last call failed with."""
        raise failure(FailureKind(self._error_kind()), self.words)


def failure(kind: FailureKind, words: str) -> Exception:
    """The Python exception for a failure of C++ code."""
    if kind is FailureKind.OUT_OF_MEMORY:
        return MemoryError(words)
    if kind is FailureKind.CONTRACT:
        return ContractError(words)
    if kind is FailureKind.LOADING:
        return NativeError(f"cannot be loaded: {demangle_words(words)}")
    return CppError(words)


@cache
def library() -> Library:
    """The library of this process, loaded when first wanted."""
    return Library(library_path())


@cache
def open_file(path: Path) -> int:
    """Open a team's file; what it does on being loaded, it does now.

    Returns:
        Its address, for the library's functions.

    Raises:
        NativeError: it cannot be loaded.
    """
    return _open(library().open, path)


def open_template(path: Path) -> ForkCells:
    """Open a team's file for cells that are forked from this process; what it does on being loaded, it does now."""
    return partial(library().fork_cells, _open(library().open_template, path))


def _open(opening: Callable[[bytes], int | None], path: Path) -> int:
    address = opening(str(path).encode("utf-8", "surrogateescape"))
    if address is None:
        library().fail()
    return address


def _function(function: Any, result: Any, *arguments: Any) -> Any:
    function.restype = result
    function.argtypes = arguments
    return function
