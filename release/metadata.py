"""What all pyproject.toml share: version, bounds, licence, classifiers, addresses.

The version, the authors and the classifiers stand in the root's pyproject.toml, as does the project's address. The other files have
copies, so that each distribution can be built alone and by any tool. They are written here, and a test compares them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import dev

from release.errors import ReleaseError

ROOT: Final = dev.ROOT
PYPROJECT: Final = ROOT / "pyproject.toml"
SHARED_KEYS: Final = ("version", "license", "license-files", "requires-python", "authors", "classifiers")
"""What every distribution has from the root's table ``project``."""
BOUNDED_TEXTS: Final = (
    "docs/reference/hooks.md",
    "plugins/tanks/tiltyard_tanks/new_team/pyproject.toml.template",
    "engine/tiltyard_kit/new_game/templates/shared/pyproject.toml.template",
    "engine/tiltyard_kit/new_team/templates/pyproject.toml.template",
)
"""What else names the versions of the engine that fit."""
_BOUND: Final = re.compile(r"(\btiltyard(?:-[a-z]+)*(?:\[[a-z,]+\])?)>=\d+\.\d+,<\d+\.\d+")
_BEGIN: Final = "# Written by: python3 -m release sync\n"
_END: Final = "# End.\n"


def distributions() -> list[Path]:
    """The folders of all distributions, the root last."""
    return [ROOT / "engine", *dev.plugins(), ROOT]


def project(folder: Path | None = None) -> dict[str, Any]:
    """The table ``project`` of the distribution in a folder, or of the root's."""
    table: dict[str, Any] = dev.read_toml((folder or ROOT) / "pyproject.toml")["project"]
    return table


def home() -> str:
    """The project's address on a forge, without a slash at the end."""
    address: str = dev.read_toml(PYPROJECT)["tool"]["tiltyard"]["release"]["home"]
    return address.rstrip("/")


def bounds(version: str) -> str:
    """The versions of a distribution that work with those of ``version``: up to the next minor one, which may break something."""
    major, minor, *_ = version.split(".")
    return f">={major}.{minor},<{major}.{int(minor) + 1}"


def key_pattern(key: str) -> re.Pattern[str]:
    """A key of a TOML table with its value, which may be a list over several lines."""
    return re.compile(rf"^{key} = (?:\[\n(?:[^\]].*\n)*\]|.*)$", re.MULTILINE)


def synchronized(path: Path) -> str:
    """What a file is to hold, after the root's pyproject.toml: a pyproject.toml, or a text that names bounds.

    Raises:
        ReleaseError: a place is missing where something is to be written.
    """
    text = _BOUND.sub(lambda found: found[1] + bounds(project()["version"]), path.read_text(encoding="utf-8"))
    if path.name != "pyproject.toml":
        return text
    name = path.relative_to(ROOT)
    if path != PYPROJECT:
        for key in SHARED_KEYS:
            text = _with_value(text, key, name)
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ReleaseError(f"{name}: the lines '{_BEGIN.strip()}' and '{_END.strip()}' are missing")
    return before + begin + _shared_tables(path.parent) + end + after


def _with_value(text: str, key: str, name: Path) -> str:
    """A pyproject.toml with the root's value of a key."""
    value = key_pattern(key).search(PYPROJECT.read_text(encoding="utf-8"))
    if value is None:
        raise ReleaseError(f"pyproject.toml: no key '{key}' in [project]")
    found = key_pattern(key).search(text)
    if found is None:
        raise ReleaseError(f"{name}: no key '{key}' in [project]; write '{key} = []' there")
    return text[: found.start()] + value[0] + text[found.end() :]


def _shared_tables(folder: Path) -> str:
    """The addresses, and how links and pictures of a readme lead there from PyPI, which knows nothing of the files beside it."""
    address, up = home(), re.escape("../" * len(folder.relative_to(ROOT).parts))
    inside = rf"{up}(?!\w+:|#|/|\.\./)"
    replaced = {
        r"(?s)<!--.*?-->\n*": "",
        r"pip install \./plugins/": "pip install tiltyard-",
        r"(pip install [\w-]+)_": r"\1-",
        rf"(!\[[^\]]*\]\(){inside}": rf"\1{address}/raw/v$HFPR_VERSION/",
        rf"(\]\(){inside}": rf"\1{address}/blob/v$HFPR_VERSION/",
    }
    lines = [
        "[project.urls]",
        f'Homepage = "{address}"',
        f'Documentation = "{address}/tree/main/docs"',
        f'Source = "{address}"',
        f'Issues = "{address}/issues"',
        f'Changelog = "{address}/blob/main/CHANGELOG.md"',
        "",
        "[tool.hatch.metadata.hooks.fancy-pypi-readme]",
        'content-type = "text/markdown"',
        'fragments = [{ path = "README.md" }]',
        "substitutions = [",
        *(f"    {{ pattern = '{pattern}', replacement = '{replacement}' }}," for pattern, replacement in replaced.items()),
        "]",
    ]
    return "".join(f"{line}\n" for line in lines)


def sync(*, check: bool = False) -> list[str]:
    """Write what follows from the root's pyproject.toml into the other files, or only find out which would change.

    Returns:
        Their paths.
    """
    wanted = {folder / "pyproject.toml": b"" for folder in distributions()} | {ROOT / name: b"" for name in BOUNDED_TEXTS}
    wanted = {path: synchronized(path).encode() for path in wanted}
    wanted |= {folder / "LICENSE": (ROOT / "LICENSE").read_bytes() for folder in distributions()}
    changed = [path for path, content in wanted.items() if not path.is_file() or path.read_bytes() != content]
    if not check:
        for path in changed:
            path.write_bytes(wanted[path])
    return [path.relative_to(ROOT).as_posix() for path in changed]
