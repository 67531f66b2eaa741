"""``tiltyard hand-in``: what a student does of an evening. It needs no package beyond tiltyard's own."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tiltyard_checks.command.check_output import say_advice, say_mark
from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.names import file_name
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_league.cli.league_client import AwayError, LeagueClient, UnknownTokenError, address_of
from tiltyard_league.cli.packing import PackedWork, pack
from tiltyard_league.submissions.sizes import shown_size
from tiltyard_tournaments.cli.application import application

TOKEN_VARIABLE: Final = "TILTYARD_TOKEN"  # noqa: S105 -- the variable's name
TOKENS: Final = "league-tokens.json"
MOST_SIGNS: Final = 200
MOST_NAMED: Final = 8
"""Of what is left out."""
app = application()


@app.command("hand-in")
def hand_in(
    work: Annotated[Path, typer.Argument(help="A folder with your code, an archive or a single file.", metavar="WORK")],
    to: Annotated[str, typer.Option("--to", help="The league's address, or your team's invite link.", show_default=False)],
    note: Annotated[str, typer.Option("--note", help="A note for yourself.")] = "",
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Check it on this machine first, as 'tiltyard check' does.")
    ] = True,
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", help="The game, for the check on this machine. Default: the league's.", show_default=False),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the league's own check.")] = True,
) -> None:
    """Hand your team's code in to a league, and wait for the report.

    The first time, it asks for your team's token. Make one on your team's page, or give your team's invite link to --to.

    Folders that tools make (bin, build, dist, node_modules, obj, target, venv) are left out, and so are names that begin with a
    dot.

    The exit status is 0 if the version was accepted, and 1 if it was refused on this machine or by the league.

    \b
    Examples:
      tiltyard hand-in thunder/ --to https://league.example.edu
      tiltyard hand-in thunder.zip --to https://league.example.edu --note "shoots earlier"
    """
    packed = pack(work)
    digest = hashlib.sha256(packed.data).hexdigest()
    league, team = sign_in(to)
    _check_taken(packed, digest, league, team)
    if packed.files:
        _note(_what_was_packed(packed))
    league_game = str(team.get("game") or "")
    if game and league_game and game != league_game:
        raise UserError(f"--game {game}: this league plays {one_line(league_game)}; leave --game out")
    if check and not _checks_out(work, game, league_game):
        _note("nothing was handed in; correct it first, or use --no-check to hand it in as it is")
        raise typer.Exit(1)
    # Headers are plain text: what a name has beside that is of no use to anybody there.
    # The end of a long name says what it is; of a long note, its beginning does.
    name, shown_note = _plain(packed.name)[-MOST_SIGNS:], _plain(note)[:MOST_SIGNS]
    headers = {"X-Digest": digest, "X-Name": name, "X-Note": shown_note, "Content-Type": "application/octet-stream"}
    try:
        number = int(league.ask("PUT", "/api/versions", packed.data, headers)["number"])
    except AwayError as error:
        raise UserError(f"{error}; run the same command again: it hands in only what is still missing", see=error.see) from error
    print(f"handed in to {one_line(str(team['league']))}: version {number} of {one_line(str(team['team']))}", flush=True)
    if wait:
        _report(_wait_for(league, number, f"{one_line(str(team['page']))}/versions/{number}"))


def _check_taken(packed: PackedWork, digest: str, league: LeagueClient, team: dict[str, Any]) -> None:
    """That the league takes this now; it would say the same, but only after the check here and after all bytes were sent.

    Raises:
        UserError: it doesn't.
    """
    most = int(team["largest_upload"])
    if len(packed.data) > most:
        raise UserError(
            f"{packed.name}: {shown_size(len(packed.data))}, but this league accepts at most {shown_size(most)};"
            " leave out files that aren't needed to play, such as pictures and builds"
        )
    # What is there already may be sent again at any time.
    if team.get("closed") and team.get("newest") != digest:
        raise UserError(f"{league.address}: {one_line(str(team['closed']))}")


def _what_was_packed(packed: PackedWork) -> str:
    files = counted(packed.files, "file")
    more = len(packed.left_out) - MOST_NAMED
    names = ", ".join(map(one_line, packed.left_out[:MOST_NAMED])) + (f" and {more:,} more" if more > 0 else "")
    return f"packed {files}, {shown_size(len(packed.data))}" + (f"; left out: {names}" if names else "")


def _checks_out(work: Path, game: str | None, league_game: str = "") -> bool:
    """Check it here, as the league will on its own machine; whether nothing failed.

    Raises:
        UserError: there is nothing to check, or it is for another game than the league's.
    """
    # Imported late: with --no-check nothing of this is needed.
    try:
        from tiltyard_checks.team.steps import StepMark
        from tiltyard_checks.team.subjects import CheckOptions, find_or_build, subject
        from tiltyard_checks.team.team_check import check
        from tiltyard_engine.registry.registry import GAME
        from tiltyard_simulator.registry.finder import Finder
        from tiltyard_simulator.registry.guarded_registry import open_registry
        from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
    except ModuleNotFoundError as error:
        if sys.platform != "win32":
            raise
        _note(f"it isn't checked on this machine: the check needs Linux (Windows has no {error.name}); the league checks it")
        return True

    policy = IsolationPolicy.from_environment()
    finder = Finder(open_registry(policy))
    if league_game and all(entry.name != league_game for entry in finder.registry.all(GAME)):
        why = f"the game {one_line(league_game)} isn't installed here"
        _note(f"it isn't checked on this machine: {why}; the league checks it")
        return True
    options = CheckOptions(str(work), game=league_game or game, isolation_policy=policy)
    try:
        reference, steps = find_or_build(options, finder)
    except UserError as error:
        if not league_game:
            raise
        raise UserError(f"this league plays {one_line(league_game)}: {error}; nothing was handed in", see=error.see) from error
    if reference is not None:
        steps = [*steps, *check(subject(reference, options, finder))]
    for step in steps:
        if step.mark in (StepMark.FAILED, StepMark.WARNING):
            say_mark(step.mark, step.name, step.detail)
            say_advice(step.advice)
    failed = any(step.mark is StepMark.FAILED for step in steps)
    print(f"checked on this machine: {'FAILED' if failed else 'ok'}", flush=True)
    return not failed


def _wait_for(league: LeagueClient, number: int, page: str) -> dict[str, Any]:
    """The version once its check has ended; whoever can't wait so long is told where the report will be."""
    note = f"version {number} was handed in; its report will be at {page}"
    try:
        return league.wait_for(number)
    except AwayError as error:
        raise UserError(f"{error}\n{note}", see=error.see) from error
    except KeyboardInterrupt:
        _note(note)
        raise


