"""Everything that the Raspberry Pi installs is a wheel for it, in the versions of the locks, and nothing is missing.

The wheels are what pip chose; `python tests/benchmarks/resolve_aarch64.py` asks again.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

from tests.benchmarks.resolve_aarch64 import KEPT, ROOT, SYSTEMS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FOUND: dict[str, dict[str, Any]] = {name: json.loads((KEPT / f"{name}.json").read_text()) for name, *_ in SYSTEMS}


def locked(path: Path) -> dict[str, tuple[str, set[str]]]:
    """Version and hashes of each package in a lock."""
    entries = re.findall(r"^([a-z0-9-]+)==(\S+)((?:.*\\\n)*.*)", path.read_text("utf-8"), re.MULTILINE)
    return {name: (version, set(re.findall("sha256:([0-9a-f]{64})", hashes))) for name, version, hashes in entries}


def tags_of(python: str, glibc: int) -> set[Tag]:
    """What a wheel for that Raspberry Pi may be called."""
    major, minor = map(int, python.split("."))
    older = range(17, glibc + 1)
    platforms = ["manylinux2014_aarch64", *(f"manylinux_2_{number}_aarch64" for number in older)]
    interpreter = f"cp{major}{minor}"
    return {
        *cpython_tags((major, minor), [interpreter], platforms),
        *compatible_tags((major, minor), interpreter, platforms),
    }


def wanted() -> Iterator[str]:
    """What the installer asks for, by pyproject.toml."""
    yield from PROJECT["project"]["dependencies"]
    yield from PROJECT["project"]["optional-dependencies"]["pi"]
    yield from PROJECT["build-system"]["requires"]


@pytest.mark.parametrize(("codename", "python", "glibc"), SYSTEMS)
def test_every_locked_package_is_a_wheel_for_the_raspberry_pi(codename: str, python: str, glibc: int) -> None:
    locks = [locked(ROOT / "hardware" / f"requirements-{codename}.lock"), locked(ROOT / "requirements-build.lock")]
    versions = {name: version for lock in locks for name, (version, _) in lock.items()}
    hashes = {digest for lock in locks for _, each in lock.values() for digest in each}
    found = {name: (version, tags) for name, version, _, tags in map(parse_wheel_filename, FOUND[codename])}
    assert {name: str(version) for name, (version, _) in found.items()} == versions
    assert {wheel["sha256"] for wheel in FOUND[codename].values()} <= hashes
    fits = tags_of(python, glibc)
    assert [name for name, (_, tags) in found.items() if not tags & fits] == []


@pytest.mark.parametrize(("codename", "python", "glibc"), SYSTEMS)
def test_every_requirement_is_met_by_a_locked_package(codename: str, python: str, glibc: int) -> None:
    machine = {
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_machine": "aarch64",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }
    versions, requires = {}, {}
    for filename, wheel in FOUND[codename].items():
        name, versions[name], _, _ = parse_wheel_filename(filename)
        requires[name] = wheel["requires"]
    asked, met = list(wanted()), set()
    while asked:
        requirement = Requirement(asked.pop())
        name = canonicalize_name(requirement.name)
        if requirement.marker is not None and not requirement.marker.evaluate(machine):
            continue
        assert name in versions, f"{requirement} is in no lock"
        assert requirement.specifier.contains(versions[name], prereleases=True), f"{requirement}: {versions[name]}"
        if name not in met:
            met.add(name)
            asked += requires[name]
    # It is for the checkout of whoever develops.
    assert {*versions} - met == {"editables"}


def test_a_wheel_for_another_machine_is_not_taken() -> None:
    fits = tags_of("3.13", 41)
    for other in ("cp311-cp311-manylinux_2_28_aarch64", "cp313-cp313-manylinux_2_28_x86_64", "cp313-cp313t-any"):
        _, _, _, tags = parse_wheel_filename(f"numpy-2.2.4-{other}.whl")
        assert not tags & fits
