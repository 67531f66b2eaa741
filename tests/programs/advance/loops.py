"""Never comes to an end when it is to move."""

import sys

while sys.argv[1] != "name":
    pass
