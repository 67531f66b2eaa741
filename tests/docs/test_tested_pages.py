"""What Sphinx gets of a page: the page without what is only for the tests, with what is only for the site."""

from __future__ import annotations

import pytest
from tests.scripts import ROOT, load_script

pytest.importorskip("sphinx", reason="Sphinx is not installed: it comes with the group 'docs'")

DOCS = ROOT / "docs"
PAGE = DOCS / "how-to/page.md"
tested_pages = load_script("docs/_extensions/tested_pages.py")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\n<!-- file: a.py\nx = 1\n-->\n<!-- run: true -->\ntwo\n", "one\ntwo\n"),
        ("```console background\n$ serve\n```\n", "```console\n$ serve\n```\n"),
        ("```yaml title=cup.yaml\na: 1\n```\n", "```{code-block} yaml\n:caption: cup.yaml\n\na: 1\n```\n"),
        ("```python into=a/b.py\nx\n```\n", "```{code-block} python\n:caption: into a/b.py\n\nx\n```\n"),
        ("```text\n<!-- kept --> [kept](../../README.md)\n```\n", "```text\n<!-- kept --> [kept](../../README.md)\n```\n"),
    ],
)
def test_blocks_and_comments(text: str, shown: str) -> None:
    assert tested_pages.prepared(text, PAGE) == shown


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[a](measure.md#x)", "[a](/how-to/measure.md#x)"),
        ("[a](../../README.md)", "[a](/index.md)"),
        ("[a](../decisions)", "[a](/decisions/index.md)"),
        ("[a](https://example.org)", "[a](https://example.org)"),
        ("[a](nowhere.md)", "[a](nowhere.md)"),
        ("![a\nmap](../pictures/rooms.svg)", "![a\nmap](/pictures/rooms.svg)"),
    ],
)
def test_links(link: str, shown: str) -> None:
    assert tested_pages.prepared(link, PAGE) == shown


def test_a_folder_is_linked_where_the_sources_have_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested_pages, "SOURCE", "")
    assert tested_pages.prepared("[acorn](../../plugins/acorn)", PAGE) == "acorn"
    monkeypatch.setattr(tested_pages, "SOURCE", "https://example.org/tiltyard")
    assert (
        tested_pages.prepared("[acorn](../../plugins/acorn)", PAGE)
        == "[acorn](https://example.org/tiltyard/tree/main/plugins/acorn)"
    )


def test_a_picture_with_a_twin_follows_the_look() -> None:
    shown = tested_pages.prepared("![A\ntable](../pictures/site.png)", PAGE)
    assert [line for line in shown.splitlines() if line.startswith(("```{", ":"))] == [
        "```{image} /pictures/site.png",
        ":alt: A table",
        ":class: only-light",
        "```{image} /pictures/site-dark.png",
        ":alt: A table",
        ":class: only-dark",
    ]


def test_a_list_becomes_the_sidebar() -> None:
    pages = "- [One\n  thing](one.md): and [two](two.md)\n- [Three](three.md)\n\n- [No](no.md)\n"
    text = f"<!-- toctree: Guides -->\n<!-- class: doors -->\n{pages}"
    shown = tested_pages.prepared(text, DOCS / "index.md")
    assert shown.startswith("```{toctree}\n:hidden:\n:caption: Guides\n\nOne thing <one>\nThree <three>\n```\n")
    assert "{.doors}\n- [One" in shown
    assert tested_pages.prepared("<!-- toctree glob: None: no-such-folder/* -->\n", DOCS / "index.md") == ""
    assert ":caption: Why\n\ndecisions/0*\n" in tested_pages.prepared(
        "<!-- toctree glob: Why: decisions/0* -->\n", DOCS / "index.md"
    )


def test_a_page_from_outside_is_shown_whole() -> None:
    shown = tested_pages.prepared("<!-- include: ../CONTRIBUTING.md -->\nfor GitHub\n", DOCS / "contributing.md")
    assert shown.startswith("# Contributing")
    assert "](/decisions/index.md)" in shown
    assert "\nDecisions </decisions/index>\n" in shown
    assert "`<!-- toctree: ... -->`" in shown
    assert "![The rooms" in shown
    assert "(/pictures/rooms.svg)" in shown
    assert "for GitHub" not in shown
