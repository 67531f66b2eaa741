"""``tiltyard doctor``."""

from __future__ import annotations

from tiltyard_simulator.guard.confinement import doctor_table, probe_confinement
from tiltyard_simulator.tables import render
from tiltyard_tournaments.cli.options import TableFormat, application, table_format

app = application()


@app.command()
def doctor(style: TableFormat = "simple") -> None:
    r"""Try how well this machine can confine strangers' code, and say what to change for better.

    Each line was tried just now in a process confined like a team's, not looked up. Level A is the best, C is no isolation.

    \b
    Examples:
      tiltyard doctor
    """
    style = table_format(style)
    print(render(*doctor_table(probe_confinement()), style))
