"""``tiltyard comparative`` and ``tiltyard competition``, a module each: options, and what the mode is told."""
