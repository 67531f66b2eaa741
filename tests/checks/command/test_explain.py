from __future__ import annotations

import pytest
from tests.conftest import RunCommand

from tiltyard_checks.command import explain
from tiltyard_checks.command.explain import find, for_terminal, index_lines, read_sections
from tiltyard_engine.errors import NotFoundError

PAGE = """\
# Page

What it is.

## Names

### unknown-name

```text
no algorithm is called 'acron'; did you mean acorn?
```

There is none. See [plugins](reference/plugins.md#where) or [the site](https://example.org).

## Stores

### damaged-store

```text
cup: is damaged: database disk image is malformed
```

```text
cup: was edited
by somebody
```

**What to do.** Recover it.
"""
SECTIONS = read_sections(PAGE)


def test_sections_have_a_name_a_group_and_messages() -> None:
    assert [(section.name, section.group) for section in SECTIONS] == [("unknown-name", "Names"), ("damaged-store", "Stores")]
    assert SECTIONS[1].messages == ["cup: is damaged: database disk image is malformed", "cup: was edited\nby somebody"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("damaged-store", "damaged-store"),
        (" unknown-name ", "unknown-name"),
        ("error: finals/tournament.sqlite: is damaged: database disk image is malformed", "damaged-store"),
        ("no algorithm is called", "unknown-name"),
        ("no map is called 'narow-pass'; did you mean narrow-pass?", "unknown-name"),
    ],
)
def test_a_section_is_found_by_its_name_or_by_words_of_its_message(text: str, name: str) -> None:
    assert [section.name for section in find(SECTIONS, text)] == [name]


@pytest.mark.parametrize("text", ["", "?", "damaged-stor", "something that is on no page of ours"])
def test_what_is_not_found_is_an_error(text: str) -> None:
    with pytest.raises(NotFoundError, match="no explanation is called"):
        find(SECTIONS, text)


@pytest.mark.parametrize(
    ("home", "page"),
    [
        ("https://example.org/docs", "https://example.org/docs/reference/plugins.md#where"),
        # Addresses that lead nowhere were printed.
        ("https://tiltyard.invalid/docs", "in the documentation: reference/plugins, section 'where'"),
    ],
)
def test_a_section_in_the_terminal_has_paths_for_links_and_no_fences(monkeypatch: pytest.MonkeyPatch, home: str, page: str) -> None:
    monkeypatch.setattr(explain, "documentation", lambda: home)
    assert for_terminal(SECTIONS[0]) == (
        "unknown-name\n\n    no algorithm is called 'acron'; did you mean acorn?\n\n"
        f"There is none. See plugins ({page}) or the site (https://example.org)."
    )


def test_the_list_has_the_first_line_of_each() -> None:
    assert list(index_lines(SECTIONS)) == [
        "Names:",
        "  unknown-name   no algorithm is called 'acron'; did you mean acorn?",
        "Stores:",
        "  damaged-store  cup: is damaged: database disk image is malformed",
        "\n'tiltyard explain NAME' explains one of them.",
    ]


def test_the_command(run_command: RunCommand) -> None:
    done = run_command("tiltyard", "explain", "no-sandbox")
    assert done.returncode == 0
    assert done.stdout.startswith("no-sandbox\n\n    this machine can't confine code from outside (")
    assert "**What to do.** Install bubblewrap" in done.stdout
    wrong = run_command("tiltyard", "explain", "unknown-nam")
    assert wrong.returncode == 2
    assert wrong.stderr == (
        "error: no explanation is called 'unknown-nam'; did you mean unknown-name?\nhelp: tiltyard explain unknown-name\n"
    )
