"""``tiltyard explain``: the pages *What can go wrong*, section by section, in the terminal and without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import metadata
from importlib.resources import files
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION
from tiltyard_tournaments.cli.application import application

app = application()

PAGES: Final = ("what-can-go-wrong.md", "what-can-go-wrong-with-a-team.md")
"""Copies of the pages in docs, so that an installed tiltyard has them too; a test keeps them alike."""
ALIKE: Final = 0.5
"""The share of a quoted message's words that a text must have to be taken for that message."""
_MESSAGE: Final = re.compile(r"^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_WORD: Final = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True, slots=True)
class Section:
    """What a page says about one kind of message."""

    name: str
    """The name in ``tiltyard explain NAME``, and the section's anchor on the page."""
    group: str
    """The part of the page that it is in."""
    text: str
    """Markdown, without the heading."""

    @property
    def messages(self) -> list[str]:
        """The messages that it quotes."""
        return [message.rstrip("\n") for message in _MESSAGE.findall(self.text)]


@app.command()
def explain(
    about: Annotated[
        list[str] | None,
        typer.Argument(help="The name that a message ends with, or the words of a message.", show_default="list all"),
    ] = None,
) -> None:
    """Explain an error message: what it means, and what to do.

    Many messages end with a line such as 'help: tiltyard explain no-sandbox'. For others, give the message itself. Without an
    argument, the command lists all names.

    \b
    Examples:
      tiltyard explain
      tiltyard explain no-sandbox
      tiltyard explain "cannot be imported: SyntaxError"
    """
    folder = files("tiltyard_checks.command")
    sections = [each for page in PAGES for each in read_sections(folder.joinpath(page).read_text(encoding="utf-8"))]
    if not about:
        print("\n".join(index_lines(sections)))
        return
    print("\n\n".join(map(for_terminal, find(sections, " ".join(about)))))


def read_sections(page: str) -> list[Section]:
    """The sections of the page, in order: headings of the third level, in groups of the second."""
    sections: list[Section] = []
    for group in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title, _, rest = group.partition("\n")
        for part in re.split(r"^### ", rest, flags=re.MULTILINE)[1:]:
            name, _, text = part.partition("\n")
            sections.append(Section(name.strip(), title.strip(), text.strip()))
    return sections


def find(sections: Sequence[Section], text: str) -> list[Section]:
    """The section of that name, or else those with the message that is most like the text.

    Raises:
        NotFoundError: there is none.
    """
    by_name = [section for section in sections if section.name == text.strip()]
    if by_name:
        return by_name
    words = _words(text)
    shares = [max((_share(words, _words(message)) for message in section.messages), default=0.0) for section in sections]
    best = max(shares, default=0.0)
    # A single word is rather a name with a typing error.
    if best < ALIKE or len(text.split()) < 2:
        raise NotFoundError("explanation", text, (section.name for section in sections))
    return [section for section, share in zip(sections, shares, strict=True) if share == best]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _share(words: set[str], message: set[str]) -> float:
    """How much of the shorter of the two is in the other one: people paste whole messages, or a part of one."""
    return len(words & message) / max(1, min(len(words), len(message)))


def index_lines(sections: Sequence[Section]) -> Iterator[str]:
    """The names with their first messages, group by group."""
    width = max(len(section.name) for section in sections)
    for group in dict.fromkeys(section.group for section in sections):
        yield f"{group}:"
        for section in sections:
            if section.group == group:
                first = section.messages[0].splitlines()[0]
                yield f"  {section.name:<{width}}  {first if len(first) <= 70 else f'{first[:67]}...'}"
    yield "\n'tiltyard explain NAME' explains one of them."


NO_ADDRESS: Final = ".invalid"
"""As long as the project isn't published, its addresses lead nowhere."""


def for_terminal(section: Section) -> str:
    """The section as plain text: messages indented, links with the addresses of their pages."""
    text = _MESSAGE.sub(lambda match: "".join(f"    {line}\n" for line in match[1].splitlines()).rstrip("\n"), section.text)
    return f"{section.name}\n\n{_LINK.sub(_with_address, text)}"


def _with_address(link: re.Match[str]) -> str:
    """A link's words, and the address that it leads to: whoever has installed tiltyard has no file of the documentation."""
    words, target = link.groups()
    if ":" in target:
        return f"{words} ({target})"
    if NO_ADDRESS not in documentation():
        return f"{words} ({documentation()}/{target})"
    page, _, section = target.partition("#")
    section = f", section '{section.replace('-', ' ')}'" if section else ""
    return f"{words} (in the documentation: {page.removesuffix('.md')}{section})"


@cache
def documentation() -> str:
    """The address of the documentation, as the package's metadata names it."""
    links = metadata(HOST_DISTRIBUTION).get_all("Project-URL") or []
    return str(dict(link.split(", ", 1) for link in links)["Documentation"])
