"""The entry of ``tiltyard``. Importing a subcommand's module waits until it is used, so that help is quick."""

from __future__ import annotations

import gc
import platform
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tiltyard_engine.exit_status import end_well
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION
from tiltyard_simulator.guard.handover import HANDOVER
from tiltyard_tournaments.cli.application import without_needless_conversion
from tiltyard_tournaments.cli.open_group import OpenGroup

COMMANDS: Final[dict[str, str]] = {
    "run": "Play a tournament from its file, or resume it.",
    "standings": "Print a tournament's tables.",
    "publish": "Publish a tournament as a site with replays.",
}
"""Subcommands, each with a module of its name here, and their lines in the help."""
ORDER: Final = (
    *("demo", "run", "plan", "status", "standings", "publish", "serve", "export", "recover", "round-robin"),
    *("competition", "comparative", "watch", "replay", "intake", "league", "hand-in", "check", "verify", "debug"),
    *("plugins", "explain", "doctor", "new"),
)
"""How the help lists these and the commands that other packages of tiltyard's bring."""

EPILOG: Final = "Every command has a --help with examples. Errors end with status 2, an interruption with 130."


class LazyGroup(OpenGroup):
    """Shows stubs in the help and imports a subcommand only when it is called."""

    order = ORDER

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, text in COMMANDS.items():
            self.stub(name, f"tiltyard_tournaments.cli.{name}:app", text)

    def get_params(self, ctx: Any) -> Any:
        """All parameters of ``tiltyard`` itself."""
        return without_needless_conversion(super().get_params(ctx))


app = typer.Typer(cls=LazyGroup, invoke_without_command=True, pretty_exceptions_enable=False, epilog=EPILOG, rich_markup_mode=None)


def _say_version(is_set: bool) -> None:
    if is_set:
        from importlib import metadata

        print(f"tiltyard {metadata.version(HOST_DISTRIBUTION)}, Python {platform.python_version()}")
        raise typer.Exit


@app.callback()
def tiltyard(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_say_version, help="Show tiltyard's version and Python's. All: doctor --report."
        ),
    ] = False,
) -> None:
    """Run tournaments between algorithms that teams write.

    Without a command it says what there is to do next in this folder.
    """
    if ctx.invoked_subcommand is None:
        from tiltyard_tournaments.cli.next_steps import next_steps

        print(next_steps(Path()))


def main() -> None:
    """Run the command; a user's mistake is one message and status 2, never a traceback."""
    with HANDOVER.one_command():
        status = end_well(app)
    # All that is left ends with the process: Python needn't look through it once more, which takes as long as a hundred imports.
    gc.freeze()
    sys.exit(status)
