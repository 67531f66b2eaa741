from __future__ import annotations

import subprocess
import sys

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_site.web.packages import SERVER_PACKAGES, need_packages

WITHOUT_SERVER = f"""
import sys
import tiltyard_site.commands.serve, tiltyard_site.core_pages, tiltyard_site.live.live_site, tiltyard_site.plugin
print(sorted({set(SERVER_PACKAGES)!r} & set(sys.modules)))
"""


def test_pages_are_made_without_the_packages_of_a_server() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_SERVER], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_what_is_missing_is_named_with_what_installs_it() -> None:
    need_packages("this test needs", "serve", *SERVER_PACKAGES)
    with pytest.raises(UserError) as caught:
        need_packages("this test needs", "league", "starlette", "no_such_package", otherwise="all else works")
    assert str(caught.value) == (
        "this test needs more packages: pip install 'tiltyard[league]' (No module named 'no_such_package'); all else works"
    )
    assert caught.value.see == "missing-package"
