"""Prepare a release of all distributions. RELEASING.md tells the steps; this does each of them.

python3 -m release sync               write what all pyproject.toml share: version, bounds, licence, classifiers, addresses
python3 -m release sync --check       only say whether something would change
python3 -m release version            print the version
python3 -m release version 0.3.0      set it everywhere: every pyproject.toml, the bounds, uv.lock, the changelog's heading
python3 -m release build [FOLDER]     sdists, and from them pure wheels, into dist/
python3 -m release check [FOLDER]     whether what was built is fit to be published
python3 -m release tag                tag the release, with its part of the changelog
python3 -m release publish            push the tag, from which the forge builds and publishes; --dry-run says what is missing
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dev

from release.builds import build
from release.checks import built, check
from release.errors import ReleaseError
from release.metadata import ROOT, project, sync
from release.publication import publish, tag
from release.version import set_version

DIST = ROOT / "dist"


def main(arguments: list[str]) -> int:
    """Do what the first argument says.

    Returns:
        The exit status.
    """
    job, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    options = [word for word in rest if word.startswith("-")]
    words = [word for word in rest if not word.startswith("-")]
    target = Path(words[0]) if words else DIST
    known = {"sync": "--check", "publish": "--dry-run"}.get(job)
    if len(words) > 1 or any(option != known for option in options):
        job = "a wrong one"
    if job == "sync":
        changed = sync(check=bool(options))
        for path in changed:
            print(path)
        return 1 if changed and options else 0
    if job == "version" and words:
        set_version(words[0])
        dev.run(sys.executable, "-m", "uv", "--quiet", "lock")
        print(f"{words[0]} stands everywhere; look at it with: git diff")
    elif job == "version":
        print(project()["version"])
    elif job == "build":
        for made in build(target):
            print(made)
    elif job == "check":
        check(target)
        print(f"{len(built(target))} files are fit to be published")
    elif job == "tag":
        print(f"tagged {tag()}")
    elif job == "publish":
        print(publish(target, dry_run=bool(options)))
    else:
        print(__doc__)
        return 0 if job in ("help", "-h", "--help") else 2
    return 0


if __name__ == "__main__":
    if Path(sys.prefix).resolve() != dev.ENVIRONMENT.resolve():
        dev.set_up("dev")
        sys.exit(subprocess.run([dev.command("python"), "-m", "release", *sys.argv[1:]], cwd=ROOT, check=False).returncode)
    try:
        sys.exit(main(sys.argv[1:]))
    except ReleaseError as error:
        sys.exit(f"release: {error}")
