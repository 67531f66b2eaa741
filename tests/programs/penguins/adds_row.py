from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.players.append(["friend", 9, 0])


play("adds_row", movement=cheat)
