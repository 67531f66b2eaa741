"""The commands ``whatif`` and ``why``: they read options and a tournament's store, and print what the other files found out."""
