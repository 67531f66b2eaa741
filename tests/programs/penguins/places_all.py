from honest import State, play


def cheat(state: State) -> None:
    state.place()
    state.place()


play("places_all", placement=cheat)
