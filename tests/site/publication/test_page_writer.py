from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_site.publication.page_writer import MANIFEST, SiteFolder


def test_only_its_own_files_are_replaced_or_removed(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    first = SiteFolder.open(tmp_path)
    first.add("a.html", b"1")
    first.add("data/b.js", b"2")
    first.finish()
    second = SiteFolder.open(tmp_path)
    second.add("a.html", b"3")
    second.finish()
    assert (second.written, second.unchanged, second.removed) == (1, 0, 1)
    assert (tmp_path / "a.html").read_bytes() == b"3"
    assert not (tmp_path / "data/b.js").exists()
    assert (tmp_path / "mine.txt").read_text() == "keep"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "data", "mine.txt", MANIFEST]


def test_what_is_the_same_is_not_written_again(tmp_path: Path) -> None:
    for _ in range(2):
        folder = SiteFolder.open(tmp_path)
        folder.add("a.html", b"1")
        folder.finish()
    before = (tmp_path / "a.html").stat().st_mtime_ns
    assert (folder.written, folder.unchanged) == (0, 1)
    assert (tmp_path / "a.html").stat().st_mtime_ns == before


def test_a_strangers_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("my home page")
    folder = SiteFolder.open(tmp_path)
    with pytest.raises(UserError, match=r"index\.html: wasn't written by tiltyard"):
        folder.add("index.html", b"x")
    assert (tmp_path / "index.html").read_text() == "my home page"
    (tmp_path / "data").mkdir()
    with pytest.raises(UserError, match="has the same name as a file of the site"):
        folder.add("data", b"x")


def test_a_publication_that_was_killed_can_be_repeated(tmp_path: Path) -> None:
    SiteFolder.open(tmp_path).add("a.html", b"half")
    again = SiteFolder.open(tmp_path)
    again.add("a.html", b"whole")
    again.finish()
    assert (tmp_path / "a.html").read_bytes() == b"whole"


def test_a_stamped_file_is_kept_without_its_content(tmp_path: Path) -> None:
    first = SiteFolder.open(tmp_path)
    first.add("replays/k.js", b"1", "v1")
    first.finish()
    second = SiteFolder.open(tmp_path)
    assert not second.has("replays/k.js", "v2")
    assert second.has("replays/k.js", "v1")
    (tmp_path / "replays/k.js").unlink()
    assert not SiteFolder.open(tmp_path).has("replays/k.js", "v1")


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "{}",
        '{"format": "tiltyard site", "files": {"../x": ""}}',
        '{"format": "tiltyard site", "files": {"/etc/x": ""}}',
    ],
)
def test_a_manifest_that_is_none_is_not_believed(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(UserError, match=MANIFEST):
        SiteFolder.open(tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be used for a site"):
        SiteFolder.open(tmp_path / "file")


def test_the_list_of_files_is_not_written_for_each_of_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was, and the first publication of 20,000 games took seven minutes."""
    lists: list[int] = []
    write = SiteFolder._write_manifest

    def counted(self: SiteFolder, files: Mapping[str, str]) -> None:
        lists.append(len(files))
        write(self, files)

    monkeypatch.setattr(SiteFolder, "_write_manifest", counted)
    folder = SiteFolder.open(tmp_path)
    folder.claim(f"replays/{number}.js" for number in range(100))
    for number in range(99):
        folder.add(f"replays/{number}.js", b"1")
    folder.finish()
    # What was claimed and not written is nobody's.
    assert lists == [100, 99]
    (tmp_path / "replays/99.js").write_text("mine")
    with pytest.raises(UserError, match="wasn't written by tiltyard"):
        SiteFolder.open(tmp_path).claim(["replays/99.js"])
