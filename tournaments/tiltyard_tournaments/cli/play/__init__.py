"""``tiltyard run``, which plays a tournament from its file, here or elsewhere."""
