"""Sphinx: the site of these pages. ``python3 dev.py docs`` builds it, ``docs/publish.py`` puts it among those of other versions."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER / "_extensions"))

with (FOLDER.parent / "pyproject.toml").open("rb") as file:
    PROJECT = tomllib.load(file)["project"]

project = PROJECT["name"]
author = "the tiltyard maintainers"
release = PROJECT["version"]
version = ".".join(release.split(".")[:2])

extensions = [
    "tested_pages",
    "api_reference",
    "quick_build",
    "quick_sidebar",
    "page_meta",
    "own_host",
    "accessible",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns = ["README.md", "_*", "examples"]
source_suffix = {".md": "markdown"}
templates_path = ["_templates"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]

html_theme = "furo"
html_title = f"tiltyard {version}"
html_favicon = "../tournaments/tiltyard_site/pages/assets/icon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["scrollable.js"]
html_search_scorer = str(FOLDER / "_extensions/search_order.js")
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
if os.environ.get("TILTYARD_DOCS_VERSIONS"):
    # docs/publish.py says so: only there is a list of versions to ask for.
    html_context = {"has_versions": True}
    html_js_files += ["versions.js"]

copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True
