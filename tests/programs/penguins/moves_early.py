from honest import State, play


def cheat(state: State) -> None:
    if any(row[0] == state.name for row in state.players):
        state.move(*state.moves()[0])
    else:
        state.place()


play("moves_early", placement=cheat)
