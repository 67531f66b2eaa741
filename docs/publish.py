"""Builds the site of this checkout, and puts it among those of other versions.

Run as ``.venv/bin/python docs/publish.py SITE [--at /tiltyard/]``. SITE is a folder that any web server can serve:

    index.html      leads to stable/, or to latest/ as long as there is no release
    404.html        for addresses that lead nowhere; --at says below which path the server shows SITE
    versions.json   all versions, for the menu on each page
    stable/         the newest release
    latest/         what is not released yet
    0.2/ 0.1/       the releases, the newest of each minor version

A checkout whose commit has a tag such as v0.2.1 is a release, and goes to 0.2/; every other one goes to latest/. Nothing else in
SITE is changed, so releases are built once, by their own checkouts. Until a build is complete, its version stays as it was.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent
STABLE, LATEST = "stable", "latest"
TAG = re.compile(r"v(\d+)\.(\d+)\.\d+")

PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{head}<title>{title}</title>
<style>
body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1rem; }}
</style>
<h1>{title}</h1>
{body}
"""


def main(arguments: list[str] | None = None) -> int:
    """Build and publish."""
    parser = argparse.ArgumentParser(description="Build the site of this checkout, and put it among those of other versions.")
    parser.add_argument("site", type=Path, help="the folder of all versions; it is made if it doesn't exist")
    parser.add_argument("--at", default="/", help="the path below which the server shows it (default: /)")
    options = parser.parse_args(arguments)
    site: Path = options.site
    site.mkdir(parents=True, exist_ok=True)
    folder = folder_of(tags_of_this_commit())
    new = site / f".new-{folder}"
    try:
        build(new)
    except subprocess.CalledProcessError:
        print(f"nothing is published: Sphinx found what stands above; {site / folder} is as it was", file=sys.stderr)
        return 1
    put(new, site, folder)
    write_common(site, options.at)
    print(f"{site / folder}: {len(list((site / folder).rglob('*.html')))} pages")
    return 0


def tags_of_this_commit() -> list[str]:
    """The tags that name the commit of this checkout."""
    words = ["git", "tag", "--points-at", "HEAD"]
    done = subprocess.run(words, cwd=DOCS, capture_output=True, text=True, check=True)
    return done.stdout.split()


def folder_of(tags: list[str]) -> str:
    """Where a checkout with these tags goes: ``0.2`` for v0.2.1, otherwise ``latest``."""
    releases = sorted((int(found[1]), int(found[2])) for found in map(TAG.fullmatch, tags) if found)
    return "{}.{}".format(*releases[-1]) if releases else LATEST


def build(target: Path) -> None:
    """Build the site of this checkout, with the menu of versions.

    Raises:
        CalledProcessError: Sphinx has an error or a warning, which it has printed.
    """
    shutil.rmtree(target, ignore_errors=True)
    words = [
        sys.executable,
        "-m",
        "sphinx",
        "--fresh-env",
        "--fail-on-warning",
        "--quiet",
        "--doctree-dir",
        str(target / ".doctrees"),
    ]
    subprocess.run([*words, str(DOCS), str(target)], check=True, env={**os.environ, "TILTYARD_DOCS_VERSIONS": "1"})
    shutil.rmtree(target / ".doctrees")


def put(new: Path, site: Path, folder: str) -> None:
    """Let a build take its place; the newest release is the stable one too."""
    shutil.rmtree(site / folder, ignore_errors=True)
    new.rename(site / folder)
    if folder == next(iter(releases_in(site)), None):
        shutil.rmtree(site / STABLE, ignore_errors=True)
        shutil.copytree(site / folder, site / STABLE)


def releases_in(site: Path) -> list[str]:
    """The folders of releases, newest first."""
    found = [path.name for path in site.iterdir() if re.fullmatch(r"\d+\.\d+", path.name)]
    return sorted(found, key=lambda name: [int(part) for part in name.split(".")], reverse=True)


def write_common(site: Path, at: str = "/") -> None:
    """Write what all versions share: the list of them, the first page, and the page for wrong addresses."""
    releases = releases_in(site)
    versions = [{"folder": STABLE, "label": f"{releases[0]} (stable)"}] if releases else []
    if (site / LATEST).exists():
        versions.append({"folder": LATEST, "label": "latest (not released)"})
    versions += [{"folder": name, "label": name} for name in releases]
    (site / "versions.json").write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")
    first = versions[0]["folder"]
    links = "\n".join(f'<li><a href="{escape(at)}{each["folder"]}/">{escape(each["label"])}</a></li>' for each in versions)
    (site / "index.html").write_text(
        PAGE.format(
            head=f'<meta http-equiv="refresh" content="0; url={first}/">\n',
            title="tiltyard",
            body=f'<p>The documentation is <a href="{first}/">here</a>.</p>',
        ),
        encoding="utf-8",
    )
    (site / "404.html").write_text(
        PAGE.format(
            head="",
            title="There is no such page",
            body="<p>It may have moved, or this version doesn't have it. "
            f'<a href="{escape(at)}{first}/search.html">Search for it</a>, or begin with the first page of a version:</p>\n'
            f"<ul>\n{links}\n</ul>",
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    sys.exit(main())
