"""Stopping an intake anywhere, again and again: nothing is lost, nothing is built twice, nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tiltyard_intake.building.build_cache import FILE
from tiltyard_intake.building.products import LIST, NEW

GONE_SECONDS = 20.0
COMMAND = Path(sys.executable).with_name("tiltyard")


def kept_builds(reports: Path) -> Mapping[str, tuple[int, int]]:
    """The builds that were done, each with what would change if it was done again."""
    found = {}
    for path in reports.glob(f"builds/*/{FILE}"):
        state = path.stat()
        found[path.parent.name] = state.st_ino, state.st_mtime_ns
    return found


def half_teams(into: Path) -> Iterator[str]:
    """What is wrong in the folder of teams: folders whose lists name files that are not there."""
    for listed in into.glob(f"*/{LIST}"):
        for name in json.loads(listed.read_text()):
            if not (listed.parent / name).exists():
                yield f"{listed.parent.name} lacks {name}"
    for path in into.rglob("*"):
        inside = any(part.startswith(NEW) for part in path.relative_to(into).parts)
        if path.is_file() and not inside and not path.stat().st_size and path.name != "__init__.py":
            yield f"{path} is empty"


def stop_somewhere(words: Sequence[str], folder: Path, temporary: Path, kills: int, seconds: float, seed: int) -> list[str]:
    """Start an intake and stop it, by Ctrl-C and by SIGKILL in turn; what went wrong.

    Args:
        words: the arguments of ``tiltyard``.
        folder: where it runs; its reports are in ``teams.intake``.
        temporary: for what it unpacks; empty otherwise.
        kills: how often.
        seconds: within which it is stopped.
        seed: of the moments.
    """
    chance = random.Random(seed)
    wrong: list[str] = []
    environment = {**os.environ, "TMPDIR": str(temporary)}
    before: Mapping[str, tuple[int, int]] = {}
    for number in range(kills):
        process = subprocess.Popen(
            [COMMAND, *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        moment = chance.uniform(0.3, seconds)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            if number % 2:
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGINT)
        begun = time.monotonic()
        _, told = process.communicate(timeout=60)
        how = "SIGKILL" if number % 2 else "Ctrl-C"
        print(f"{how} after {moment:.1f} s: status {process.returncode}, ended in {time.monotonic() - begun:.1f} s", flush=True)
        if b"Traceback" in told:
            wrong.append(f"a traceback after {how}: {told[-500:].decode()}")
        left = _still_running(temporary)
        if left:
            wrong.append(f"still running after {how}: {left}")
        if not number % 2 and list(temporary.iterdir()):
            wrong.append(f"left behind after {how}: {[path.name for path in temporary.iterdir()]}")
        wrong += half_teams(folder / "teams")
        now = kept_builds(folder / "teams.intake")
        wrong += [f"build {digest} was lost or done again" for digest, state in before.items() if now.get(digest) != state]
        before = now
        print(f"    {len(now)} builds kept", flush=True)
    return wrong


def _still_running(temporary: Path) -> list[str]:
    until = time.monotonic() + GONE_SECONDS
    while (found := left_running(temporary)) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def left_running(temporary: Path) -> list[str]:
    """Commands of the processes that were started with this folder for temporary files, or work in it."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            said = (
                (process / "environ").read_bytes() + (process / "cmdline").read_bytes() + os.fsencode((process / "cwd").readlink())
            )
            if str(temporary).encode() in said and int(process.name) != os.getpid():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200])
        except OSError:
            continue
    return found
