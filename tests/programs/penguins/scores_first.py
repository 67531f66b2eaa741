from honest import State, play


def cheat(state: State) -> None:
    state.place()
    state.row[2] = 10


play("scores_first", placement=cheat)
