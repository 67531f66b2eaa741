"""``tiltyard hand-in``: what a student does of an evening. It needs no package beyond tiltyard's own."""

from __future__ import annotations

import getpass
import hashlib
import io
import json
import os
import sys
import urllib.error
import urllib.request
import zipfile
from http.client import HTTPException
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import typer

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.sanitize import one_line
from tiltyard_simulator.match.code_digest import IGNORED_FOLDERS
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.tournament_options import say

TOKEN_VARIABLE: Final = "TILTYARD_TOKEN"  # noqa: S105 -- the variable's name
TOKENS: Final = "league-tokens.json"
WAIT_SECONDS: Final = 25
PATIENCE_SECONDS: Final = 60.0
OPEN: Final = ("received", "checking")
LEFT_OUT: Final = IGNORED_FOLDERS | {"target", "bin", "obj"}
"""Folders that tools make, and that are made again where the code is checked."""
app = application()


@app.command("hand-in")
def hand_in(
    work: Annotated[Path, typer.Argument(help="A folder with your code, an archive, or a single file.", metavar="WORK")],
    to: Annotated[str, typer.Option("--to", help="The league's address, or your team's invite link.", show_default=False)],
    note: Annotated[str, typer.Option("--note", help="A note for yourself.")] = "",
    check: Annotated[bool, typer.Option("--check/--no-check", help="Check it here first, as 'tiltyard check' does.")] = True,
    game: Annotated[str | None, typer.Option("--game", "-g", help="For the check here: the game.", show_default=False)] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the league's own check.")] = True,
) -> None:
    """Hand your team's code in to a league, and wait for the report.

    The first time it asks for your team's token, which your team's page makes. Your team's invite link works as well, in its place.

    The exit status is 0 if the version was accepted, and 1 if it was refused here or there.

    \b
    Examples:
      tiltyard hand-in thunder/ --to https://league.example.edu
      tiltyard hand-in thunder.zip --to https://league.example.edu --note "shoots earlier"
    """
    data, name = pack(work)
    if check and not _checks_out(work, game):
        say("nothing was handed in; correct it first, or use --no-check to hand it in as it is")
        raise typer.Exit(1)
    address, token = find_token(to)
    league = _League(address, token)
    who = league.ask("GET", "/api/team")
    _remember(address, token)
    digest = hashlib.sha256(data).hexdigest()
    # Headers are plain text: what a name has beside that is of no use to anybody there.
    headers = {"X-Digest": digest, "X-Name": _plain(name), "X-Note": _plain(note), "Content-Type": "application/octet-stream"}
    version = league.ask("PUT", "/api/versions", data, headers)
    number = int(version["number"])
    print(f"handed in to {one_line(str(who['league']))}: version {number} of {one_line(str(who['team']))}", flush=True)
    if not wait:
        return
    found = league.wait_for(number)
    for step in found.get("steps", []):
        print(f"{step['mark']:<8} {step['step']:<14} {one_line(str(step['detail']))}")
        if step.get("advice"):
            print(f"         -> {one_line(str(step['advice']))}")
    reason = f": {one_line(str(found['reason']))}" if found["reason"] else ""
    print(f"\nversion {number}: {found['state']}{reason}\n{one_line(str(found['page']))}")
    if found["state"] not in ("accepted", "again"):
        raise typer.Exit(1)


def pack(work: Path) -> tuple[bytes, str]:
    """The bytes that are handed in, and their name: a file as it is, a folder as an archive of its files.

    Equal folders are equal bytes, whenever and wherever they are packed.

    Raises:
        UserError: it is missing, empty or cannot be read.
    """
    if work.is_file():
        with file_errors(work, "read"):
            return work.read_bytes(), work.name
    if not work.is_dir():
        raise UserError(f"{work}: {'not a file or folder' if work.exists() else 'no such file or folder'}")
    root = work.resolve()
    made = io.BytesIO()
    with file_errors(work, "read"), zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in _files(root):
            info = zipfile.ZipInfo(f"{root.name}/{file.relative_to(root).as_posix()}")
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o755 if os.access(file, os.X_OK) else 0o644) << 16
            archive.writestr(info, file.read_bytes())
        if not archive.namelist():
            raise UserError(f"{work}: contains no files")
    return made.getvalue(), f"{root.name}.zip"


