"""JPEG files that a decoder fills up, or takes for ever over, without a word.

The markers are those of ITU-T T.81, table B.1.
"""

import re

_MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd8\xff]")  # that begins a segment, or ends the picture
_SCAN, _END = 0xDA, 0xD9
_MOST_SEGMENTS, _MOST_SCANS = 10_000, 50  # cameras and programs write fewer; a scan takes as long as a picture
_MORE = bytes(range(1, 255)) * 4  # that mean something wherever a scan goes on, and hold no marker


class EndlessJpeg(ValueError):
    """A file with so many parts that nobody need wait for it."""


def filled_up(data: bytes) -> bytes:
    """The file with filler after its last scan: a picture that changes by it had ended early.

    EndlessJpeg if it has more segments or scans than pictures have.
    """
    end = _end(data)
    return data[:end].rstrip(b"\xff") + _MORE + data[end:]


def _end(data: bytes) -> int:
    """Where the picture's end is marked, behind its scans; the length of data if it is not."""
    at, scans = 2, 0
    for _ in range(_MOST_SEGMENTS):
        found = _MARKER.search(data, at)
        if found is None:
            return len(data)
        kind, at = data[found.end() - 1], found.end()
        if kind == _END:
            return found.start()
        scans += kind == _SCAN
        if scans > _MOST_SCANS:
            raise EndlessJpeg(f"it has more than {_MOST_SCANS} scans")
        at += int.from_bytes(data[at : at + 2])
    raise EndlessJpeg(f"it has more than {_MOST_SEGMENTS} segments")
