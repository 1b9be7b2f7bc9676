"""`cornet doctor`, shown on any screen."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import CORNET, ENVIRONMENT


@pytest.mark.parametrize(
    ("letters", "data", "shown"), [("ascii", "dé".encode(), b"d\\xe9"), ("utf-8", b"d\xff", b"d\\udcff")]
)
def test_what_a_screen_has_no_letters_for_is_told_all_the_same(
    tmp_path: Path, letters: str, data: bytes, shown: bytes
) -> None:
    call = [*CORNET, "doctor", "--data", os.fsdecode(data), "--port", "0"]
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": letters}
    finished = subprocess.run(call, capture_output=True, cwd=tmp_path, env=environment, timeout=60, check=False)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert shown in finished.stdout
