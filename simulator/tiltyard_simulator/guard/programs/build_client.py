"""A build of what a team handed in, in a cell of a program: sources go in, commands run one after the other, products come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.programs import Call, ProgramTeam
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.programs.messages import (
    FileList,
    LauncherReply,
    LauncherRequest,
    ListFiles,
    Ran,
    Refused,
    RunCall,
    ScratchFile,
    TakeFiles,
    Taken,
    WriteFiles,
)
from tiltyard_simulator.guard.programs.program_cell import ProgramCell
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.match.limits import Limits

BATCH_BYTES: Final = 8 << 20
"""How much is sent in one message."""
MOST_LISTED: Final = 100_000
HEAD_BYTES: Final = 64
NOTHING: Final = ProgramTeam(name="build", game="", command=("env",))
"""A build has no command of its own; each of its steps brings one."""


@dataclass(frozen=True, slots=True)
class BuildFile:
    """A file that a build gets."""

    data: bytes
    executable: bool = False


class BuildClient(ProgramClient):
    """One build in its cell. It ends like any program, with the pool's next ``end_match``.

    All names of files are relative to ``scratch``, the folder that the build works in. Everything may raise ProgramError: a limit
    was reached, or the cell is lost.
    """

    def __init__(self, cell: ProgramCell, limits: Limits, scratch: str, readable: Sequence[str] | None) -> None:
        super().__init__(NOTHING, cell, limits, readable)
        self.scratch = scratch
        """The absolute path of its scratch folder, as its own processes see it."""

    def write_files(self, files: Mapping[str, BuildFile], folders: Sequence[str] = ()) -> None:
        """Write files and make folders."""
        batch: dict[str, BuildFile] = {}
        size = 0
        self._ask(WriteFiles({}, [], list(folders)))
        for name, file in files.items():
            batch[name] = file
            size += len(file.data)
            if size >= BATCH_BYTES:
                self._write_batch(batch)
                batch, size = {}, 0
        if batch:
            self._write_batch(batch)

    def _write_batch(self, files: Mapping[str, BuildFile]) -> None:
        executable = [name for name, file in files.items() if file.executable]
        self._ask(WriteFiles({name: file.data for name, file in files.items()}, executable, []))

    def run(self, command: Sequence[str], environment: Mapping[str, str], seconds: float, doing: str) -> Call:
        """Run a command to its end, and kill what it leaves behind.

        Args:
            command: the program and its arguments.
            environment: what is set beside the cell's own.
            seconds: of CPU time; ``wall_factor`` times as much wall time.
            doing: what it is called in errors.
        """
        most = self._limits.output_bytes
        self.begin(seconds, doing)
        with self._charging():
            self._prepare()
            request = RunCall([*command], dict(environment), {}, [], b"", most, most, 0)
            reply = self.cell.ask_launcher(request, timed=True)
            if isinstance(reply, Refused):
                self._refuse(reply)
            assert isinstance(reply, Ran)
            self.cell.note_call(reply.end)
            self._kill_leftovers()
        self.finish()
        end = reply.end
        return Call(
            exit_code=end.exit_code,
            signal=end.signal,
            stdout=reply.stdout,
            stderr=reply.stderr,
            files={},
            cpu_seconds=end.cpu_seconds,
            wall_seconds=reply.wall_seconds,
        )

    def list_files(self, folders: Sequence[str]) -> list[ScratchFile]:
        """The regular files below some folders, each with its first bytes."""
        reply = self._ask(ListFiles(list(folders), MOST_LISTED, HEAD_BYTES))
        assert isinstance(reply, FileList)
        if reply.is_cut:
            self._fail(Termination.PROTOCOL, f"made more than {MOST_LISTED} files and folders")
        return reply.files

    def take_files(self, names: Sequence[str], file_bytes: int, total_bytes: int) -> dict[str, bytes]:
        """Read files; what is no regular file is left out.

        Args:
            names: which ones.
            file_bytes: the largest that is taken.
            total_bytes: the most that is taken together.
        """
        reply = self._ask(TakeFiles(list(names), file_bytes, total_bytes))
        assert isinstance(reply, Taken)
        if reply.too_large:
            self._fail(Termination.PROTOCOL, f"made {reply.too_large[0]}, which is larger than {file_bytes >> 20} MiB")
        return reply.files

    def _ask(self, request: LauncherRequest) -> LauncherReply:
        with self._charging():
            self._prepare()
            reply = self.cell.ask_launcher(request)
            if isinstance(reply, Refused):
                self._refuse(reply)
            return reply
