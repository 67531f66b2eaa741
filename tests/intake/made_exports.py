"""Exports for tests, in the shapes that platforms make."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.intake.made_archives import zipped

BOT = zipped({"bot/main.cpp": b"int main() {}\n"})
NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)


def write_all(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Files by their paths; a path that ends with a slash is an empty folder. Their time is NOON."""
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        at(path, NOON)
    return folder


def at(path: Path, time: datetime) -> None:
    """Give a file that time."""
    os.utime(path, (time.timestamp(), time.timestamp()))


MOODLE_FOLDERS: Mapping[str, bytes] = {
    "Ann Alder_1001_assignsubmission_file_/bot.zip": BOT,
    "Bob Birch_1002_assignsubmission_file/main.py": b"print()\n",
    "Bob Birch_1002_assignsubmission_file/lib/tank.py": b"",
    "Bob Birch_1002_assignsubmission_onlinetext/onlinetext.html": b"<p>see file</p>",
    "Cem Çelik_1003_assignsubmission_onlinetext_/onlinetext.html": b"<p>my code</p>",
    "Zoë O'Hara_1004_assignsubmission_file_/Bot.ipynb": b"{}",
}
MOODLE_FILES: Mapping[str, bytes] = {
    "Ann Alder_1001_assignsubmission_file_bot.zip": BOT,
    "Bob Birch_1002_assignsubmission_file_main.cpp": b"",
    "Bob Birch_1002_assignsubmission_file_tank_2.h": b"",
    "Bob Birch_1002_assignsubmission_onlinetext_onlinetext.html": b"<p>see file</p>",
}
MOODLE_GROUPS: Mapping[str, bytes] = {
    "Team A 12_assignsubmission_file_/bot.zip": BOT,
    "Team B_13_assignsubmission_file_/bot.zip": BOT,
    "Default group_assignsubmission_file_/bot.zip": BOT,
}
CANVAS: Mapping[str, bytes] = {
    "alderann_101_5001_bot.zip": BOT,
    "alderann_101_5009_bot-1.zip": BOT,
    "alderann_101_5011_bot-2.zip": BOT,
    "birchbob_LATE_102_5003_main.cpp": b"",
    "birchbob_LATE_102_5004_tank.h": b"",
    "celikcem_103_5005_Tank-1.h": b"",
    "celikcem_103_5006_Tank-1.cpp": b"",
    "dillondee_104_5007_part-1.cpp": b"",
    "dillondee_104_5008_part-2.cpp": b"",
    "elmeve_105_text.html": b"<p>my code</p>",
    "anon_x7Kd2_5010_bot.zip": BOT,
}
METADATA = """
submission_11:
  :submitters:
  - :name: Ann Alder
    :sid: '1001'
    :email: ann@example.org
  :created_at: 2024-05-06 09:00:00.353219000 Z
  :score: 3.0
  :history:
  - :id: 5
    :created_at: 2024-05-05 09:00:00.000000000 Z
submission_12:
  :submitters:
  - :name: Bob Birch
    :sid: '1002'
  - :name: Cem Çelik
    :sid: '1003'
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2024-05-06 15:00:00.000000000 Z
    zone: &1 !ruby/object:ActiveSupport::TimeZone
      name: Etc/UTC
submission_13:
  :submitters:
  - :name: Ann Alder
    :sid: '1001'
  :created_at: 2024-05-06 10:00:00.000000000 Z
submission_14:
  :submitters:
  - :name: Dee Dillon
    :sid: '1004'
""".encode()
GRADESCOPE: Mapping[str, bytes] = {
    "submission_metadata.yml": METADATA,
    "submission_11/main.cpp": b"old",
    "submission_12/main.cpp": b"",
    "submission_13/main.cpp": b"new",
    "submission_13/src/tank.cpp": b"",
    "submission_15/main.cpp": b"",
}
CLONES: Mapping[str, bytes] = {
    "tanks-ann/.git/HEAD": b"ref: refs/heads/main\n",
    "tanks-ann/main.cpp": b"",
    "tanks-anna-b/.git/HEAD": b"ref: refs/heads/main\n",
    "tanks-anna-b/main.cpp": b"",
    "tanks-bob/.git/HEAD": b"ref: refs/heads/main\n",
    "tanks-bob/bot.py": b"",
}
PLAIN: Mapping[str, bytes] = {
    "ann.zip": BOT,
    "bob/main.py": b"",
    "cem.py": b"",
    "dee.ipynb": b"{}",
    "Algorithm_209277367_322542887.so": b"\x7fELF",
    "eve.cpp": b"",
    "eve.h": b"",
    "fay.tar.gz": b"\x1f\x8b broken",
    ".DS_Store": b"",
    "__MACOSX/._ann.zip": b"",
    "grades.csv": b"name,grade\n",
    "gil/": b"",
}
EXPORTS: Mapping[str, Mapping[str, bytes]] = {
    "Moodle, folders": MOODLE_FOLDERS,
    "Moodle, files": MOODLE_FILES,
    "Moodle, groups": MOODLE_GROUPS,
    "Canvas": CANVAS,
    "Gradescope": GRADESCOPE,
    "clones": CLONES,
    "one each": PLAIN,
}
"""By the platform's name. What is in them is small and whole, but for one archive."""
