"""What a plugin's own command needs of tiltyard itself: a way to run programs under guard, and to have matches played.

A game's command, such as one that lets two robots meet, calls ``find_host``. With the simulator installed, programs are confined
like a team's in any match. Without it they run in a plain process group, and the command says so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.host.completion import names_of
from tiltyard_engine.host.interface import NEEDS_TILTYARD, NO_LIMITS, Host, HostMatch, HostPlayer, IsolatedMatch, own_player
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION, own_entry_points

__all__ = ["HOST_GROUP", "NO_LIMITS", "Host", "HostMatch", "HostPlayer", "IsolatedMatch", "find_host", "names_of", "own_player"]

HOST_GROUP: Final = "tiltyard.host"
"""The entry-point group in which the simulator offers its Host. No other distribution's Host is used: it runs in the command's own
process, unguarded."""


def find_host(*, is_quiet: bool = False, trust: Sequence[str] = ()) -> Host:
    """The simulator's, or a plain one where it is not installed; unless ``is_quiet``, the latter says so on standard error.

    With ``trust``, files and folders, it finds the games in them too.

    Raises:
        UserError: what the user set for the simulator's, such as the variable TILTYARD_ISOLATION, or trusts, is wrong.
    """
    because = NEEDS_TILTYARD
    for entry in own_entry_points(HOST_GROUP, frozenset([HOST_DISTRIBUTION])):
        try:
            host = entry.load()(trust=trust) if trust else entry.load()()
        except UserError:
            # Code that was to be confined must not run without isolation instead.
            raise
        except Exception as error:
            because = f"{entry.value} cannot be loaded: {describe(error)}"
            continue
        if isinstance(host, Host):
            return host
        because = f"{entry.value} is not a Host"
    from tiltyard_engine.host.plain_host import PlainHost

    if not is_quiet:
        print(f"note: programs run without isolation, in a plain process group ({because})", file=sys.stderr)
    return PlainHost()
