"""What is acknowledged survives a power cut."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tiltyard_league.database.database import Database, make_database
from tiltyard_league.submissions.upload import NEW, UPLOADS, receive_upload

SYNCHRONOUS_FULL = 2


def test_an_upload_is_on_the_disk_before_it_has_its_name_and_then_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[str, list[str]]] = []
    plain = os.fsync

    def fsync(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append((path.name, [each.name for each in path.iterdir()] if path.is_dir() else [path.read_text()]))
        plain(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with receive_upload(tmp_path, 100, 0) as upload:
        upload.write(b"all of ")
        upload.write(b"it")
    (first, content), (second, names) = synced
    assert first.startswith(NEW)
    assert content == ["all of it"]
    assert (second, names) == (UPLOADS, [upload.digest])


def test_a_row_is_on_the_disk_when_its_transaction_has_ended(tmp_path: Path) -> None:
    make_database(tmp_path)
    with Database(tmp_path) as database:
        assert database.number("PRAGMA synchronous") == SYNCHRONOUS_FULL
