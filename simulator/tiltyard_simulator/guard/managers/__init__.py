"""GameManagers in cells of their own.

- ``brokered_manager``: the host's side.
- ``manager_cell``: what runs in the cell.
"""
