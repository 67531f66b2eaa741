from honest import State, play


def cheat(state: State) -> bool:
    return False


play("passes", movement=cheat)
