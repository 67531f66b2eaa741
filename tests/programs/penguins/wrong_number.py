from honest import State, play


def cheat(state: State) -> None:
    state.place()
    state.row[1] = 5


play("wrong_number", placement=cheat)