def _files(root: Path) -> list[Path]:
    found: list[Path] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            name for name in folders if name not in LEFT_OUT and not name.startswith(".") and not name.endswith(".egg-info")
        )
        found += [Path(folder, name) for name in sorted(files) if not name.startswith(".") and not name.endswith((".pyc", ".pyo"))]
    return [file for file in found if file.is_file() and not file.is_symlink()]


def _checks_out(work: Path, game: str | None) -> bool:
    """Check it here, as the league will on its own machine; whether nothing failed."""
    # Imported late: with --no-check nothing of this is needed.
    from tiltyard_simulator.check.steps import Mark
    from tiltyard_simulator.check.subjects import CheckOptions, subject
    from tiltyard_simulator.check.team_check import check
    from tiltyard_simulator.play.isolation_policy import IsolationPolicy
    from tiltyard_simulator.play.registry import open_registry
    from tiltyard_tournaments.cli.built_teams import find_or_build

    policy = IsolationPolicy.from_environment()
    registry = open_registry(policy)
    options = CheckOptions(str(work), game=game, isolation_policy=policy)
    reference, steps = find_or_build(options, registry)
    if reference is not None:
        steps = [*steps, *check(subject(reference, options, registry))]
    for step in steps:
        if step.mark in (Mark.FAILED, Mark.WARNING):
            print(f"{step.mark:<8} {step.name:<14} {one_line(step.detail)}")
            if step.advice:
                print(f"         -> {one_line(step.advice)}")
    failed = any(step.mark is Mark.FAILED for step in steps)
    print(f"checked here: {'FAILED' if failed else 'ok'}", flush=True)
    return not failed


# The token


def find_token(to: str) -> tuple[str, str]:
    """The league's address, and the token for it: of the link, of the environment, as it was kept, or as somebody types it.

    Raises:
        UserError: there is none, and nobody to ask.
    """
    parts = urlsplit(to)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UserError(f"--to {to}: expected the league's address, such as https://league.example.edu")
    base, found, token = to.rstrip("/").partition("/join/")
    if found:
        return base, token
    if given := os.environ.get(TOKEN_VARIABLE, ""):
        return base, given
    if kept := _kept().get(base):
        return base, kept
    if not sys.stdin.isatty():
        raise UserError(f"no token for {base}: make one on your team's page, and set {TOKEN_VARIABLE} to it", see="no-token")
    return base, getpass.getpass(f"token for {base} (your team's page makes one): ").strip()


def _tokens_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".config") / "tiltyard" / TOKENS


def _kept() -> dict[str, str]:
    try:
        found = json.loads(_tokens_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _remember(address: str, token: str) -> None:
    """Keep a token that worked, for this user alone to read."""
    kept = _kept()
    if kept.get(address) == token or os.environ.get(TOKEN_VARIABLE):
        return
    path = _tokens_file()
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({**kept, address: token}, file, indent=2)
        new.replace(path)
    except OSError as error:
        say(f"note: the token could not be saved: {path}: {error.strerror}")


# The league


class _League:
    """A league over HTTP."""

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._token = token

    def ask(self, method: str, path: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        """What the league answers.

        Raises:
            UserError: it can't be reached, or refuses.
        """
        request = urllib.request.Request(  # noqa: S310 -- the scheme was looked at
            self._address + path, data, {"Authorization": f"Bearer {self._token}", **(headers or {})}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            raise UserError(f"{self._address}: {_reason(error)}", see="no-token" if error.code == 401 else "") from error
        except urllib.error.URLError as error:
            raise UserError(f"{self._address}: can't be reached: {error.reason}", see="league-address") from error
        except (OSError, HTTPException) as error:
            raise UserError(f"{self._address}: the connection broke: {error}; run the same command again") from error
        except ValueError as error:
            raise UserError(
                f"{self._address}: doesn't answer as a league does; is the address right?", see="league-address"
            ) from error
        if not isinstance(found, dict):
            raise UserError(f"{self._address}: doesn't answer as a league does; is the address right?", see="league-address")
        return found

    def wait_for(self, number: int) -> dict[str, Any]:
        """A version once its check has ended."""
        told = ""
        while True:
            found = self.ask("GET", f"/api/versions/{number}?wait={WAIT_SECONDS}")
            if found["state"] not in OPEN:
                return found
            if found["state"] != told:
                told = str(found["state"])
                say("it waits for its check" if told == "received" else "it is being checked")


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return one_line(str(json.load(error)["error"]))
    except (OSError, ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason}"


def _plain(text: str) -> str:
    return "".join(sign if " " <= sign <= "~" else "_" for sign in text)[:200]
