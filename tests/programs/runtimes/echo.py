# Answers lines; with a word, copies a file as a move would, or takes more than it may.
import pathlib
import sys
import threading
import time

words = sys.argv[1:]
if not words:
    for line in sys.stdin:
        print("ok", line.strip(), flush=True)
elif words[0] == "copy":
    with pathlib.Path(words[1]).open() as given, pathlib.Path(words[2]).open("w") as answer:
        answer.write("ok " + given.read())
elif words[0] == "loop":
    while True:
        pass
elif words[0] == "memory":
    kept = []
    while True:
        kept.append(bytearray(b"x") * (1 << 20))
elif words[0] == "threads":
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
