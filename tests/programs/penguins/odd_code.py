import os

from honest import play


def cheat(path: str) -> None:
    os._exit(139)


play("odd_code", end=cheat)
