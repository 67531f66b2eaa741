from honest import State, play


def cheat(state: State) -> None:
    state.players.append([state.name, 2, 0])
    state.put((3, 3))


play("places_on_fish", placement=cheat)
