"""A folder that is written again and again: each file at once or not at all, files of others never touched."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from tiltyard_engine.errors import UserError

MANIFEST: Final = "tiltyard-site.json"
FORMAT: Final = "tiltyard site"


@dataclass(slots=True, kw_only=True)
class SiteFolder:
    """The files of one publication in a folder; the manifest in it says which files are its own."""

    folder: Path
    previous: dict[str, str] = field(default_factory=dict)
    """Files of the publication before, path to stamp. A stamp says what the content was made from; often it is empty."""
    files: dict[str, str] = field(default_factory=dict)
    """Files of this one."""
    written: int = 0
    unchanged: int = 0
    removed: int = 0

    @classmethod
    def open(cls, folder: Path) -> SiteFolder:
        """Make the folder if need be and read what it holds.

        Raises:
            UserError: it cannot be made, or its manifest is none.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            text = (folder / MANIFEST).read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls(folder=folder)
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{folder}: cannot be used for a site: {getattr(error, 'strerror', None) or error}") from error
        return cls(folder=folder, previous=_manifest_files(folder / MANIFEST, text))

    def has(self, path: str, stamp: str) -> bool:
        """Whether the file is there from before, made from the same; then it is kept."""
        if self.previous.get(path) != stamp or not (self.folder / path).is_file():
            return False
        self.files[path] = stamp
        self.unchanged += 1
        return True

    def claim(self, paths: Iterable[str]) -> None:
        """Name files as the site's own before they appear: a publication that is killed must not lock itself out.

        ``add`` does so for single files, but each time the whole list is written.

        Raises:
            UserError: the list cannot be written, or somebody else's file is in place of one.
        """
        new = [path for path in paths if path not in self.previous]
        for path in new:
            if os.path.lexists(self.folder / path):
                raise UserError(
                    f"{self.folder / path}: wasn't written by tiltyard and would be overwritten; move it, or publish elsewhere",
                    see="not-ours",
                )
            self.previous[path] = ""
        if new:
            try:
                self._write_manifest({**self.previous, **self.files})
            except OSError as error:
                raise UserError(f"{self.folder}: cannot be written: {error.strerror}") from error

    def add(self, path: str, data: bytes, stamp: str = "") -> None:
        """Write a file below the folder.

        Raises:
            UserError: it cannot be written, or somebody else's file is in its place.
        """
        target = self.folder / path
        try:
            there = target.read_bytes() if target.is_file() else None
            if there is None and os.path.lexists(target) and not target.is_symlink():
                raise UserError(
                    f"{target}: has the same name as a file of the site; move it or publish to another folder", see="not-ours"
                )
            if there == data and path in self.previous:
                self.unchanged += 1
            else:
                self.claim([path])
                self._write(target, data)
                self.written += 1
        except OSError as error:
            raise UserError(f"{target}: cannot be written: {error.strerror}") from error
        self.files[path] = stamp

    def finish(self) -> None:
        """Remove what the publication before had and this one has not, and write the manifest.

        Raises:
            UserError: something cannot be removed or written.
        """
        try:
            for path in sorted(self.previous.keys() - self.files.keys()):
                with suppress(FileNotFoundError):
                    (self.folder / path).unlink()
                    self.removed += 1
            self._write_manifest(self.files)
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written: {error.strerror}") from error

    def _write_manifest(self, files: Mapping[str, str]) -> None:
        text = json.dumps({"format": FORMAT, "files": dict(sorted(files.items()))}, indent=0, ensure_ascii=True)
        self._write(self.folder / MANIFEST, text.encode() + b"\n")

    @staticmethod
    def _write(target: Path, data: bytes) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{target.name}.{os.getpid()}.new")
        try:
            beside.write_bytes(data)
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def _manifest_files(path: Path, text: str) -> dict[str, str]:
    """The files that a manifest names; only plain paths below the folder, as all of them may be replaced or removed."""
    try:
        value: Any = json.loads(text)
        files = value["files"] if value["format"] == FORMAT else None
    except (ValueError, KeyError, TypeError):
        files = None
    if not isinstance(files, dict):
        raise UserError(f"{path}: isn't a list of a site's files; remove it if the folder contains nothing else of yours")
    for name, stamp in files.items():
        parts = PurePosixPath(name).parts
        if not isinstance(stamp, str) or not parts or ".." in parts or PurePosixPath(name).is_absolute():
            raise UserError(f"{path}: names {name!r}, which isn't a file of a site")
    return files
