"""A zip of members and their checksums.

Nothing in it is compressed: what a member declares to hold cannot be more than the file does, and
the same members are the same bytes everywhere.
"""

import os
import re
from hashlib import sha256
from typing import BinaryIO
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from relrbf.exceptions import ModelFileError

SUMS = "SHA256SUMS"  # as the command sha256sum writes and checks it
LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
EPOCH = (1980, 1, 1, 0, 0, 0)  # no file is different for being written later
UNIX, READABLE = 3, 0o100644 << 16


def pack(file: BinaryIO, members: dict[str, bytes]) -> None:
    """Write members and their checksums, in the order of their names."""
    sums = {name: sha256(content).hexdigest() for name, content in members.items()}
    with ZipFile(file, "w", ZIP_STORED) as archive:
        for name, content in sorted([*members.items(), (SUMS, _listed(sums))]):
            info = ZipInfo(name, EPOCH)
            info.create_system, info.external_attr = UNIX, READABLE
            archive.writestr(info, content)


class Archive:
    """The members of a file, each compared with its checksum when it is read."""

    def __init__(self, file: BinaryIO) -> None:
        size = os.fstat(file.fileno()).st_size
        try:
            self._zip = ZipFile(file)
        except BadZipFile as error:
            problem = "it is empty" if size == 0 else "it is no zip archive, or was cut off"
            raise ModelFileError(f"{problem}, so that relrbf.save did not write it") from error
        self._check_entries(size)
        self._sums = self._read_sums()
        self._unread = set(self._sums)

    def read(self, name: str) -> bytes:
        """Return a member, unchanged since it was written."""
        if name not in self._sums:
            raise ModelFileError(f"it refers to a member {name!r:.80} that it does not have")
        content = self._zip.read(name)
        if sha256(content).hexdigest() != self._sums[name]:
            raise ModelFileError(f"its member {name} is not what its checksum says: it was changed")
        self._unread.discard(name)
        return content

    def check_all_read(self) -> None:
        """Refuse members that nothing refers to."""
        if self._unread:
            raise ModelFileError(f"nothing refers to its member {min(self._unread)!r:.80}")

    def _check_entries(self, size: int) -> None:
        entries = self._zip.infolist()
        if len({entry.filename for entry in entries}) < len(entries):
            raise ModelFileError("it has two members of one name")
        for entry in entries:
            if entry.compress_type != ZIP_STORED or entry.compress_size != entry.file_size:
                raise ModelFileError(
                    f"its member {entry.filename!r:.80} is compressed, which relrbf.save never does"
                )
        if sum(entry.file_size for entry in entries) > size:
            raise ModelFileError("its members declare to be larger than the file")

    def _read_sums(self) -> dict[str, str]:
        names = set(self._zip.namelist())
        if SUMS not in names:
            raise ModelFileError(f"it has no {SUMS}, so that relrbf.save did not write it")
        text = self._zip.read(SUMS)
        sums = {name: digest for digest, name in LINE.findall(text.decode("ascii"))}
        if _listed(sums) != text or {*sums, SUMS} != names:
            raise ModelFileError(f"its {SUMS} does not list its members")
        return sums


def _listed(sums: dict[str, str]) -> bytes:
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode("ascii")
