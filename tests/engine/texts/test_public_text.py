"""No path of a machine stands in what the public reads."""

from __future__ import annotations

import json

import pytest

from tiltyard_engine.texts.public_text import public_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # A team called json: Python says where it found the other one.
        (
            "cannot import name 'hookimpl' from 'json' (/usr/lib/python3.11/json/__init__.py)",
            "cannot import name 'hookimpl' from 'json' (json/__init__.py)",
        ),
        ("SyntaxError: invalid syntax (/srv/course/teams/bad.py, line 1)", "SyntaxError: invalid syntax (bad.py, line 1)"),
        ('  File "/home/anne smith/teams/x.py", line 2', '  File "x.py", line 2'),
        ("[Errno 2] No such file or directory: '/home/anne smith/a b.txt'", "[Errno 2] No such file or directory: 'a b.txt'"),
        ("sys.path is ['/root/lib', '/opt/x/', '']", "sys.path is ['lib', 'x', '']"),
        ("PATH=/usr/local/bin:/opt/secret/tool", "PATH=bin:tool"),
        ("gcc -I/work/include -L/work/lib x.c", "gcc -Iinclude -Llib x.c"),
        ("file:///home/anne/x.html", "file://x.html"),
        ("/tmp/x", "x"),
        # What stays.
        (
            "https://example.org/home/anne and http://127.0.0.1:80/tmp/x",
            "https://example.org/home/anne and http://127.0.0.1:80/tmp/x",
        ),
        *[(text, text) for text in ("and/or 1/2 teams/bad.py", "./a ../b ~/c /dev/null", "/proc/self/maps", "no path", "")],
        ("/_/_\\ /\\/ / // /start", "/_/_\\ /\\/ / // /start"),
    ],
)
def test_names_stand_in_place_of_paths(text: str, shown: str) -> None:
    assert public_text(text) == shown
    assert public_text(shown) == shown


def test_a_real_path_of_this_machine_is_hidden() -> None:
    assert public_text(f"see {json.__file__} now") == "see json/__init__.py now"
