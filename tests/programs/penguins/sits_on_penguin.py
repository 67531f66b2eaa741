from honest import State, play


def cheat(state: State) -> None:
    state.players.append([state.name, 2, 1])
    state.put((0, 0))


play("sits_on_penguin", placement=cheat)
