from pathlib import Path

from honest import play


def cheat(path: str) -> None:
    text = Path(path).read_text()
    Path(path).write_text(text.replace("\n", " "))


play("glues", end=cheat)
