"""Archives of strangers, read within bounds: nothing that an archive says about itself is believed.

Begin with ``archive_members``, which gives the members of any archive or folder, one after the other.

- ``archive_kinds``: what an archive is, by its first bytes. ``tar_members``, ``zip_members``, ``decompression``: each of these.
- ``member``, ``member_names``: one member, and the names that are safe to write.
- ``bounds``: how much a team may hand in. ``unpack_errors``: why something isn't unpacked.
- ``folders``: the files below a folder, however deep it is.

It imports no other room of the intake.
"""
