from pathlib import Path

from honest import play


def cheat(path: str) -> None:
    Path(path).unlink()
    Path(path).mkdir()


play("leaves_folder", end=cheat)
