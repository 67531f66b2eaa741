"""What is wrong with a text that is no YAML, in words for people who don't know how YAML is read."""

from __future__ import annotations

import re
from typing import Final

import yaml

from tiltyard_tournaments.tournament_file.problems import Problem

IN_QUOTES: Final = "put the value in quotes"
WORDS: Final[tuple[tuple[str, str], ...]] = (
    (r"found character '\\t'", "a tab; use spaces"),
    (r"found character '(.)' that cannot start any token", "a value can't begin with '{}'; " + IN_QUOTES),
    ("mapping values are not allowed here", "a second ': ' in a value; put text with a colon in quotes, or check the indentation"),
    ("sequence entries are not allowed here", "a '- ' after a key; begin the list on a line of its own"),
    ("expected <block end>", "expected the next key; check the indentation, and the text after a quote or bracket"),
    ("found undefined alias|.*while scanning an alias", f"a '*' begins a reference to another value; {IN_QUOTES}"),
    ("found unknown escape character", r"a '\' in double quotes begins an escape; use single quotes"),
    ("expected chomping or indentation indicators", f"a value can't begin with '>' or '|'; {IN_QUOTES}"),
    ("but found another document", "a second document begins here with '---', expected one"),
)
"""Patterns of what the parser says, and what people are told; of anything else its own words."""
OPENING: Final = {"while parsing a flow sequence": ("[", "]"), "while parsing a flow mapping": ("{", "}")}


def yaml_problem(error: yaml.YAMLError, text: str) -> Problem:
    """What is wrong, with the line where it has to be mended: for a bracket or quote without an end that is where it begins."""
    line, words = _line_and_words(error, text)
    return Problem(line, "", f"not valid YAML: {words}")


def _line_and_words(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    if isinstance(error, yaml.reader.ReaderError):
        return text.count("\n", 0, error.position) + 1, f"the character #x{error.character:04x}, which text can't contain"
    if not isinstance(error, yaml.MarkedYAMLError):
        return 1, " ".join(str(error).split())
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    begin = error.context_mark.line + 1 if error.context_mark else line
    problem, context = error.problem or "", error.context or ""
    if context in OPENING and problem.startswith("expected ',' or") and begin < line:
        opening, closing = OPENING[context]
        return begin, f"this '{opening}' isn't closed: expected ',' or '{closing}' {_before(line, text)}"
    if context == "while scanning a quoted scalar" and begin <= line and "end of stream" in problem:
        return begin, "this quote isn't closed"
    if "could not find expected ':'" in problem:
        return begin, "expected 'KEY: VALUE' or '- ITEM'"
    for pattern, words in WORDS:
        if match := re.match(pattern, f"{problem} {context}"):
            return line, words.format(*match.groups())
    return line, f"{problem} ({context})" if context else problem


def _before(line: int, text: str) -> str:
    return f"before line {line}" if line <= text.count("\n") else "before the end of the file"
