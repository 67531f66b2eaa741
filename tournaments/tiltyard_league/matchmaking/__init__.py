"""Who meets whom next: pure functions of what was played."""
