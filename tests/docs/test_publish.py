"""The sites of several versions lie beside each other, and know of each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.scripts import load_script

publish = load_script("docs/publish.py")


def put(site: Path, folder: str, text: str) -> None:
    """Publish a site of one page."""
    new = site / ".new"
    new.mkdir(parents=True)
    (new / "index.html").write_text(text, encoding="utf-8")
    publish.put(new, site, folder)
    publish.write_common(site, "/tiltyard/")


def folders(site: Path) -> list[str]:
    return [version["folder"] for version in json.loads((site / "versions.json").read_text(encoding="utf-8"))]


def test_before_the_first_release_there_is_what_is_not_released(tmp_path: Path) -> None:
    put(tmp_path, "latest", "new")
    assert folders(tmp_path) == ["latest"]
    assert "url=latest/" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_the_newest_release_is_stable_whatever_is_built_last(tmp_path: Path) -> None:
    for folder in ("0.9", "latest", "0.10", "0.9"):
        put(tmp_path, folder, folder)
    assert folders(tmp_path) == ["stable", "latest", "0.10", "0.9"]
    assert (tmp_path / "stable/index.html").read_text(encoding="utf-8") == "0.10"
    assert "url=stable/" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_wrong_address_leads_to_every_version_from_any_depth(tmp_path: Path) -> None:
    put(tmp_path, "0.2", "")
    page = (tmp_path / "404.html").read_text(encoding="utf-8")
    assert 'href="/tiltyard/stable/search.html"' in page
    assert 'href="/tiltyard/0.2/"' in page


@pytest.mark.parametrize(
    ("tags", "folder"),
    [([], "latest"), (["v0.2.1"], "0.2"), (["v0.9.0", "v0.10.0"], "0.10"), (["nightly", "v1.0.0rc1"], "latest")],
)
def test_a_tag_says_where_a_checkout_goes(tags: list[str], folder: str) -> None:
    assert publish.folder_of(tags) == folder
