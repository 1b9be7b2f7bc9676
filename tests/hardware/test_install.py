"""The installer over fake system folders in a mount namespace, with stubs for every command that changes things."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSTALL = ROOT / "hardware" / "install.sh"
CONFIG = "# For more options see the documentation\ndtparam=audio=on\n\n[cm5]\ndtoverlay=dwc2\n\n[all]\n"

# Logs its call; what later steps need of it, it does.
STUB = """#!/bin/sh
echo "${0##*/} $*" >>"$STUB_LOG"
case "${0##*/} $*" in
    "id -u") echo 0 ;;
    "id -u cornet"*) [ -e "/etc/user $2" ] ;;
    useradd*) : >"/etc/user $7" ;;
    "dpkg --print-architecture") echo "$STUB_ARCHITECTURE" ;;
    "hostname "*) echo bar ;;
    "python3 -m venv"*)
        for folder in "$@"; do :; done
        mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python"
        ;;
    "python "*" download "*) [ "$STUB_ONLINE" = yes ] ;;
    "python3 -"*) exec "$STUB_PYTHON" "$@" ;;
esac
"""
STUBS = ("apt-get", "systemctl", "useradd", "usermod", "dpkg", "hostname", "python3", "id", "install")
FOLDERS = ("etc", "boot", "opt", "run", "usr/local/bin")
# The fake folders are laid over the real ones; nothing of this is seen outside, and it ends with the process.
ENTER = 'for folder in {}; do mount --bind $FAKE/$folder /$folder || exit 99; done; exec sh {} "$@"'


class Machine:
    """A system as the installer sees it."""

    def __init__(self, folder: Path, codename: str = "bookworm", architecture: str = "arm64") -> None:
        self.folder, self.architecture = folder, architecture
        for name in FOLDERS:
            (folder / name).mkdir(parents=True)
        self.write("etc/rpi-issue", "Raspberry Pi reference 2026-05-06\n")
        self.write("etc/os-release", f'PRETTY_NAME="Debian GNU/Linux"\nVERSION_CODENAME={codename}\n')
        self.write("boot/firmware/config.txt", CONFIG)
        (folder / "stubs").mkdir()
        for name in STUBS:
            self.write(f"stubs/{name}", STUB).chmod(0o755)
        # Debian finds awk by way of /etc.
        (folder / "stubs" / "awk").symlink_to(Path(shutil.which("awk") or "/usr/bin/awk").resolve())

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def read(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")

    def files(self) -> dict[str, bytes]:
        kept = (path for name in FOLDERS for path in (self.folder / name).rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in kept}

    def install(self, *words: str, online: bool = True) -> subprocess.CompletedProcess[str]:
        (self.folder / "log").write_text("")
        environment = {
            "PATH": f"{self.folder / 'stubs'}:/usr/sbin:/usr/bin:/sbin:/bin",
            "FAKE": str(self.folder),
            "STUB_LOG": str(self.folder / "log"),
            "STUB_ARCHITECTURE": self.architecture,
            "STUB_PYTHON": sys.executable,
            "STUB_ONLINE": "yes" if online else "no",
        }
        enter = ENTER.format(" ".join(FOLDERS), shlex.quote(str(INSTALL)))
        call = ["unshare", "--map-root-user", "--mount", "sh", "-c", enter, "sh", *words]
        return subprocess.run(call, capture_output=True, text=True, env=environment, check=False)

    def calls(self) -> list[str]:
        return self.read("log").splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., Machine]:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("there is no unshare here: the installer is tried in a mount namespace")
    if any(Path(sys.executable).resolve().is_relative_to(Path("/", folder)) for folder in FOLDERS):
        pytest.skip(f"{sys.executable} would be hidden by the fake folders: use a Python that lies elsewhere")
    trial = subprocess.run(
        [unshare, "--map-root-user", "--mount", "mount", "--bind", str(tmp_path), "/opt"],
        capture_output=True,
        check=False,
    )
    if trial.returncode:
        pytest.skip(f"no mount namespace can be made here: {trial.stderr.decode().strip()}")
    return lambda **about: Machine(tmp_path / "machine", **about)


def test_an_upgrade_that_cannot_be_fetched_leaves_the_old_one_running(machine: Callable[..., Machine]) -> None:
    pi = machine()
    assert pi.install().returncode == 0
    assert pi.install(online=False).returncode
    assert not [call for call in pi.calls() if call.startswith("systemctl stop")]


def test_on_another_system_it_refuses_in_one_sentence(machine: Callable[..., Machine]) -> None:
    debian = machine()
    (debian.folder / "etc" / "rpi-issue").unlink()
    done = debian.install()
    assert (done.returncode, done.stdout) == (1, "")
    assert "this is not Raspberry Pi OS" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not [call for call in debian.calls() if not call.startswith(("dpkg", "id"))]


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"codename": "bullseye"}, "Raspberry Pi OS bullseye is not supported"),
        ({"architecture": "armhf"}, "this system is 32-bit"),
    ],
)
def test_an_old_or_32_bit_system_is_refused(machine: Callable[..., Machine], about: dict[str, str], words: str) -> None:
    done = machine(**about).install("--dry-run")
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_television_on_a_system_with_a_desktop_is_refused(machine: Callable[..., Machine]) -> None:
    pi = machine()
    (pi.folder / "etc/systemd/system").mkdir(parents=True)
    (pi.folder / "etc/systemd/system/display-manager.service").symlink_to("/lib/systemd/system/lightdm.service")
    done = pi.install("--kiosk")
    assert done.returncode == 1
    assert "disable display-manager.service" in done.stderr
    assert pi.install().returncode == 0


def test_a_wrong_word_is_refused(machine: Callable[..., Machine]) -> None:
    done = machine().install("--purge")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage:")


@pytest.mark.parametrize("codename", ["bookworm", "trixie"])
def test_a_dry_run_says_everything_and_changes_nothing(machine: Callable[..., Machine], codename: str) -> None:
    pi = machine(codename=codename)
    before = pi.files()
    done = pi.install("--dry-run", "--kiosk")
    assert (done.returncode, done.stderr) == (0, "")
    assert pi.files() == before
    assert {call.split()[0] for call in pi.calls()} <= {"dpkg", "id", "python3"}
    steps = done.stdout.splitlines()
    for step in (
        "+ apt-get update",
        "+ useradd --system --user-group --home-dir /var/lib/cornet --shell /usr/sbin/nologin cornet",
        "+ python3 -m venv --system-site-packages /opt/cornet/venv",
        "> /etc/systemd/system/cornet.service",
        "> /etc/systemd/system/cornet-kiosk.service",
        "> /boot/firmware/config.txt",
    ):
        assert step in steps
    assert f"requirements-{codename}.lock" in done.stdout
    # A name may be written in any letters.
    assert any(step.endswith(" cage chromium fonts-noto-cjk fonts-noto-color-emoji") for step in steps)
    installed = pi.install("--kiosk")
    assert [step for step in steps if step.startswith(("+", ">"))] == [
        step for step in installed.stdout.splitlines() if step.startswith(("+", ">"))
    ]


def test_it_installs_and_says_that_a_restart_is_needed(machine: Callable[..., Machine]) -> None:
    pi = machine()
    done = pi.install()
    assert (done.returncode, done.stderr) == (0, "")
    assert "only then are the motor's pins safe" in done.stdout
    assert "systemctl enable cornet.service" in pi.calls()
    assert not [call for call in pi.calls() if "restart" in call or "start " in call]
    assert pi.read("etc/systemd/system/cornet.service") == (ROOT / "hardware/systemd/cornet.service").read_text()
    assert "Environment=MOTOR_PINS=12,13\n" in pi.read("etc/systemd/system/cornet.service.d/motor-pins.conf")
    config = pi.read("boot/firmware/config.txt")
    assert config.startswith(CONFIG)
    block = config.removeprefix(CONFIG).splitlines()
    assert block[0].startswith("# cornet begin")
    assert block[-1] == "# cornet end"
    assert {"[all]", "dtparam=strict_gpiod", "gpio=12,13=op,dl", "dtparam=watchdog=on"} <= set(block)
    assert (pi.folder / "usr/local/bin/cornet").readlink() == Path("/opt/cornet/venv/bin/cornet")


def test_run_again_it_upgrades_and_changes_nothing_that_is_ours_already(machine: Callable[..., Machine]) -> None:
    pi = machine()
    pi.install()
    settings = pi.write("etc/cornet/cornet.toml", "dice = 5\n")
    first = pi.files()
    again = pi.install()
    assert (again.returncode, again.stderr) == (0, "")
    assert pi.files() == first
    assert settings.read_text() == "dice = 5\n"
    assert not [line for line in again.stdout.splitlines() if line.startswith(">")]
    assert "systemctl stop cornet.service" in pi.calls()
    assert "Restart the machine" in again.stdout, "the machine has not been restarted since config.txt changed"
    (pi.folder / "run" / "cornet-restart").unlink()
    third = pi.install()
    assert pi.calls()[-2:] == ["systemctl restart cornet.service", "hostname "]
    assert "http://bar.local:8421" in third.stdout


def test_the_motors_pins_are_those_of_the_settings(machine: Callable[..., Machine]) -> None:
    pi = machine()
    pi.install()
    pi.write("etc/cornet/cornet.toml", "pin_motor_forward = 18\n")
    done = pi.install()
    assert "> /boot/firmware/config.txt" in done.stdout
    config = pi.read("boot/firmware/config.txt")
    assert "gpio=18,13=op,dl" in config
    assert "gpio=12" not in config
    assert config.count("# cornet begin") == config.count("# cornet end") == 1
    assert "MOTOR_PINS=18,13\n" in pi.read("etc/systemd/system/cornet.service.d/motor-pins.conf")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("pin_motor_forward =", ""),
        ("pin_motor_forward = 3", "motor_forward"),  # pulled high from power-on
        ("pin_motor_forward = 17", "button"),
        ("pin_motor_forward = 12.5", ""),
    ],
)
def test_settings_that_are_wrong_stop_it_before_anything_is_done(
    machine: Callable[..., Machine], settings: str, says: str
) -> None:
    pi = machine()
    pi.write("etc/cornet/cornet.toml", settings)
    before = pi.files()
    done = pi.install()
    assert done.returncode == 1
    why, what = done.stderr.splitlines()
    assert why.startswith("/etc/cornet/cornet.toml: ")
    assert says in why
    assert what == "install.sh: /etc/cornet/cornet.toml cannot be used: mend it, or move it away."
    assert pi.files() == before


def test_lines_after_ours_and_a_block_without_end_are_kept(machine: Callable[..., Machine]) -> None:
    pi = machine()
    pi.install()
    begin = next(line for line in pi.read("boot/firmware/config.txt").splitlines() if line.startswith("# cornet begin"))
    pi.write("boot/firmware/config.txt", f"{begin}\ngpio=9=op,dh\n# cornet end\nhdmi_group=1\n{begin}\ncamera=1\n")
    pi.install("--uninstall")
    assert pi.read("boot/firmware/config.txt") == f"hdmi_group=1\n{begin}\ncamera=1\n"


def test_taken_away_it_leaves_games_and_settings(machine: Callable[..., Machine]) -> None:
    pi = machine()
    before = pi.files()
    pi.install("--kiosk")
    done = pi.install("--uninstall")
    assert (done.returncode, done.stderr) == (0, "")
    assert "systemctl disable --now cornet.service" in pi.calls()
    assert "systemctl disable --now cornet-kiosk.service" in pi.calls()
    assert not [call for call in pi.calls() if "/var/lib/cornet" in call or "userdel" in call or "apt-get" in call]
    left = {"etc/cornet/cornet.toml", "etc/user cornet", "etc/user cornet-kiosk", "run/cornet-restart"}
    assert set(pi.files()) == set(before) | left
    assert pi.read("boot/firmware/config.txt").strip() == CONFIG.strip()


def test_what_is_left_out_by_mistake_is_found_by_shellcheck() -> None:
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("shellcheck is not installed: apt install shellcheck")
    done = subprocess.run([shellcheck, str(INSTALL)], capture_output=True, text=True, check=False)
    assert done.stdout == ""
