"""Questions to git."""

from __future__ import annotations

import shutil
import subprocess

from release.errors import ReleaseError
from release.metadata import ROOT


def git(*words: str) -> str:
    """What git says to a question.

    Raises:
        ReleaseError: it says no.
    """
    done = subprocess.run(
        [shutil.which("git") or "git", *words], cwd=ROOT, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise ReleaseError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()
