"""Symbols as C++ spells them: ``_ZN5BoardC1Ev`` is ``Board::Board()``."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import Any, Final

_SYMBOL: Final = re.compile(r"\b_Z\w+")
_SHORTER: Final = (
    ("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"),
    ("std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"),
    ("unsigned long", "size_t"),
)
_DELETER: Final = re.compile(r"std::unique_ptr<(\w+), std::default_delete<\1> ?>")


def demangle(symbol: str) -> str:
    """The symbol in C++'s words; as it is where it is none, or where nothing on this machine knows them."""
    if not symbol.startswith("_Z"):
        return symbol
    functions = _demangler()
    if functions is None:
        return symbol
    demangler, free = functions
    status = ctypes.c_int()
    address = demangler(symbol.encode("utf-8", "surrogateescape"), None, None, ctypes.byref(status))
    if not address:
        return symbol
    text = ctypes.string_at(address).decode("utf-8", "replace")
    free(address)
    for long, short in _SHORTER:
        text = text.replace(long, short)
    return _DELETER.sub(r"std::unique_ptr<\1>", text)


def demangle_words(text: str) -> str:
    """A text with the symbols in it in C++'s words."""
    return _SYMBOL.sub(lambda match: demangle(match.group()), text)


@cache
def _demangler() -> tuple[Any, Any] | None:
    try:
        demangler = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
        free = ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return None
    demangler.restype = ctypes.c_void_p
    demangler.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))
    free.restype = None
    free.argtypes = (ctypes.c_void_p,)
    return demangler, free
