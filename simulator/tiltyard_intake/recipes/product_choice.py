"""Which of the files that are there, or that a build has made, are the product that a recipe names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from tiltyard_engine.recipes import Contents, Product
from tiltyard_intake.recipes.patterns import matches, matching
from tiltyard_intake.trees.source_files import ELF, WINDOWS

_OF_TOOLS: Final = re.compile(r"(?:^|/)(?:CMakeFiles|deps|\.fingerprint|obj)/")
"""Folders in which tools make programs for themselves."""
_PROCESSORS: Final = {"x86_64": 62, "aarch64": 183, "riscv64": 243}
UNLINKED: Final = 1
"""What the head of an object file calls itself."""
_MAC: Final = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa\xcf")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a product."""

    name: str
    """Relative to the root, or to the build's folder for what is made."""
    place: str
    """Where it is, for whoever reads it."""
    head: bytes
    """How it begins: 64 bytes or all."""


def choose(product: Product, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The files that are the product, the best first; all of them only if it wants every one."""
    names = {each.name for each in candidates}
    for pattern in product.patterns:
        fitting = [
            each
            for each in candidates
            if matches(pattern, each.name)
            and is_kind(product.contents, each.head, each.name)
            and not _OF_TOOLS.search(each.name)
            and all(_sibling(each.name, name) in names for name in product.beside)
        ]
        if fitting:
            fitting.sort(key=lambda each: _rank(product, each.name))
            return fitting if product.every else fitting[:1]
    return []


def _sibling(name: str, other: str) -> str:
    path = PurePosixPath(name)
    return str(path.parent / other.replace("{stem}", path.stem))


def is_avoided(product: Product, name: str) -> bool:
    """Whether a file is named after something else than the product."""
    file = PurePosixPath(name).name.lower()
    return any(word in file for word in product.avoids)


def _rank(product: Product, name: str) -> tuple[int, int, int, str]:
    file = PurePosixPath(name).name.lower()
    avoided = sum(word in file for word in product.avoids)
    preferred = sum(word in file for word in product.prefers)
    return avoided, -preferred, name.count("/"), name


def is_kind(contents: Contents, head: bytes, name: str) -> bool:
    """Whether a file that begins so is what a product must be."""
    if contents == "assembly":
        return head.startswith(WINDOWS)
    if contents == "script":
        return head.startswith(b"#!")
    if not contents:
        return True
    if not head.startswith(ELF) or len(head) < 20:
        return False
    kind, processor = _kind_and_processor(head)
    if processor != _PROCESSORS.get(os.uname().machine, processor):
        return False
    is_library = ".so" in PurePosixPath(name).suffixes
    return kind == 3 and is_library if contents == "library" else kind in (2, 3) and not is_library


def is_assembly(data: bytes) -> bool:
    """Whether a program of Windows' form is .NET's: it has the runtime's own header (ECMA-335, partition II, 25.2.3.3)."""
    begin = int.from_bytes(data[0x3C:0x40], "little")
    # The directories of a program of 64 bits are 16 bytes further on.
    place = begin + (232 if data[begin + 24 : begin + 26] == b"\x0b\x01" else 248)
    return data[begin : begin + 4] == b"PE\0\0" and any(data[place : place + 8])


def why_not(product: Product, candidates: Iterable[Candidate]) -> str:
    """What is there in place of the product, such as a program for another system; empty if nothing is."""
    for pattern in product.patterns:
        for each in candidates:
            if not matches(pattern, each.name):
                continue
            if each.head.startswith(_MAC):
                return f"{each.name} was built for macOS; this machine needs one for Linux, or the sources"
            if product.contents in ("executable", "library") and each.head.startswith(WINDOWS):
                return f"{each.name} was built for Windows; this machine needs one for Linux, or the sources"
            if product.contents and each.head.startswith(b"version https://git-lfs"):
                return f"{each.name} is a Git LFS pointer, not the file itself"
            if product.contents in ("executable", "library") and each.head.startswith(ELF) and (why := _why_not_run(each, product)):
                return f"{each.name} {why}"
    return ""


def _why_not_run(candidate: Candidate, product: Product) -> str:
    kind, processor = _kind_and_processor(candidate.head)
    if processor != _PROCESSORS.get(os.uname().machine, processor):
        return f"was built for another processor than this machine's {os.uname().machine}; hand in the sources"
    if kind == UNLINKED:
        return "is one part of a program, which is not linked yet; hand in the finished program, or the sources"
    if not is_kind(product.contents, candidate.head, candidate.name):
        kind_in_words = {"executable": "a program", "library": "a shared object (.so)"}.get(product.contents, "something else")
        return f"is not {kind_in_words}, which is expected here; hand in that, or the sources"
    return ""


def _kind_and_processor(head: bytes) -> tuple[int, int]:
    return int.from_bytes(head[16:18], "little"), int.from_bytes(head[18:20], "little")


def expected(product: Product) -> str:
    """What should have come out, in words."""
    words = {
        "executable": "no program",
        "library": "no shared object",
        "assembly": "no .NET program",
        "script": "no script",
        "": "no file",
    }
    names = " or ".join(dict.fromkeys(pattern.replace("**/", "") for pattern in product.patterns[:2]))
    return words[product.contents] if names in ("*", "") else f"{words[product.contents]} {names}"


def names_beside(first: str, names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """The names of files beside a product that it may need, relative to its folder."""
    folder = str(PurePosixPath(first).parent)
    prefix = "" if folder == "." else f"{folder}/"
    below = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
    return [name for pattern in patterns for name in matching(pattern, below)]
