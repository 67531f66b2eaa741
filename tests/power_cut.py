"""What a power cut would leave of a folder: what was synced, and nothing else.

``power_cut.c`` is loaded into a command and all that it starts, and notes what they do to the files. From the notes, ``Disk``
works out what surely lies on the disk at any moment: of a file what it was when it was last synced, of a folder the names that it
had then. A real disk may have more.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import pytest

SOURCE: Final = Path(__file__).with_suffix(".c")


@cache
def library() -> Path:
    """The compiled library.

    Raises:
        Skipped: there is no C compiler.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler, cc, for the library that notes what is synced")
    made = Path(mkdtemp(prefix="tests-of-power-cuts-"), "power_cut.so")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, SOURCE, "-ldl", "-lpthread"], check=True)
    return made


def noting(folder: Path, notes: Path) -> Mapping[str, str]:
    """The environment of a command whose files below a folder are noted; notes are added to those that are there."""
    return {"LD_PRELOAD": str(library()), "POWER_CUT_NOTES": str(notes), "POWER_CUT_FOLDER": str(folder.resolve())}


@dataclass(eq=False)
class _File:
    now: bytearray = field(default_factory=bytearray)
    synced: bytes = b""


@dataclass
class Disk:
    """Files that came into being while notes were taken."""

    folder: Path
    names: dict[Path, _File | None] = field(default_factory=dict)
    """As programs see them; None is a folder."""
    synced: dict[Path, _File | None] = field(default_factory=dict)
    _by_inode: dict[int, _File] = field(default_factory=dict)

    def follow(self, notes: Path) -> Iterator[str]:
        """Go through the notes, and stop after each piece of text that was printed, which comes out."""
        data = notes.read_bytes()
        at = 0
        while at < len(data):
            end = data.index(b"\n", at)
            kind, inode, offset, size = data[at:end].split()
            at = end + 1 + int(size)
            content = data[end + 1 : at]
            if kind == b"p":
                yield content.decode()
            else:
                self._apply(kind.decode(), int(inode), int(offset), content)

    def _apply(self, kind: str, inode: int, offset: int, content: bytes) -> None:
        if kind in "wt":
            file = self._by_inode.get(inode)
            if file is None:
                return
            if kind == "t":
                del file.now[offset:]
            file.now.extend(bytes(max(0, offset - len(file.now))))
            file.now[offset : offset + len(content)] = content
            return
        first, _, second = content.decode().partition("\0")
        path = Path(first)
        # The number of something new may have been that of a file that is gone.
        if kind == "d":
            self._by_inode.pop(inode, None)
            self.names[path] = None
        elif kind == "c":
            self.names[path] = self._by_inode[inode] = _File()
        elif kind == "u":
            self.names.pop(path, None)
        elif kind == "r":
            for each in [each for each in self.names if each == path or path in each.parents]:
                self.names[Path(second, each.relative_to(path))] = self.names.pop(each)
        elif inode in self._by_inode:
            self._by_inode[inode].synced = bytes(self._by_inode[inode].now)
        else:
            for each in [each for each in self.synced if each.parent == path]:
                del self.synced[each]
            self.synced |= {each: file for each, file in self.names.items() if each.parent == path}

    def restore(self, into: Path) -> Path:
        """Write what is left after a power cut now into a new folder."""
        into.mkdir()
        for path, file in sorted(self.synced.items()):
            parents = [each for each in path.parents if each != self.folder and self.folder in each.parents]
            if not all(each in self.synced for each in parents):
                continue
            target = into / path.relative_to(self.folder)
            if file is None:
                target.mkdir(exist_ok=True)
            else:
                target.write_bytes(file.synced)
        return into
