"""From bytes that somebody sent to a version that plays."""
