"""What makes the site's build quicker leaves the site as it is: the sidebar that is drawn once shows each page's own place."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.scripts import load_script

TREE = """\
<ul>
<li class="toctree-l1 has-children"><a class="reference internal" href="start/a.html">A</a><input class="x"/><label></label><ul>
<li class="toctree-l2"><a class="reference internal" href="how/b.html">B</a></li>
</ul>
</li>
<li class="toctree-l1"><a class="reference internal" href="how/c.html">C</a></li>
<li class="toctree-l1 has-children"><a class="reference internal" href="d.html">D</a><input class="x"/><label></label><ul>
<li class="toctree-l2"><a class="reference internal" href="how/b.html">B</a></li>
</ul>
</li>
</ul>
"""


class Builder:
    """Addresses as Sphinx's builder of pages gives them."""

    def get_target_uri(self, name: str) -> str:
        return f"{name}.html"

    def get_relative_uri(self, page: str, name: str) -> str:
        return "../" * page.count("/") + self.get_target_uri(name)


class App:
    """As much of Sphinx as the sidebar asks for."""

    builder = Builder()

    class env:  # noqa: N801 -- as Sphinx calls it
        found_docs = frozenset({"index", "start/a", "how/b", "how/c", "d"})


@pytest.fixture(scope="module", autouse=True)
def sphinx() -> None:
    """It takes long to import, so that is done when a test needs it."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed: it comes with the group 'docs'")


@pytest.fixture
def sidebar() -> Any:
    made = load_script("docs/_extensions/quick_sidebar.py").Sidebar()
    made.take(TREE)
    return made


@pytest.mark.parametrize(
    ("page", "current", "own", "links"),
    [
        ("index", "", "", ["start/a.html", "how/b.html", "how/c.html", "d.html", "how/b.html"]),
        ("how/b", "ABDB", "BB", ["../start/a.html", "#", "../how/c.html", "../d.html", "#"]),
        ("how/c", "C", "C", ["../start/a.html", "../how/b.html", "#", "../d.html", "../how/b.html"]),
        ("d", "D", "D", ["start/a.html", "how/b.html", "how/c.html", "#", "how/b.html"]),
    ],
)
def test_where_a_page_stands(page: str, current: str, own: str, links: list[str], sidebar: Any) -> None:
    html = sidebar.of(App, page)
    assert "".join(re.findall(r'<li class="[^"]* current\b[^"]*"><a [^>]*>(\w)', html)) == current
    assert "".join(re.findall(r'<li class="[^"]* current-page"><a class="current [^>]*>(\w)', html)) == own
    assert re.findall(r'href="([^"]*)"', html) == links
    assert "".join(re.findall(r'>(\w)</a><input checked=""', html)) == current.replace("B", "").replace("C", "")


def test_stems_are_those_of_sphinx() -> None:
    from sphinx.search.en import SearchEnglish

    quick = load_script("docs/_extensions/quick_build.py").QuickEnglish({})
    words = ["games", "gaming", "games", "played", "tilt"]
    assert [quick.stem(word) for word in words] == [SearchEnglish({}).stem(word) for word in words]
    assert quick.lang == SearchEnglish.lang
