"""What every request passes before a page answers it."""
