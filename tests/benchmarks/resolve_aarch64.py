"""Whether everything that the Raspberry Pi installs comes as wheels: `python tests/benchmarks/resolve_aarch64.py`.

Asks the package index, and installs nothing. That nothing is missing from the locks is tried too.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SYSTEMS = (("bookworm", "3.11", 36), ("trixie", "3.13", 41))
"""Raspberry Pi OS, its Python, its glibc 2.x."""


def resolve(codename: str, python: str, glibc: int) -> subprocess.CompletedProcess[str]:
    """What pip would install on that system from the locked versions, wheels only."""
    # Each glibc runs the wheels of the older ones.
    platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in range(17, glibc + 1)]
    locks = [
        f"--requirement={ROOT / name}" for name in (f"hardware/requirements-{codename}.lock", "requirements-build.lock")
    ]
    with tempfile.TemporaryDirectory() as target:
        call = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"]
        call += [f"--target={target}", f"--python-version={python}", "--only-binary=:all:"]
        return subprocess.run(
            [*call, "--require-hashes", *platforms, *locks], capture_output=True, text=True, check=False
        )


def main() -> int:
    """Print a line for each system; 1 if one of them cannot be installed."""
    failed = 0
    for codename, python, glibc in SYSTEMS:
        done = resolve(codename, python, glibc)
        failed |= done.returncode
        verdict = "all wheels" if not done.returncode else done.stderr.strip()
        print(f"{codename} aarch64, Python {python}, glibc 2.{glibc}: {verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
