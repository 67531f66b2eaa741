import time

from honest import play


def cheat(path: str) -> None:
    time.sleep(1000)


play("hangs", end=cheat)
