from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.players[0][2] -= 1


play("steals_score", movement=cheat)
