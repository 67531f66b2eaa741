from pathlib import Path

from honest import play


def cheat(path: str) -> None:
    Path(path).rename("elsewhere.txt")
    Path(path).symlink_to("elsewhere.txt")


play("link", end=cheat)