def _report(version: dict[str, Any]) -> None:
    for step in version.get("steps", []):
        say_mark(step["mark"], step["step"], str(step["detail"]))
        say_advice(str(step.get("advice") or ""))
    reason = f": {one_line(str(version['reason']))}" if version["reason"] else ""
    print(f"\nversion {version['number']}: {version['state']}{reason}\n{one_line(str(version['page']))}")
    if version["state"] not in ("accepted", "again"):
        raise typer.Exit(1)


def _plain(text: str) -> str:
    return "".join(sign if " " <= sign <= "~" else "_" for sign in text)


def _note(text: str) -> None:
    # Not the `say` of the other commands: with it comes what only Linux has, and this one is to start wherever students work.
    typer.echo(text, err=True)


# The token


def sign_in(to: str) -> tuple[LeagueClient, dict[str, Any]]:
    """The league, and what it says about the team.

    The token is that of the link, that of the environment, the one that was kept, or the one that somebody types.

    Raises:
        UserError: there is no league, or no token that it knows.
    """
    address, of_link = address_of(to)
    of_environment = os.environ.get(TOKEN_VARIABLE, "").strip()
    of_file = _saved_tokens().get(address, "")
    token = of_link or of_environment or of_file
    try:
        # Without a token too: nobody should be asked for one before there is a league.
        league = LeagueClient(address, token)
        team = league.team()
    except UnknownTokenError as error:
        if of_link:
            raise UserError(f"{address}: this invite link is no longer valid; ask the staff for the new one") from error
        if of_environment:
            raise UserError(
                f"{address}: {TOKEN_VARIABLE} isn't a valid token of this league; make a new one on your team's page",
                see="no-token",
            ) from error
        if of_file:
            _note("the saved token is no longer valid")
        token = _typed(address)
        league = LeagueClient(address, token)
        team = league.team()
    if of_link or not of_environment:
        _remember(address, token)
    return league, team


def _typed(address: str) -> str:
    """The token that somebody types, or the invite link in its place.

    Raises:
        UserError: there is nobody to ask.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        raise UserError(f"no token for {address}: make one on your team's page, and set {TOKEN_VARIABLE} to it", see="no-token")
    try:
        return getpass.getpass(f"token for {address} (your team's page makes one): ").strip().rstrip("/").rpartition("/")[2]
    except EOFError as error:
        raise UserError(f"no token for {address}: make one on your team's page", see="no-token") from error


def _tokens_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".config") / "tiltyard" / TOKENS


def _saved_tokens() -> dict[str, str]:
    try:
        tokens = json.loads(_tokens_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): str(value) for key, value in tokens.items()} if isinstance(tokens, dict) else {}


def _remember(address: str, token: str) -> None:
    """Keep a token that worked, for this user alone to read."""
    tokens = _saved_tokens()
    if tokens.get(address) == token:
        return
    path = _tokens_file()
    new = path.with_name(file_name(f".{path.name}", ".new"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({**tokens, address: token}, file, indent=2)
        new.replace(path)
    except OSError as error:
        _note(f"note: the token could not be saved: {path}: {error.strerror}")
