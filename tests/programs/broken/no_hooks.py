"""A helper that contributes nothing."""

VALUE = 1
