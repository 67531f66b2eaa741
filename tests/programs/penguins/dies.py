import os
import signal

from honest import play


def cheat(path: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


play("dies", end=cheat)
