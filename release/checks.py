"""Whether what was built is fit to be published: for PyPI, and for strangers who read it there."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Final

import dev

from release.errors import ReleaseError
from release.metadata import ROOT, distributions, project, sync

TOOLS: Final = ROOT / ".venv-release"
KEYS: Final = (
    "Author",
    "License-Expression",
    "License-File",
    "Project-URL",
    "Classifier",
    "Requires-Python",
    "Keywords",
    "Summary",
)
"""What the metadata of every distribution tell."""
MARKERS: Final = ("LICENSE", "/py.typed")
"""Files that every sdist and every wheel holds."""
FORGE_FILES: Final = {
    "vendor.github-workflows": ".github/workflows/*.yml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
}
"""What the forge reads, and the schemas for it."""


def check(target: Path) -> None:
    """Hold what was built to what strangers and PyPI expect.

    Raises:
        ReleaseError: something is wrong with it; all that was found.
    """
    found = [f"{path}: not as pyproject.toml says; run: python3 -m release sync" for path in sync(check=True)]
    found += [f"{target}: no {name}" for name in expected() if not (target / name).is_file()]
    found += [problem for path in built(target) for problem in problems_of(path)]
    set_up_tools()
    paths = [str(path.resolve()) for path in built(target)]
    found += _complaints("twine", "check", "--strict", *paths)
    found += _complaints("check-wheel-contents", *(path for path in paths if path.endswith(".whl")))
    for schema, files in FORGE_FILES.items():
        found += _complaints("check-jsonschema", "--builtin-schema", schema, *(str(path) for path in sorted(ROOT.glob(files))))
    if found:
        raise ReleaseError("\n".join(found))


def expected() -> list[str]:
    """The names of the files that a release has on every machine; there may be compiled wheels beside them."""
    names = [f"{project(folder)['name'].replace('-', '_')}-{project()['version']}" for folder in distributions()]
    return [name + kind for name in names for kind in (".tar.gz", "-py3-none-any.whl")]


def built(target: Path) -> list[Path]:
    """The sdists and wheels in a folder."""
    return sorted(path for path in target.glob("*") if path.name.endswith((".whl", ".tar.gz")))


def set_up_tools() -> None:
    """Install the tools of the dependency group ``release`` into an environment of their own, as uv.lock says.

    Raises:
        ReleaseError: they are not there, and can't be fetched.
    """
    stamp, wanted = TOOLS / "tools.stamp", dev.fingerprint(sys.version)
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    with tempfile.TemporaryDirectory() as scratch:
        constraints = Path(scratch) / "constraints.txt"
        constraints.write_text("".join(f"{line}\n" for line in dev.locked_versions()))
        wanted_tools = ["--constraint", str(constraints), *dev.requirements("release")]
        python = dev.command("python", TOOLS)
        if uv := dev.working_uv():
            make = [*uv, "venv", "--clear", "--python", sys.executable, str(TOOLS)]
            install = [*uv, "pip", "install", "--python", python, *wanted_tools]
        else:
            make = [sys.executable, "-m", "venv", "--clear", str(TOOLS)]
            install = [python, "-m", "pip", "--quiet", "install", *wanted_tools]
        for command in (make, install):
            done = subprocess.run(command, env=dev.UV_ENVIRONMENT, capture_output=True, text=True, errors="replace", check=False)
            if done.returncode:
                raise ReleaseError(f"the tools of the group 'release' can't be installed:\n{done.stderr}".rstrip())
    stamp.write_text(wanted)


def _complaints(*words: str) -> list[str]:
    """What one of the tools says if it isn't content."""
    command = [dev.command(words[0], TOOLS), *words[1:]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    return [f"{words[0]}: {done.stdout}{done.stderr}".rstrip()] if done.returncode else []


def problems_of(path: Path) -> Iterator[str]:
    """What is wrong with an sdist or a wheel, beyond what the usual tools look for."""
    files = dict(contents(path))
    own = next((name for name in files if name.endswith((".dist-info/METADATA", "/PKG-INFO"))), None)
    if own is None:
        yield f"{path.name}: no metadata"
        return
    metadata: Message = message_from_bytes(files[own])
    # Not by get_payload, which takes text that isn't ASCII for something else.
    readme = files[own].decode().partition("\n\n")[2]
    yield from (f"{path.name}: its readme links to {link}, which is no address" for link in relative_links(readme))
    yield from (f"{path.name}: no {key} in its metadata" for key in KEYS if not metadata.get_all(key))
    names = [re.sub(r"^[^/]*-\d[^/]*/", "", name) for name in files]
    yield from (f"{path.name}: no {marker}" for marker in MARKERS if not any(name.endswith(marker) for name in names))
    for name in names:
        if re.match(r"(tests|docs)/|\.(?!gitignore$)", name) or name.endswith((".pyc", ".orig", "~")):
            yield f"{path.name}: {name} does not belong there"


def relative_links(readme: str) -> list[str]:
    """Links and pictures of a Markdown text that lead nowhere once it is alone."""
    text = re.sub(r"^```.*?^```$", "", readme, flags=re.DOTALL | re.MULTILINE)
    return [link for link in re.findall(r"\]\(([^)\s]+)", text) if not re.match(r"https?://|#|mailto:", link)]


def contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """The files of an sdist or a wheel."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist())
        return
    with tarfile.open(path) as sdist:
        for member in sdist:
            file = sdist.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member.name, file.read()
