"""JPEG files with more data at the end of their scans."""

import numpy as np
import pytest

from vision.jpeg import EndlessJpeg, filled_up
from vision.picture import decode, encode_jpeg

PICTURE = encode_jpeg(np.random.default_rng(3).integers(0, 255, (40, 60, 3), np.uint8))


@pytest.mark.parametrize("after", [b"", b"what a camera adds", PICTURE])
def test_more_data_before_the_end_change_nothing_of_a_whole_picture(after: bytes) -> None:
    more = filled_up(PICTURE + after)
    assert len(more) > len(PICTURE) + len(after)
    assert more.startswith(PICTURE[:-2])
    assert more.endswith(PICTURE[-2:] + after)
    assert np.array_equal(decode(more), decode(PICTURE))


def test_what_looks_like_a_marker_within_a_segment_is_none() -> None:
    comment = b"\xff\xfe\x00\x06\xff\xd9\xff\xda"
    assert filled_up(PICTURE[:2] + comment + PICTURE[2:]) == PICTURE[:2] + comment + filled_up(PICTURE)[2:]


def test_filling_before_the_end_is_no_data() -> None:
    assert filled_up(PICTURE[:-2] + b"\xff\xff" + PICTURE[-2:]) == filled_up(PICTURE)


def test_a_file_of_nothing_but_segments_is_given_up() -> None:
    with pytest.raises(EndlessJpeg, match="segments"):
        filled_up(b"\xff\xd8" + b"\xff\xfe\x00\x02" * 20_000)
