"""``tiltyard doctor``: a table of what this machine can do."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltyard_checks.machine.compiled_rules import rules_rows
from tiltyard_checks.machine.confinement_table import confinement_table
from tiltyard_checks.machine.machine_report import machine_report
from tiltyard_checks.machine.runtimes import compiler_row, runtime_rows
from tiltyard_simulator.guard.confinement.probes import probe_afresh
from tiltyard_simulator.output.reports import say_notes
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat

app = application()


@app.command()
def doctor(
    style: TableFormat = "simple",
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Print what a bug report needs instead: versions of tiltyard and all plugins, the system, the sandbox, the"
            " languages. It contains no user names, no home folders and no tokens.",
        ),
    ] = False,
) -> None:
    """Test how well this machine can confine untrusted code, and suggest improvements.

    Each line is the result of a test in a process that is confined like a team's. Level A is the best; level C is no isolation. The
    last lines show which of the languages found here can start programs in the sandbox, which compilers there are, and which games
    have compiled rules.

    \b
    Examples:
      tiltyard doctor
      tiltyard doctor --report
    """
    if report:
        print(machine_report(probe_afresh()))
        return
    policy = IsolationPolicy.from_environment()  # what is wrong in it stops every run
    headers, rows = confinement_table(probe_afresh())
    say_notes([])
    print(render(headers, [*rows, *runtime_rows(), compiler_row(), *rules_rows(policy)], style))
