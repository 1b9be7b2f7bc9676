"""Who may import whom: that tower and reader cannot know who plays for what is the fairness argument."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "server.rules": {"server.rules"},
    "firmware": {"firmware"},
    "vision": {"vision"},
    "calibration": {"calibration", "vision", "firmware"},
    "server": {"server", "server.rules", "calibration", "vision", "firmware"},
    # Not installed with the program, so nothing of it may need them.
    "hardware": {"hardware", "server", "server.rules", "calibration", "vision", "firmware"},
    "tests": {"tests", "hardware", "server", "server.rules", "calibration", "vision", "firmware"},
}
TWIN = ("server.parts", "hardware.twin.tower")
"""The one exception: --tower twin looks for the twin beside the program, and says where it is not."""
DRIVERS = {
    "gpiozero": "firmware.",
    "lgpio": "firmware.",
    "smbus2": "firmware.",
    "picamera2": "vision.",
    "flask": "server.",
    "waitress": "server.",
}
REAL_PARTS = {"firmware.gpio.open_tower", "vision.picam.PiCamera", "vision.usb.UsbCamera"}
FILES = sorted(
    path
    for folder in ("firmware", "vision", "calibration", "server", "hardware")
    for path in (ROOT / folder).rglob("*.py")
)

# Runs in a process of its own, in which only what requirements.lock names can be imported.
LOAD_COMMANDS = """
import importlib, re, sys
from importlib.metadata import packages_distributions

locked = set(sys.argv[1:])
extra = {
    top
    for top, names in packages_distributions().items()
    if not locked & {re.sub("[-_.]+", "-", name).lower() for name in names}
}

class OnlyLocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in extra:
            raise ModuleNotFoundError(f"{name} is not in requirements.lock", name=name)

sys.meta_path.insert(0, OnlyLocked())
try:
    import pytest
except ModuleNotFoundError:
    from server.cli import COMMANDS
    for command in COMMANDS:
        importlib.import_module(f"server.commands.{command}")
    print(len(COMMANDS))
"""


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def layer_of(module: str) -> str | None:
    return next((layer for layer in MAY_IMPORT if module == layer or module.startswith(layer + ".")), None)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield ast.unparse(node.args[0]).strip("f'")


def breaches(module: str, imported: str) -> bool:
    layer, other = layer_of(module), layer_of(imported)
    assert layer is not None
    if other is not None:
        return other not in MAY_IMPORT[layer]
    top = imported.split(".")[0]
    if (ROOT / top).is_dir():
        return True  # a folder of the checkout that is no layer
    if layer == "server.rules":
        return top not in sys.stdlib_module_names
    return top in DRIVERS and not module.startswith(DRIVERS[top])


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    module = module_of(path)
    assert not [name for name in imports(path) if breaches(module, name) and (module, name) != TWIN]


def test_the_exception_is_one() -> None:
    assert TWIN[1] in set(imports(ROOT / "server" / "parts.py"))
    assert breaches(*TWIN)


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("vision.reader", "server.table.Table"),
        ("vision.reader", "firmware.tower"),
        ("firmware.simulated", "vision.reader"),
        ("server.rules.game", "server.record"),
        ("server.rules.game", "numpy"),
        ("calibration.tray", "server.log"),
        ("vision.camera", "flask"),
        ("vision.rest", "hardware.electronics.circuit"),
        ("server.table", "hardware"),
        ("server.table", "tests.words"),
        ("hardware.twin.tower", "tests.words"),
    ],
)
def test_a_breach_is_seen(module: str, imported: str) -> None:
    assert breaches(module, imported)


def test_real_parts_are_chosen_in_one_place() -> None:
    assert {module_of(path) for path in FILES if REAL_PARTS & set(imports(path))} == {"server.parts"}


def test_only_simulations_come_from_the_simulator() -> None:
    taken = {name for path in FILES for name in imports(path) if name.startswith("firmware.simulated")}
    assert taken == {"firmware.simulated.SimulatedTower", "firmware.simulated.Lying"}


def test_every_layer_has_files() -> None:
    assert {layer_of(module_of(path)) for path in FILES} == set(MAY_IMPORT) - {"tests"}


def test_every_command_loads_where_only_the_locked_packages_of_the_base_are_installed() -> None:
    locked = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    call = [sys.executable, "-c", LOAD_COMMANDS, "cornet", *locked]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert int(done.stdout) == len(list((ROOT / "server" / "commands").glob("[a-z]*.py"))) - len({"screen", "words"})
