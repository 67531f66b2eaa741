from pathlib import Path

from honest import play


def cheat(path: str) -> None:
    Path(path).write_bytes(b"\x89PNG garbage")


play("garbage", end=cheat)
