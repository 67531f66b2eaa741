"""``tiltyard status``: how far a tournament is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tiltyard_engine.decisions import first_attempt
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.match.eligibility import why_absent
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_earlier, say_rounds, say_voids
from tiltyard_tournaments.running.eligibility import WITHDRAWN, disqualifications
from tiltyard_tournaments.running.qualification import qualifying_progress, with_admitted_teams
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tournament import Tournament, open_store

app = application()


@app.command()
def status(options: TournamentOptions) -> None:
    """Show a tournament's progress: games done and left, withdrawn teams, faults, and machine failures.

    \b
    Examples:
      tiltyard status cup.yaml
      watch -n 10 tiltyard status cup.yaml
    """
    options.each_stage(_show_progress, only_started=True)


def _show_absent_and_faults(tournament: Tournament, records: Sequence[Outcome]) -> None:
    """Teams that were not there to play stand apart from those whose code failed."""
    absent, faults = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for record in records:
        for fault in () if record.is_void else record.faults:
            who = record.blamed(fault.seat)
            if why := why_absent(fault):
                absent[why, who] += 1
            else:
                faults[who, fault.termination.value] += 1
    leaving = {(WITHDRAWN, each.team.label): each.first for each in tournament.absences if each.last is None}
    for out in sorted({*absent, *leaving}):
        since = f"from round {leaving[out]}" if leaving.get(out, 0) > 1 else ""
        games = f"{counted(absent[out], 'game')} not played" if absent[out] else ""
        print(": ".join(filter(None, (*out, ", ".join(filter(None, (since, games)))))))
    for (who, kind), count in sorted(faults.items()):
        print(f"faults: {who}: {kind} x {count}")


def _show_progress(options: TournamentOptions) -> None:
    unqualified = options.resolve(as_run=True).tournament
    with open_store(unqualified) as store:
        tournament = with_admitted_teams(unqualified, store, as_played=True)
        say_rounds(tournament)
        qualified, tests = qualifying_progress(unqualified, store)
        progress = progress_to_show(tournament, store)
        needed = {first_attempt(spec.place.key) for spec in progress.schedule.matches}
        others = len(set(map(first_attempt, store.keys())) - needed)
        incidents = store.incidents()
    voids = progress.schedule.voids
    games, left = len(progress.schedule.records) - voids, len(progress.missing)
    expected = tournament.format.expected_games()
    field = f"{counted(len(tournament.teams), 'team')}, {counted(len(tournament.maps), 'map')}"
    print(f"{tournament.title} ({tournament.format_name}, {field})")
    if qualified < tests:
        print(f"qualifying: {qualified} of {tests} tests")
    for team, reason in tournament.not_admitted:
        print(f"not admitted: {one_line(team)}: {one_line(reason)}")
    for name, results, reason in disqualifications(tournament):
        print(f"disqualified: {one_line(name)} (results {results}): {one_line(reason)}")
    earlier = progress.earlier
    print(f"done: {counted(games, 'game')}{'' if left or voids or earlier else ', complete'}")
    say_earlier(options.file, earlier, "earlier", print)
    say_voids(options.file, voids, "void", print)
    if left:
        most = 0 if expected is None else expected[1] - games - voids
        print(f"left: {counted(left, 'game')}{f' of this round, up to {most} in all' if most > left else ''}")
    if decided := sum(not each.taken_back_at for each in tournament.decisions):
        print(f"decisions: {decided}; 'tiltyard decisions {options.words}' lists them")
    _show_absent_and_faults(tournament, progress.schedule.records)
    for what, count in sorted(Counter(what for _, _, what in incidents).items()):
        print(f"the machine: {what} x {count}")
    if others:
        print(f"unused: {others} stored games that this file doesn't need, such as those of earlier versions of a team or a game")
