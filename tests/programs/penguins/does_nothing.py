from honest import State, play


def cheat(state: State) -> None:
    pass


play("does_nothing", movement=cheat)
