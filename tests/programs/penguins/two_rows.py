from honest import State, play


def cheat(state: State) -> None:
    state.place()
    state.players.append(["friend", 9, 0])


play("two_rows", placement=cheat)
