"""The outcomes of a marking, saved line by line, so that the command can continue where it was stopped.

A line is one outcome under its match's key. The key follows from the bot's files, the test and the project's code: what changed
is asked again, and nothing else is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TextIO

from tiltyard_engine.errors import file_errors
from tiltyard_engine.match_record import PlayedMatch

OUTCOME_FILE: Final = "kept.jsonl"
SAID_CHARACTERS: Final = 1000


class OutcomeFile:
    """The outcomes in a folder's file; each is written before it is reported.

    Raises:
        UserError: the file cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / OUTCOME_FILE
        self._outcomes: dict[str, dict[str, Any]] = {}
        with file_errors(self.path, "read or written"):
            folder.mkdir(parents=True, exist_ok=True)
            self._read()
            self._file: TextIO = self.path.open("a", encoding="utf-8")

    def _read(self) -> None:
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            # The computer was switched off while the last line was written.
            os.truncate(self.path, len(whole))
        for line in whole.splitlines():
            try:
                outcome = json.loads(line)
                if outcome["void"]:
                    self._outcomes.pop(outcome["key"], None)
                else:
                    self._outcomes[outcome["key"]] = outcome
            except (ValueError, KeyError, TypeError, RecursionError):
                continue

    def __enter__(self) -> OutcomeFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def get(self, key: str) -> dict[str, Any] | None:
        """The outcome under a key."""
        return self._outcomes.get(key)

    def forget(self, keys: Iterable[str]) -> None:
        """Let these matches be played again."""
        with file_errors(self.path, "written"):
            for key in keys:
                if self._outcomes.pop(key, None) is not None:
                    self._file.write(json.dumps({"key": key, "void": True}) + "\n")
            self._file.flush()

    def add(self, record: PlayedMatch) -> dict[str, Any]:
        """Keep an outcome, unless the machine failed; returns it as it would be read again."""
        fault = next((fault for fault in record.faults if fault.seat), None)
        account = None if fault is None else record.account_of(fault.seat)
        output = b"" if account is None else account.output
        outcome = {
            "key": record.key,
            "winner": record.winner,
            "reason": record.claim.reason,
            "message": record.claim.message,
            "rounds": record.claim.rounds,
            "state": list(record.claim.final_state),
            "fault": "" if fault is None else f"{fault.termination.value}: {fault.message}",
            "fault_seat": 0 if fault is None else fault.seat,
            "said": output.decode("utf-8", "replace").strip()[-SAID_CHARACTERS:],
            "held": list(record.held),
            "seconds": [round(account.wall_seconds, 4) for account in record.accounts],
            "void": record.is_void,
        }
        if not record.is_void:
            self._outcomes[record.key] = outcome
            with file_errors(self.path, "written"):
                self._file.write(json.dumps(outcome) + "\n")
                self._file.flush()
        return outcome
