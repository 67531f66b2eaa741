"""``tiltyard rerun``."""

from __future__ import annotations

import typer

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.check.rerun import play_again, same_faults
from tiltyard_simulator.faults.fault_folders import FaultRecord, fault_text, read_fault_folder
from tiltyard_simulator.match.isolation import isolation_in_words
from tiltyard_simulator.output.reports import output_of
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import FaultFolder, IsolationOptions, ShowOutput, TrustNames, Unconfined

app = application()


@app.command()
def rerun(folder: FaultFolder, show_output: ShowOutput = False, unconfined: Unconfined = False, trust: TrustNames = None) -> None:
    """Play the match of a fault folder again, and report whether the same fault happens.

    Map, seed, limits and isolation are those of the match. The code is the current version at the same path. Code that ran
    without a sandbox must be trusted again (--trust, or TILTYARD_ISOLATION=process for --isolation process). The exit status is
    0 if the same seats failed in the same way in the same round, else 1.

    \b
    Examples:
      tiltyard rerun results/cup/faults/0003_narrow-pass_thunder_acorn
      tiltyard rerun results/cup/faults/0003_narrow-pass_thunder_acorn --show-output
    """
    fault = read_fault_folder(folder)
    for name in fault.changed():
        print(f"note: the code of {name} has changed since the match")
    isolation = IsolationOptions(IsolationPolicy.from_environment().isolation, unconfined)
    record = play_again(fault.spec, isolation.policy(trust))
    print(
        fault_text(fault.spec.input, record) if record.outcome.faults else f"no fault: {one_line(record.outcome.message)}",
        end="" if record.outcome.faults else "\n",
    )
    if show_output:
        print(output_of(record))
    print(f"\n{_verdict(fault, record)}")
    raise typer.Exit(0 if same_faults(fault, record.outcome) else 1)


def _verdict(fault: FaultRecord, record: MatchRecord) -> str:
    if same_faults(fault, record.outcome):
        return "the same fault as in the match"
    isolations = [
        f"{isolation_in_words(then)} then, {isolation_in_words(now)} now"
        for then, now in zip(fault.held, record.outcome.held)
        if then != now
    ]
    how = f" (isolation: {'; '.join(isolations)})" if isolations else ""
    return f"different from the match: {one_line(fault.message)}{how}"
