"""A tiny folder of packages of each ecosystem, for tests."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.intake.making import plant


def archive_of(files: Mapping[str, str]) -> bytes:
    """A zip with these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def add_crate(folder: Path, name: str, version: str, text: str, more: str = "", *, checksum: str | None = None) -> None:
    """A crate as ``cargo vendor`` leaves it."""
    manifest = f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2021"\n{more}'
    about: dict[str, object] = {"files": {}, "package": checksum}
    files = {"Cargo.toml": manifest, "src/lib.rs": text, ".cargo-checksum.json": json.dumps(about)}
    plant(folder / "cargo" / f"{name}-{version}", files)


def add_module(folder: Path, path: str, version: str, text: str, requires: str = "") -> None:
    """A module of Go in a module cache. Source: the Go modules reference, "Module cache"."""
    mod = f"module {path}\n\ngo 1.16\n{requires}"
    beginning = f"{path}@{version}/"
    files: dict[str, str | bytes] = {
        f"{version}.mod": mod,
        f"{version}.info": json.dumps({"Version": version, "Time": "2024-01-01T00:00:00Z"}),
        f"{version}.zip": archive_of({f"{beginning}go.mod": mod, f"{beginning}lib.go": text}),
        "list": f"{version}\n",
    }
    plant(folder / "go" / "cache" / "download" / path / "@v", files)


def add_nupkg(folder: Path, name: str, version: str, files: Mapping[str, str], needs: str = "") -> None:
    """A package of NuGet."""
    about = f"<id>{name}</id><version>{version}</version><authors>tests</authors><description>tests</description>"
    dependencies = f'<dependencies><dependency id="{needs}" version="1.0.0" /></dependencies>' if needs else ""
    nuspec = (
        '<?xml version="1.0"?><package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">'
        f"<metadata>{about}{dependencies}</metadata></package>"
    )
    plant(folder / "nuget", {f"{name}.{version}.nupkg": archive_of({f"{name}.nuspec": nuspec, **files})})


def checksum_of(text: str) -> str:
    """A checksum as a Cargo.lock has it."""
    return hashlib.sha256(text.encode()).hexdigest()
