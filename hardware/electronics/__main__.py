"""`python -m hardware.electronics`: makes the WireViz file and the summary, and says what does not hold."""

import sys

from hardware.electronics.circuit import checks, summary
from hardware.electronics.harness import FOLDER, faults, wireviz


def main() -> int:
    """The command; 1 if something does not hold."""
    (FOLDER / "wiring.yml").write_text(wireviz(), "utf-8")
    (FOLDER / "SUMMARY.md").write_text(summary(), "utf-8")
    wrong = [*faults(), *(f"Does not hold: {one.rule}: {one.value}, {one.bound}." for one in checks() if not one.holds)]
    sys.stdout.write("".join(f"{line}\n" for line in wrong) or "Pins, parts and wiring agree; every rule holds.\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
