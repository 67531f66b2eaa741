"""A league that runs by itself: teams hand in, are checked, play rated games all day, and see why they lost."""
