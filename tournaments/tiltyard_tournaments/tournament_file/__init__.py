"""The file in which an organiser describes a tournament.

document.py     YAML with the line of every value
model.py        the keys: types, defaults, meanings
validation.py   values against types, with errors for people
checked_keys.py  the keys of a file that was checked before, without that check
contest.py      stages, and teams from another tournament: what an own package does
resolution.py   names, files and folders become a tournament that can be played
parts.py        the keys part by part, and the schema of them for editors
"""
