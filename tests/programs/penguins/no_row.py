from honest import State, play


def cheat(state: State) -> None:
    state.place()
    state.players.pop()


play("no_row", placement=cheat)
