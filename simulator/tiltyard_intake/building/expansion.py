"""A recipe's commands with the places of one build in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from tiltyard_engine.recipes import Step
from tiltyard_intake.recipes.patterns import matching

_OF_TESTS: Final = re.compile(r"(?:^|/)(?:unit_?)?tests?/", re.IGNORECASE)
"""Folders of tests: they need libraries of their own, and have a main function."""
_LIST: Final = re.compile(r"\{(files|folders):([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are in one build. All paths are absolute, as the build's processes see them."""

    source: str
    out: str
    headers: str
    team: str
    """The team's name, as files can be called."""
    files: Sequence[str]
    """The files below ``source``, relative to it."""
    packages: str
    """The organiser's packages, if there are any."""

    def text(self, word: str) -> str:
        """A word with its single places."""
        for name in ("source", "out", "headers", "team", "packages"):
            word = word.replace("{" + name + "}", getattr(self, name))
        return word

    def words(self, step: Step) -> list[str]:
        """The arguments of a step."""
        return [self.text(each) for word in step.words for each in self._repeated(word)]

    def folder(self, step: Step) -> str:
        """Where a step runs."""
        return f"{self.source}/{step.folder}".rstrip("/")

    def environment(self, step: Step) -> Mapping[str, str]:
        """What a step sets."""
        return {name: self.text(value) for name, value in step.environment}

    def _repeated(self, word: str) -> list[str]:
        match = _LIST.search(word)
        if match is None:
            return [word]
        names = matching(match[2], self.files)
        names = [name for name in names if not _OF_TESTS.search(name)] or names
        if match[1] == "folders":
            names = list(dict.fromkeys(str(PurePosixPath(name).parent) for name in names))
        return [word.replace(match[0], f"{self.source}/{name}".removesuffix("/.")) for name in names]
