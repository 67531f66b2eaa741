from pathlib import Path

from honest import play


def cheat(path: str) -> None:
    Path(path).unlink()


play("no_output", end=cheat)
