"""``tiltyard doctor``."""

from __future__ import annotations

from tiltyard_simulator.check.compiled_rules import rules_rows
from tiltyard_simulator.check.runtimes import runtime_rows
from tiltyard_simulator.guard.confinement import doctor_table, probe_afresh
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.tables import render
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat

app = application()


@app.command()
def doctor(style: TableFormat = "simple") -> None:
    """Test how well this machine can confine untrusted code, and suggest improvements.

    Each line is the result of a test in a process that is confined like a team's. Level A is the best; level C is no isolation. The
    last lines tell which languages' programs start in the sandbox, of those whose runtimes are found here, and which games' rules
    are compiled.

    \b
    Examples:
      tiltyard doctor
    """
    IsolationPolicy.from_environment()  # which no test here uses, but what is wrong in it stops every run
    headers, rows = doctor_table(probe_afresh())
    print(render(headers, [*rows, *runtime_rows(), *rules_rows()], style))
