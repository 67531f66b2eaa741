import os
from pathlib import Path

from honest import play


def cheat(path: str) -> None:
    Path(path).unlink()
    os.mkfifo(path)


play("leaves_fifo", end=cheat)
