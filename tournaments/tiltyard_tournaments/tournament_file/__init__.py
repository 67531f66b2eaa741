"""The file in which an organiser describes a tournament.

reading.py      YAML with the line of every value
model.py        the keys: types, defaults, meanings
checking.py     values against types, with errors for people
resolving.py    names, files and folders become a tournament that can be played
json_schema.py  the same keys for editors and for the reference page
template.py     the commented file that ``tiltyard new tournament`` writes
"""
