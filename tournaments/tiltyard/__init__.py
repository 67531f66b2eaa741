"""What ``python -m tiltyard`` runs: the command ``tiltyard``. What programs import is in ``tiltyard_tournaments``."""
