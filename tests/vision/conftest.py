import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of labelled photographs, which is not part of the project."""
    given = os.environ.get("CORNET_RECORDINGS")
    folder = Path(given) if given else Path(__file__).parents[3] / "shared" / "recordings"
    if not (folder / "real" / "labels.json").is_file():
        pytest.skip(f"no labelled photographs in {folder}: set CORNET_RECORDINGS to their folder")
    return folder
