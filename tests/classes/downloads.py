"""Downloads of learning platforms with what a class has handed in.

python -m tests.classes.downloads moodle.zip students.csv        the class of the page 'From Moodle to standings in an hour'
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from tests.classes.handed_in import PAGE, Student
from tests.classes.kinds import Files
from tests.intake.made_archives import tarred, zipped

Platform = Literal["moodle", "canvas", "gradescope"]
ARCHIVES: Final = (".zip", ".docx", ".gz")


def write_download(students: Sequence[Student], path: Path, platform: Platform = "moodle") -> None:
    """Write the one archive that the platform offers for a whole class."""
    path.parent.mkdir(parents=True, exist_ok=True)
    members = {name: data for each in students for name, data in _members(each, platform)}
    if platform == "gradescope":
        members["submission_metadata.yml"] = "".join(_metadata(each) for each in students).encode()
    path.write_bytes(zipped(members))


def write_roster(students: Sequence[Student], path: Path, absent: Sequence[str] = ()) -> None:
    """Write the list of students; those who are absent have handed nothing in."""
    rows = [f"{each.name},{each.number}\n" for each in students]
    rows += [f"{name},{number}\n" for number, name in enumerate(absent, start=1_000_001)]
    path.write_text("name,id\n" + "".join(rows), encoding="utf-8")


def _members(student: Student, platform: Platform) -> Iterator[tuple[str, bytes]]:
    """The student's files as the platform names them. The packing depends on the student's number."""
    files = packed(student)
    if platform == "moodle":
        yield from ((f"{student.name}_{student.number}_assignsubmission_file_/{name}", data) for name, data in files.items())
    elif platform == "canvas":
        plain = unicodedata.normalize("NFKD", student.name)
        short = re.sub("[^a-z]", "", "".join(reversed(plain.partition(" ")[::2])).casefold())
        for place, (name, data) in enumerate(files.items()):
            yield f"{short}_{student.number}_{student.number * 10 + place}_{name}", data
    else:
        yield from ((f"submission_{student.number}/{name}", data) for name, data in files.items())


def packed(student: Student) -> Files:
    """What is uploaded: a zip, a tar, or the only file as it is."""
    files = student.kind.files(student.name)
    if len(files) == 1 and (student.number % 3 == 0 or next(iter(files)).endswith(ARCHIVES)):
        return files
    if student.number % 5 == 0:
        return {"work.tar.gz": tarred(files, "w:gz")}
    return {"work.zip": zipped(files)}


def _metadata(student: Student) -> str:
    return (
        f"submission_{student.number}:\n  :submitters:\n  - :name: {student.name}\n    :sid: '{student.number}'\n"
        f"  :created_at: 2024-05-06 09:00:00.353219000 Z\n"
    )


if __name__ == "__main__":
    write_download(PAGE, Path(sys.argv[1]))
    write_roster(PAGE, Path(sys.argv[2]), absent=["Nobody Nowhere"])
