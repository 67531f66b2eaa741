from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.players[0][0] = "loser"


play("renames_other", movement=cheat)
