from honest import State, play


def cheat(state: State) -> None:
    state.place()


play("over_places", placement=cheat)
