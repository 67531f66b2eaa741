"""From what one team handed in to one clean folder with its sources.

Begin with ``team_tree``: it unpacks, leaves out junk, and flattens.

- ``unpacking``: archives, folders and files of strangers into a folder of ours.
- ``junk``: what people hand in without meaning to. ``source_files``: the files that recognition and builds see.
- ``file_names``: what a browser adds to a name, and what a team's file may be called.
- ``bounded_reading``, ``reading_process``: all this in a process that can be killed.

It imports ``archives``.
"""
