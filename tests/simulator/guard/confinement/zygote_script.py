"""What the tests' zygote runs: for each line of JSON a cell, which runs the line's code and says what came of it."""

import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path

from tiltyard_simulator.guard.confinement.confining import confine_cell, prepare
from tiltyard_simulator.guard.confinement.rulesets import prepare_alone
from tiltyard_simulator.guard.policy import CellPolicy, Confinement, Level, PreparedPolicy
from tiltyard_simulator.match.limits import Limits


def main() -> None:
    confinement = Confinement(Level(sys.argv[1]), (), ())
    sibling = os.fork()
    if sibling == 0:
        signal.pause()
    for line in sys.stdin:
        request = json.loads(line)
        policy = CellPolicy(**{**request["policy"], "limits": Limits(**request["policy"]["limits"])})
        policy = CellPolicy(tuple(policy.readable), tuple(policy.hidden), policy.scratch, policy.limits, policy.python)
        prepared = prepare(policy, confinement) if request["shared"] else prepare_alone(policy)
        read, write = os.pipe()
        cell = os.fork()
        if cell == 0:
            serve(confinement, prepared, request["code"], write, {"sibling": sibling, **request["names"]})
        os.close(write)
        prepared.close()
        with os.fdopen(read, "rb") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(cell, 0)
        end = os.waitstatus_to_exitcode(status)
        # A program that took the cell's place has not answered.
        print(json.dumps([end, *(json.loads(answer) if answer else ["", ""])]), flush=True)
    os.kill(sibling, signal.SIGKILL)


def serve(confinement: Confinement, prepared: PreparedPolicy, code: str, write: int, names: dict[str, object]) -> None:
    try:
        confine_cell(confinement, prepared, keep_fds=(write,))
        os.set_inheritable(write, False)
        # Python ignores it at the start; what stays for a team to see is the error.
        space = {"os": os, "resource": resource, "signal": signal, "Path": Path, "result": "", **names}
        try:
            exec(code, space)
            answer = ["", str(space["result"])]
        except BaseException as error:
            answer = [type(error).__name__, str(error)]
        os.write(write, json.dumps(answer).encode())
    except BaseException:
        traceback.print_exc()
        os._exit(99)
    os._exit(0)


main()
