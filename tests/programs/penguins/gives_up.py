import os

from honest import play


def cheat(path: str) -> None:
    os._exit(3)


play("gives_up", end=cheat)
