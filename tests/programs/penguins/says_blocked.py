import os

from honest import play


def cheat(path: str) -> None:
    os._exit(1)


play("says_blocked", end=cheat)
