"""The conversation between a GameManager in a cell and its seats, which stay in the host.

- ``messages``: the messages of both sides.
- ``remote_seats``: the seats that the GameManager sees in its cell. ``seat_servers``: the host's side, which asks the real seats.
"""
