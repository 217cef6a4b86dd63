"""Where the program `balk` is."""

import os


def binary():
    return os.environ["BALK"]
