"""A page that loads something from another host is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scripts import load_script

pytest.importorskip("sphinx", reason="Sphinx is not installed: it comes with the group 'docs'")

own_host = load_script("docs/_extensions/own_host.py")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script async src="https://x.org/a"></script>'),
        ("a.html", '<link rel="stylesheet" href="https://x.org/a">'),
        ("a.html", "<img alt='' src='//x.org/a'>"),
        ("a.css", "@font-face { src: url('https://x.org/a') }"),
        ("a.css", '@import "https://x.org/a";'),
        ("a.svg", '<image href="https://x.org/a"/>'),
    ],
)
def test_what_loads_from_elsewhere(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [(file.name, address.partition("//")[2]) for file, address in own_host.loaded(tmp_path)] == [(name, "x.org/a")]


def test_links_and_own_files_are_no_matter(tmp_path: Path) -> None:
    links = '<a href="https://x.org">x</a><link rel="canonical" href="https://x.org/a"><img src="a.png"><link href="a.css">'
    (tmp_path / "a.html").write_text(links, encoding="utf-8")
    (tmp_path / "a.css").write_text("a { background: url(a.png) }", encoding="utf-8")
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    assert list(own_host.loaded(tmp_path)) == []
