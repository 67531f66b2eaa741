"""The league's file: a tournament file with the key ``league``."""
