"""Readers, and trying one: many damaged inputs in a child process that may hang, fall or take too much memory."""

from __future__ import annotations

import faulthandler
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from tests.fuzz.damage import Form, damaged

from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import FAILED, end_well

MOST_SECONDS: Final = 10.0
"""Of work. On a busy machine that takes longer, and waiting may take six times as long."""
MOST_BYTES: Final = 1 << 30
"""More memory than before, for one reader."""
ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """What reads something of strangers."""

    name: str
    samples: Callable[[], Sequence[bytes]]
    """Sound inputs, and whatever else should be loaded before the first trial."""
    read: Callable[[bytes, Path], object]
    """Gets an input and an empty folder of its own."""
    form: Form = Form.BYTES
    accepts: tuple[type[Exception], ...] = ()
    """What it may raise beside UserError."""
    seconds: float = 0.0
    """CPU time that an input may take; 0: ``MOST_SECONDS``."""

    def input(self, seed: int, number: int) -> bytes:
        """The input of that number: the same each time."""
        return damaged(random.Random(f"{seed} {self.name} {number}"), self.samples(), self.form)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """An input that a reader cannot cope with."""

    reader: str
    number: int
    problem: str
    """In one line, the same for the same mistake."""
    trace: str


@dataclass(kw_only=True)
class Trials:
    """How a reader's inputs went."""

    tried: int = 0
    findings: list[Finding] = field(default_factory=list)
    longest: tuple[float, int] = (0.0, 0)
    """CPU seconds of the input that took most, and its number."""


def problem_with(reader: Reader, data: bytes, folder: Path) -> tuple[str, str]:
    """What a command that reads the input would end with a traceback for, and the traceback; empty if there is none."""
    failure: list[BaseException] = []
    accepted: tuple[type[Exception], ...] = (UserError, *reader.accepts)

    def command() -> int:
        try:
            reader.read(data, folder)
        except accepted as error:
            # It is told as any other: that must work, too.
            raise UserError(str(error)) from None
        except Exception as error:
            failure.append(error)
        return 0

    status = end_well(command)
    if not failure:
        return ("", "") if status in (0, FAILED) else (f"ends with status {status}", "")
    (error,) = failure
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/tiltyard_" in frame.filename]
    where = f" in {Path(frames[-1].filename).name}, {frames[-1].name}" if frames else ""
    return f"{type(error).__name__}{where}", "".join(traceback.format_exception(error))[-20_000:]


def try_reader(reader: Reader, seed: int, first: int, most: int, seconds: float = 1e9) -> Trials:
    """Try the inputs from number ``first`` on: ``most`` of them, or as many as end in that time."""
    reader.samples()
    trials = Trials()
    until = time.monotonic() + seconds
    while trials.tried < most and (not trials.tried or time.monotonic() < until):
        start = first + trials.tried
        with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch, tempfile.TemporaryFile("w+") as trace:
            output, input_ = os.pipe()
            with warnings.catch_warnings():
                # Other threads of this process, such as those of pytest, hold nothing that a child needs.
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if not child:
                os.close(output)
                _child(reader, seed, range(start, first + most), until, folder=Path(scratch), told=input_, trace=trace)
            os.close(input_)
            number, ended = start, False
            with os.fdopen(output) as told:
                for line in told:
                    number, problem, text = json.loads(line)
                    ended = problem == "end"
                    if problem == "took":
                        trials.longest = max(trials.longest, (float(text), number))
                    elif problem and not ended:
                        trials.findings.append(Finding(reader=reader.name, number=number, problem=problem, trace=text))
            _, status = os.waitpid(child, 0)
            if not ended:
                trace.seek(0)
                fell = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "no end"
                fell = "no end" if fell == "SIGPROF" else fell
                trials.findings.append(Finding(reader=reader.name, number=number, problem=fell, trace=trace.read()))
            trials.tried = number + 1 - first
    return trials


def _child(reader: Reader, seed: int, numbers: range, until: float, *, folder: Path, told: int, trace: IO[str]) -> NoReturn:
    """Try inputs, and tell of each before and of what is wrong after it; never returns."""
    status = 1
    try:
        faulthandler.enable(trace)
        faulthandler.register(signal.SIGPROF, file=trace, chain=True)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nowhere, standard)
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 -- pytest may have taken the usual ones
        warnings.simplefilter("ignore")
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST_BYTES,) * 2)

        def tell(*words: object) -> None:
            os.write(told, json.dumps(words).encode() + b"\n")

        for number in numbers:
            tell(number, "", "")
            own = folder / str(number)
            own.mkdir()
            data = reader.input(seed, number)
            begun = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, reader.seconds or MOST_SECONDS)
            faulthandler.dump_traceback_later(6 * MOST_SECONDS, exit=True, file=trace)
            problem, text = problem_with(reader, data, own)
            faulthandler.cancel_dump_traceback_later()
            signal.setitimer(signal.ITIMER_PROF, 0)
            tell(number, "took", f"{time.process_time() - begun:.3f}")
            shutil.rmtree(own, ignore_errors=True)
            if problem:
                tell(number, problem, text)
            if time.monotonic() > until:
                break
        tell(number, "end", "")
        status = 0
    except BaseException:
        traceback.print_exc(file=trace)
        raise
    finally:
        trace.flush()
        os._exit(status)


def at(name: str, read: Callable[[Path], Any]) -> Callable[[bytes, Path], Any]:
    """A reader of a file, which gets that name."""

    def written(data: bytes, folder: Path) -> Any:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return read(path)

    return written
