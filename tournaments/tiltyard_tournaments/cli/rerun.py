"""``tiltyard rerun``."""

from __future__ import annotations

import typer

from tiltyard_simulator.fault_folders import FaultRecord, fault_text, read_fault_folder
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.reports import output_of
from tiltyard_simulator.rerunning import play_again, same_faults
from tiltyard_simulator.specs import MatchOutcome
from tiltyard_tournaments.cli.options import FaultFolder, ShowOutput, TrustNames, Unconfined, application, holding

app = application()


@app.command()
def rerun(folder: FaultFolder, show_output: ShowOutput = False, unconfined: Unconfined = False, trust: TrustNames = None) -> None:
    r"""Play the match of a fault again exactly, and say whether the same fault came.

    Map, seed, limits and the way each team is held are those of the match; the code is what lies today where it lay then.
    Code that was held inline must be trusted again (--trust). The status is 0 if the same seats failed in the same way in
    the same round, and 1 if not.

    \b
    Examples:
      tiltyard rerun results/cup/faults/0003_narrow-pass_thunder_acorn
      tiltyard rerun results/cup/faults/0003_narrow-pass_thunder_acorn --show-output
    """
    record = read_fault_folder(folder)
    for name in record.changed():
        print(f"note: the code of {name} is not what it was in the match")
    outcome = play_again(record.spec, holding(Holding.from_environment().isolation, unconfined, None, trust))
    print(
        fault_text(record.spec, outcome) if outcome.faults else f"no fault: {outcome.message}", end="" if outcome.faults else "\n"
    )
    if show_output:
        print(output_of(record.spec, outcome))
    print(f"\n{_verdict(record, outcome)}")
    raise typer.Exit(0 if same_faults(record, outcome) else 1)


def _verdict(record: FaultRecord, outcome: MatchOutcome) -> str:
    if same_faults(record, outcome):
        return "the same fault as in the match"
    held = [f"{then} then, {now} now" for then, now in zip(record.held, outcome.held) if then != now]
    how = f" (held: {'; '.join(held)})" if held else ""
    return f"not what happened in the match: {record.message}{how}"
