"""The two kinds of cells of compiled files, Python's and C++'s: the same bytes to the host, and the same verdicts."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from tests.plugins.tanks_native.compiled import BOARD, Files
from tests.plugins.tanks_native.matches import MAP

from tiltyard_engine.errors import ContractError
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.guard.broker.messages import DoneResponse, RefusedResponse
from tiltyard_simulator.guard.cells.cell import serve
from tiltyard_simulator.guard.cells.messages import ENCODER, OpenManager, RunMatch
from tiltyard_simulator.guard.cells.wire import frame, read_frame
from tiltyard_simulator.guard.managers.manager_cell import ManagerCell
from tiltyard_simulator.guard.seats.tanks.broker import ActionsResponse, CreatedResponse, ShowView, ViewFailedResponse
from tiltyard_simulator.guard.seats.tanks.cells import Act, Board, Brief, CreateTank, Inform, OpenTanks
from tiltyard_tanks.maps import player_arguments
from tiltyard_tanks_native.host_protocol import read_claim
from tiltyard_tanks_native.library import open_template
from tiltyard_tanks_native.managers import prepare_match

CALL_THAT_RETURNS_ZERO: Final = {"x86_64": 24, "aarch64": 124}
"""sched_yield: in place of a fork, this process itself becomes the cell."""
QUESTIONS, ANSWERS = 200, 201
KINDS: Final = ("Python", "C++")
ROWS: Final = list(BOARD.grid)


@dataclass
class Held:
    """A cell, as its host has it."""

    process: int
    questions: int
    answers: int
    number: int = 0

    def read(self) -> bytes:
        """Its next answer."""
        number, body = read_frame(self.answers)
        assert number == self.number
        return body

    def ask(self, question: bytes) -> bytes:
        """What it answers."""
        self.number += 1_000_003
        os.write(self.questions, frame(self.number, question))
        return self.read()

    def close(self) -> int:
        """Close its pipes; how it ends."""
        os.close(self.questions)
        os.close(self.answers)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def begin(kind: str, file: Path) -> Held:
    """A cell of a file, beside this process."""
    (questions, ask), (answers, answer) = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.dup2(questions, QUESTIONS)
            os.dup2(answer, ANSWERS)
            # Also what leads to the other cells: these end when nobody holds their pipes.
            os.closerange(3, QUESTIONS)
            if kind == "C++":
                open_template(file)([CALL_THAT_RETURNS_ZERO[platform.machine()], 0, 0, 0, 0, 0], QUESTIONS, ANSWERS)
            serve(ManagerCell(QUESTIONS, ANSWERS))
        finally:
            os._exit(1)
    os.close(questions)
    os.close(answer)
    held = Held(process, ask, answers)
    assert held.read() == b"\x91\x01"
    return held


@pytest.fixture
def cells(files: Files, library: Path) -> Iterator[Callable[[str, Path], Held]]:
    """Begins cells; at the end, each must have ended as one does whose host has gone."""
    assert library.is_file()
    begun: list[Held] = []

    def begin_one(kind: str, file: Path) -> Held:
        begun.append(begin(kind, file))
        return begun[-1]

    yield begin_one
    assert {held.close() for held in begun} <= {113}


TEAM: Final = (
    (CreateTank(0), "920300", "9101"),
    (CreateTank(300), "9203cd012c", "9101"),
    (Act([0, 300]), "92049200cd012c", "9303c4020803c0"),
    (Act([300]), "920491cd012c", "9303c40104c0"),
    (Act([]), "920490", "9303c400c0"),
    (Brief(0, ["#" * 9, " 1  2   \u00e9", "   @  # \u20ac", " 2    1  "]), None, "9108"),
    (Act([0]), "92049100", "9303c40101c0"),
    (Brief(300), "9305cd012cc0", "9104"),
    (Board(ROWS), None, "9101"),
    (Brief(300), "9305cd012cc0", "9104"),
    (Board(None), "9206c0", "9101"),
    (Inform(0), "920700", "9101"),
    (Act([0, 300]), "92049200cd012c", "9303c4020003c0"),
)
"""Questions to script 3, as the host writes them, and the answers of a cell in Python. None: too long to be read here."""


def opening(files: Files, installed: Registry, word: str) -> OpenTanks:
    return OpenTanks(choose(str(files.algorithm(word)), ALGORITHM, installed, "tanks").with_needs(), 2, player_arguments(BOARD))


@pytest.mark.parametrize("kind", KINDS)
def test_a_team_answers_with_the_recorded_bytes(
    cells: Callable[[str, Path], Held], files: Files, installed: Registry, kind: str
) -> None:
    cell = cells(kind, files.algorithm("script_3"))
    assert cell.ask(ENCODER.encode(opening(files, installed, "script_3"))).hex() == "9101"
    encoded = [ENCODER.encode(question) for question, _, _ in TEAM]
    assert [written or data.hex() for data, (_, written, _) in zip(encoded, TEAM, strict=True)] == [data.hex() for data in encoded]
    assert [cell.ask(data).hex() for data in encoded] == [answer for _, _, answer in TEAM]


FAILURES: Final = (
    *("throws", "throws_number", "throws_words", "throws_unknown", "throws_odd_text", "throws_long_text", "odd_number", "memory"),
    *("tank_throws", "info_throws", "null_tank", "null_player", "player_throws", "brief_throws", "brief_swapped"),
)


@pytest.mark.parametrize("word", FAILURES)
def test_a_team_that_fails_is_told_of_in_the_same_bytes(
    cells: Callable[[str, Path], Held], files: Files, installed: Registry, word: str
) -> None:
    questions = [opening(files, installed, word), CreateTank(0), *[Act([0, 0])] * 3, Brief(0, ROWS), Inform(0)]
    said: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for kind, answers in said.items():
        cell = cells(kind, files.algorithm(word))
        for question in questions:
            answers.append(without_traceback(msgspec.msgpack.decode(cell.ask(ENCODER.encode(question)))))
            if answers[-1] not in ([1], [3, b"\x00\x00", None], [8]):
                break
    assert said["C++"] == said["Python"]
    assert said["C++"][-1] not in ([1], [8])


def without_traceback(answer: list[Any]) -> list[Any]:
    """Python's failure for lack of memory has a traceback, of its own lines."""
    if isinstance(answer[-1], list):
        answer[-1][-1] = ""
    return answer


