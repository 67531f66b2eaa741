from honest import State, play


def cheat(state: State) -> None:
    first, second = state.own()
    state.move(*next(move for move in state.moves() if move[0] == first))
    state.move(*next(move for move in state.moves() if move[0] == second))


play("moves_two", movement=cheat)
