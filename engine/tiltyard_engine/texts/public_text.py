"""Texts for readers who have no business with the folders of the machine that plays."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

USUAL_FOLDERS: Final = (
    *("Users", "Volumes", "bin", "boot", "data", "etc", "home", "lib", "lib64", "media", "mnt", "nix", "opt", "private"),
    *("root", "run", "sbin", "scratch", "srv", "tmp", "usr", "var", "work"),
)
"""Where paths begin on other machines, which may have played as well."""
NO_PLACES: Final = ("dev", "proc", "sys")
"""Alike on all machines."""
MORE_THAN_A_NAME: Final = ("__init__.py", "__main__.py")
"""Names of files that say nothing without the folder's."""


def public_text(text: str) -> str:
    """The text with the names of files and folders in place of their whole paths, as ``bot.py`` for ``/home/ann/teams/bot.py``.

    Addresses, and what only looks like a path, such as ``yes/no``, stay. So do relative paths.
    """
    if "/" not in text:
        return text
    quoted, bare, spaced = _patterns()
    for folder in spaced:
        text = text.replace(f"{folder}/", "/tmp/")  # noqa: S108 -- any path without spaces, which is removed next
    text = quoted.sub(lambda match: f"{match[1]}{_name(match[2])}{match[1]}", text)
    return bare.sub(lambda match: f"{match[1]}{_name(match[2])}", text)


def _name(path: str) -> str:
    *_, folder, name = path.rstrip("/").split("/")
    return f"{folder}/{name}" if name in MORE_THAN_A_NAME else name


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], tuple[str, ...]]:
    """Paths in quotes, which may have spaces in them; other paths; and folders of this machine that have spaces."""
    folders = "|".join(sorted({re.escape(name) for name in (*USUAL_FOLDERS, *os.listdir("/")) if name not in NO_PLACES}))  # noqa: PTH208
    quoted = re.compile(rf"""(['"])(/(?:{folders})/[^'"\n]+)\1""")
    # Not behind a letter, as in and/or, but for a compiler's options; and not the host of an address.
    begin = r"((?<![\w/.~])|(?<=-[IL])|file://(?=/))"
    bare = re.compile(rf"""{begin}(?!//)(/(?:{folders})(?:/[^\s/'"<>(){{}}\[\],;:|]+)+/?)""")
    here = {str(Path.cwd()), str(Path.home()), sys.prefix, sys.base_prefix}
    return quoted, bare, tuple(sorted((folder for folder in here if " " in folder), key=len, reverse=True))
