"""What a marking has found is kept line by line, so that the same command goes on where it was stopped.

A line is one outcome under its match's key. The key follows from the bot's files, the test and the project's code: what changed
is asked again, and nothing else is.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final, TextIO

from tiltyard_engine.errors import UserError
from tiltyard_engine.host_matches import HostOutcome

KEPT_FILE: Final = "kept.jsonl"
SAID_CHARACTERS: Final = 1000


class KeptOutcomes:
    """The outcomes in a folder's file; each is written before it is told of.

    Raises:
        UserError: the file cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / KEPT_FILE
        self._outcomes: dict[str, dict[str, Any]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._read()
            self._file: TextIO = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{error.filename or self.path}: cannot be read or written: {error.strerror}") from error

    def _read(self) -> None:
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            # The last line was being written when somebody pulled the plug.
            os.truncate(self.path, len(whole))
        for line in whole.splitlines():
            try:
                found = json.loads(line)
                self._outcomes[found["key"]] = found
            except (ValueError, KeyError, TypeError):
                continue

    def __enter__(self) -> KeptOutcomes:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def get(self, key: str) -> dict[str, Any] | None:
        """The outcome under a key."""
        return self._outcomes.get(key)

    def add(self, outcome: HostOutcome) -> dict[str, Any]:
        """Keep an outcome, unless the machine spoilt it; as it would be read again."""
        fault = next((fault for fault in outcome.faults if fault.seat), None)
        said = outcome.outputs[fault.seat - 1] if fault is not None and len(outcome.outputs) >= fault.seat else b""
        found = {
            "key": outcome.key,
            "winner": outcome.winner,
            "reason": outcome.claim.reason,
            "message": outcome.claim.message,
            "rounds": outcome.claim.rounds,
            "state": list(outcome.claim.final_state),
            "fault": "" if fault is None else f"{fault.termination.value}: {fault.message}",
            "fault_seat": 0 if fault is None else fault.seat,
            "said": said.decode("utf-8", "replace").strip()[-SAID_CHARACTERS:],
            "seconds": [round(seconds, 4) for seconds in outcome.seconds],
            "void": outcome.is_void,
        }
        if not outcome.is_void:
            self._outcomes[outcome.key] = found
            try:
                self._file.write(json.dumps(found) + "\n")
                self._file.flush()
            except OSError as error:
                raise UserError(f"{self.path}: cannot be written: {error.strerror}") from error
        return found
