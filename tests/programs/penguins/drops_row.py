from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    del state.players[0]


play("drops_row", movement=cheat)
