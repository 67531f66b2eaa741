import os
import sys

from honest import play


def cheat(path: str) -> None:
    sys.stderr.write("line 3, column 4: I do not like it\n")
    sys.stderr.flush()
    os._exit(2)


play("refuses", end=cheat)
