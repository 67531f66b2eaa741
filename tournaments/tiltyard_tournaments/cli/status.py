"""``tiltyard status``."""

from __future__ import annotations

from collections import Counter

from tiltyard_tournaments.cli.options import Block, Only, application
from tiltyard_tournaments.cli.tournament_options import TournamentFile, resolved_of
from tiltyard_tournaments.running.entering import entered, entry_progress
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.store import Store

app = application()


@app.command()
def status(file: TournamentFile, block: Block = None, only: Only = None) -> None:
    """Say how far a tournament has come: games done and left, faults, and what the machine did.

    \b
    Examples:
      tiltyard status cup.yaml
      watch -n 10 tiltyard status cup.yaml
    """
    asked = resolved_of(file, block, only, quiet=True).tournament
    with Store(asked.folder, writable=False) as store:
        tournament = entered(asked, store)
        qualified, tests = entry_progress(asked, store)
        progress = follow(tournament, store.ended)
        needed = {planned.key for planned in progress.schedule.planned}
        others = len(store.keys() - needed)
        incidents = store.incidents()
    voids = progress.schedule.voids
    done, left = len(progress.schedule.outcomes) - voids, len(progress.missing)
    expected = tournament.format.expected_games()
    print(f"{tournament.title} ({tournament.format_name}, {len(tournament.teams)} teams, {len(tournament.maps)} maps)")
    if qualified < tests:
        print(f"qualifying: {qualified} of {tests} tests")
    for team, reason in tournament.not_admitted:
        print(f"not admitted: {team}: {reason}")
    print(f"done: {done} games{'' if left or voids else ', complete'}")
    if voids:
        print(f"void: {voids} games, spoilt by the machine, count for nobody; 'tiltyard run {file}' tries them again")
    if left:
        most = f", up to {expected[1] - done - voids} in all" if expected is not None and expected[1] - done - voids > left else ""
        print(f"left: {left} games of the current batch{most}")
    faults: Counter[tuple[str, str]] = Counter()
    for planned, outcome in zip(progress.schedule.planned, progress.schedule.outcomes):
        for fault in () if outcome.is_void else outcome.faults:
            faults[planned.spec.blamed(fault.seat), fault.termination.value] += 1
    for (who, kind), count in sorted(faults.items()):
        print(f"faults: {who}: {kind} x {count}")
    for what, count in sorted(Counter(what for _, _, what in incidents).items()):
        print(f"the machine: {what} x {count}")
    if others:
        print(f"kept from earlier: {others} games that this file does not need, such as those of changed teams")