def responses(request: list[Any], created: list[int]) -> msgspec.Struct | None:
    """What a host might say to a request; None: it is the result."""
    match request:
        case [1, _, int()]:
            created.append(len(created))
            return CreatedResponse(created[-1])
        case [3, seat, tank]:
            return ActionsResponse(bytes([7 if (seat + tank + len(created)) % 3 == 0 else 6]))
        case [4, *_]:
            return ShowView(BOARD.width, len(BOARD.grid))
        case [11]:
            return ViewFailedResponse()
        case [12, _]:
            return None
        case _:
            return DoneResponse()


MANAGERS: Final = (
    "good",
    "own_info",
    "wraps",
    "wraps_and_swallows",
    "view_throws",
    "swallows",
    "throws",
    "null_manager",
    "create_throws",
)


@pytest.mark.parametrize("word", MANAGERS)
def test_a_manager_asks_in_the_same_bytes(cells: Callable[[str, Path], Held], files: Files, installed: Registry, word: str) -> None:
    said = {kind: transcript(cells(kind, files.manager(word)), files, installed, word, responses) for kind in KINDS}
    last = [msgspec.msgpack.decode(each.pop()) for each in said.values()]
    assert said["C++"] == said["Python"]
    assert [each.hex() for each in said["C++"][:4]] == MANAGERS_FIRST_WORDS[: len(said["C++"])]
    claims = [each[1][1] for each in last if each[0] == 11]
    if not claims:
        assert without_traceback(last[0]) == without_traceback(last[1])
        return
    in_python, in_cpp = claims
    assert msgspec.convert(in_python, type(read_claim(in_cpp, BOARD))) == read_claim(in_cpp, BOARD)


MANAGERS_FIRST_WORDS: Final = ["920aa469646c65", "930b9301010090", "930b9301020090", "930b9301020190"]


def test_a_manager_that_is_refused_something_ends_in_the_same_bytes(
    cells: Callable[[str, Path], Held], files: Files, installed: Registry
) -> None:
    def refusing(request: list[Any], created: list[int]) -> msgspec.Struct | None:
        return RefusedResponse("a tank of another seat") if request[0] == 3 else responses(request, created)

    said = [transcript(cells(kind, files.manager("good")), files, installed, "good", refusing) for kind in KINDS]
    assert said[0] == said[1]
    assert b"a tank of another seat" in said[0][-1]


def transcript(
    cell: Held, files: Files, installed: Registry, word: str, respond: Callable[[list[Any], list[int]], msgspec.Struct | None]
) -> list[bytes]:
    """All that a GameManager's cell says in a match."""
    manager = choose(str(files.manager(word)), MANAGER, installed, "tanks").with_needs()
    game = installed.find(GAME, "tanks").reference
    prepared = prepare_match(BOARD, "board", 2)
    said = [cell.ask(ENCODER.encode(OpenManager(manager, game, b"board", MAP.data, 2, None, prepared)))]
    question: msgspec.Struct | None = RunMatch(["ann", "bob"], [None, None], 7, False, False)
    created: list[int] = []
    while question is not None:
        said.append(cell.ask(ENCODER.encode(question)))
        answer = msgspec.msgpack.decode(said[-1])
        question = respond(answer[1], created) if answer[0] == 11 else None
    return said


def test_what_a_managers_cell_claims_must_be_a_result() -> None:
    for body in (b"", b"\x00" * 8, b"\xff" * 400):
        with pytest.raises(ContractError, match="not a result"):
            read_claim(body, BOARD)


IN_A_THREAD: Final = """
import sys, threading
from pathlib import Path
from tiltyard_tanks_native.library import open_template

def flags(address):
    "Of the piece of memory that an address lies in."
    is_here = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if words[0] == "VmFlags:" and is_here:
            return words[1:]
        if not words[0].endswith(":"):
            begin, end = (int(word, 16) for word in words[0].split("-"))
            is_here = begin <= address < end

def look():
    open_template(Path(sys.argv[1]))
    print("dc" in flags(threading.get_ident()))

thread = threading.Thread(target=look)
thread.start()
thread.join()
"""
"""Loads the library in a thread of its own, whose data lie in one piece with its stack; says whether forks would lack it."""


def test_what_a_thread_needs_is_in_its_forks(files: Files, library: Path) -> None:
    """The memory of Python's objects isn't; but the kernel may join any two pieces that have no name."""
    assert library.is_file()
    words = [sys.executable, "-c", IN_A_THREAD, str(files.algorithm("script_1"))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    # A thread's number in Python is the address of its data.
    assert (done.stdout, done.stderr) == ("False\n", "")
