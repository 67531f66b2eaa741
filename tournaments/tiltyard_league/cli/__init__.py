"""``tiltyard league`` and ``tiltyard hand-in``."""
