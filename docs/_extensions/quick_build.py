"""Makes the build quicker: each word of the search index is brought to its stem once, and nothing looks for garbage."""

from __future__ import annotations

import gc

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish


class QuickEnglish(SearchEnglish):
    """English, with the stems that were found already."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._stems: dict[str, str] = {}

    def stem(self, word: str) -> str:
        """The word without its ending, as Sphinx finds it."""
        if word not in self._stems:
            self._stems[word] = super().stem(word)
        return self._stems[word]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    # A build keeps nearly all that it makes: to look through it again and again takes a tenth of its time.
    gc.disable()
    app.add_search_language(QuickEnglish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
