"""The project's own publishers come through the door that everybody's come through."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.tournaments.publishers.made_results import made_results

from tiltyard_engine.lifecycle import Publisher
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import PUBLISHER

LIGHT = """
import sys
from tiltyard_site import plugin as site
from tiltyard_tournaments.publishers import plugin
list(plugin.publishers()), list(site.publishers())
print(sorted({"jinja2", "numpy", "tabulate", "rich"} & set(sys.modules)))
"""


def test_they_are_installed_and_publish(registry: Registry, tmp_path: Path) -> None:
    entries = registry.all(PUBLISHER)
    assert [entry.name for entry in entries] == ["csv", "html", "json", "markdown", "site"]
    for entry in entries:
        record = entry.reference.load_as(Publisher)
        assert record.description
        files = list(record.publish(made_results(tmp_path), record.options()) or ())
        assert files
        assert all(file.is_file() for file in files)


def test_listing_them_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
