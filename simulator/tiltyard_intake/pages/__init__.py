"""The organiser's pages of an intake, each whole in one file: it needs no script and no other file.

Begin with ``intake_page``.

- ``likeness_page``: works that are alike, both places side by side.
- ``whole_page``: what both share: the templates, and the style of the tournaments' site.

It imports ``report``, ``similarity`` and the tournaments' site.
"""
