"""Whether everything that the Raspberry Pi installs comes as wheels: `python tests/benchmarks/resolve_aarch64.py`.

Asks the package index, and installs nothing. What pip chose is written to tests/cases/wheels, for the suite, which asks
nobody: each wheel's name and hash, and what it requires.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "cases" / "wheels"
SYSTEMS = (("bookworm", "3.11", 36), ("trixie", "3.13", 41))
"""Raspberry Pi OS, its Python, its glibc 2.x."""


def resolve(codename: str, python: str, glibc: int) -> subprocess.CompletedProcess[str]:
    """What pip would install on that system from the locked versions, wheels only: a report, or why not."""
    # Each glibc runs the wheels of the older ones.
    platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in range(17, glibc + 1)]
    locks = [
        f"--requirement={ROOT / name}" for name in (f"hardware/requirements-{codename}.lock", "requirements-build.lock")
    ]
    with tempfile.TemporaryDirectory() as target:
        call = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"]
        call += [f"--target={target}", f"--python-version={python}", "--only-binary=:all:", "--report=-"]
        return subprocess.run(
            [*call, "--require-hashes", *platforms, *locks], capture_output=True, text=True, check=False
        )


def kept(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What stays of pip's report: neither where a wheel lies nor by whom it was asked for."""
    return {
        item["download_info"]["url"].rpartition("/")[2]: {
            "sha256": item["download_info"]["archive_info"]["hashes"]["sha256"],
            "requires": [each for each in item["metadata"].get("requires_dist", []) if "extra ==" not in each],
        }
        for item in sorted(report["install"], key=lambda item: item["metadata"]["name"].lower())
    }


def main() -> int:
    """Print a line for each system; 1 if one of them cannot be installed."""
    failed = 0
    for codename, python, glibc in SYSTEMS:
        done = resolve(codename, python, glibc)
        failed |= done.returncode
        verdict = "all wheels" if not done.returncode else done.stderr.strip()
        print(f"{codename} aarch64, Python {python}, glibc 2.{glibc}: {verdict}")
        if not done.returncode:
            (KEPT / f"{codename}.json").write_text(f"{json.dumps(kept(json.loads(done.stdout)), indent=1)}\n", "utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
