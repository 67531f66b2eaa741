"""An observer and publishers as somebody may write them: they keep a notice board, a plain file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tiltyard_engine import (
    MatchFault,
    NoOptions,
    Observer,
    Outcome,
    Publisher,
    TournamentFinished,
    TournamentObserver,
    TournamentResults,
    TournamentStarted,
    UserError,
    hookimpl,
    option,
)


@dataclass(frozen=True)
class BoardOptions:
    """Where the board is."""

    file: str = option("board.txt", "the file that notices are added to")


class NoticeBoard(TournamentObserver):
    """Adds a line for each thing that happens."""

    def __init__(self, options: BoardOptions) -> None:
        self.path = Path(options.file)
        self.folder = ""

    def add(self, line: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def tournament_started(self, event: TournamentStarted) -> None:
        print("this must not be among the events")
        self.add(f"{event.title} begins: {', '.join(event.teams)}")

    def match_fault(self, event: MatchFault) -> None:
        self.add(f"{event.who} failed: {event.fault.termination.value}")

    def match_finished(self, event: Outcome) -> None:
        if event.played:
            self.add(f"{' - '.join(event.teams)}: {event.message}")

    def tournament_finished(self, event: TournamentFinished) -> None:
        self.add(f"over after {event.matches} games")


def pin_up(results: TournamentResults, options: BoardOptions) -> list[Path]:
    """The order of the teams, and how many replays there are."""
    print("on standard output too")
    replays = sum(results.replay(match.key) is not None for match in results.matches)
    with Path(options.file).open("a", encoding="utf-8") as file:
        file.write(f"{results.title}: {' > '.join(results.teams)}; {replays} replays\n")
    return [Path(options.file)]


def fail(results: TournamentResults, options: NoOptions) -> None:
    """As a publisher does whose server is away."""
    raise ConnectionError("the server is away")


def refuse(results: TournamentResults, options: NoOptions) -> None:
    """As a publisher does that knows what is wrong."""
    raise UserError("there is no password: set BOARD_PASSWORD")


@hookimpl
def observers() -> Iterator[Observer]:
    """One."""
    yield Observer("notice-board", NoticeBoard, BoardOptions, "adds a line for each match to a file")


@hookimpl
def publishers() -> Iterator[Publisher]:
    """One that works and two that do not."""
    yield Publisher("notice", pin_up, BoardOptions, "adds the standings to a file")
    yield Publisher("failing", fail)
    yield Publisher("refusing", refuse)
