#!/bin/sh
# Installs Cornet on 64-bit Raspberry Pi OS (bookworm or trixie); run again, it upgrades.
set -eu
umask 022

home=/opt/cornet
venv=$home/venv
settings=/etc/cornet/cornet.toml
data=/var/lib/cornet
boot=/boot/firmware/config.txt
units=/etc/systemd/system
restart=/run/cornet-restart # there until the machine has been restarted with the lines of config.txt
begin='# cornet begin: written by hardware/install.sh, which replaces what is between these lines'
end='# cornet end'

usage() {
    cat <<END
Usage: sudo hardware/install.sh [--kiosk] [--dry-run]
       sudo hardware/install.sh --uninstall [--dry-run]

Installs Cornet on 64-bit Raspberry Pi OS bookworm or trixie as a service that starts with the machine. Run again, it
upgrades; games, pictures and settings stay.

  --kiosk      also show /tv full-screen on the screen that is plugged in (Raspberry Pi with 2 GB or more)
  --uninstall  take everything away again but $data, $settings, the users and the system's packages
  --dry-run    print every step, change nothing
END
}

die() {
    echo "install.sh: $*" >&2
    exit 1
}

# Print a command, and carry it out unless this is a dry run.
run() {
    echo "+ $*"
    [ "$dry" ] || "$@"
}

# Make a file from standard input, whole or not at all; tell `changed` whether it is another one than before.
write() {
    new=$(cat; echo x)
    new=${new%x}
    changed=
    if [ -e "$1" ] && printf %s "$new" | cmp -s - "$1"; then
        echo "= $1"
        return
    fi
    changed=yes
    echo "> $1"
    [ "$dry" ] && return
    mkdir -p "${1%/*}"
    printf %s "$new" >"$1.new"
    sync "$1.new"
    mv -f "$1.new" "$1"
}

check_system() {
    [ -e /etc/rpi-issue ] || die "this is not Raspberry Pi OS: install that on a Raspberry Pi first; plain Debian lacks the camera and GPIO parts."
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
    case $codename in
        bookworm | trixie) ;;
        *) die "Raspberry Pi OS ${codename:-of unknown age} is not supported: install bookworm or trixie." ;;
    esac
    [ "$(dpkg --print-architecture)" = arm64 ] || die "this system is 32-bit: install the 64-bit Raspberry Pi OS."
    [ -e $boot ] || die "$boot is missing: is the boot partition mounted?"
    if [ "$kiosk" ] && [ -L $units/display-manager.service ]; then
        die "a desktop has the screen: use Raspberry Pi OS Lite, or first: sudo systemctl disable display-manager.service"
    fi
}

# The motor's two pins, as the settings say: "12,13".
motor_pins() {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$checkout" python3 - $settings <<'END'
import sys
import tomllib
from pathlib import Path

from firmware.pins import PINS, BadPins, Pins

file = Path(sys.argv[1])
try:
    given = tomllib.loads(file.read_text("utf-8")) if file.exists() else {}
    pins = Pins(**{line.name: given.get(f"pin_{line.name}", line.default) for line in PINS})
    print(f"{pins.motor_forward:d},{pins.motor_reverse:d}")
except (OSError, TypeError, ValueError) as error:
    sys.exit(f"{file}: {error}")
END
}

# config.txt as it is without our lines; a block whose end is missing is left alone.
without_block() {
    awk -v begin="$begin" -v end="$end" '
        $0 == begin { printf "%s", held; held = ""; inside = 1 }
        inside { held = held $0 "\n"; if ($0 == end) { held = ""; inside = 0 }; next }
        { print }
        END { printf "%s", held }' $boot
}

install_system() {
    packages="python3 python3-venv python3-picamera2 python3-lgpio python3-numpy raspi-utils"
    [ "$kiosk" ] && packages="$packages cage chromium fonts-noto-cjk fonts-noto-color-emoji"
    run apt-get update
    # shellcheck disable=SC2086  # a list of words
    run env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
}

add_user() {
    id -u "$1" >/dev/null 2>&1 || run useradd --system --user-group --home-dir "$2" --shell /usr/sbin/nologin "$1"
    run usermod --append --groups "$3" "$1"
}

install_program() {
    run install -d -m 0755 $home
    run install -d -m 0750 -o cornet -g cornet $data
    run python3 -m venv --system-site-packages $venv
    pip="$venv/bin/python -m pip --disable-pip-version-check --no-input --quiet"
    set -- --require-hashes --only-binary :all: -r "$checkout/hardware/requirements-$codename.lock" \
        -r "$checkout/requirements-build.lock"
    # Everything is fetched while the old one still serves: a network that fails now stops nothing.
    # shellcheck disable=SC2086  # a command with its options
    run $pip download --no-deps --dest $home/wheels "$@"
    [ -e $units/cornet.service ] && run systemctl stop cornet.service
    # What apt brought in the very same version stays; everything else is a wheel known by its hash.
    # shellcheck disable=SC2086
    run $pip install --no-deps --no-index --find-links $home/wheels "$@"
    # shellcheck disable=SC2086
    run $pip install --no-deps --no-index --no-build-isolation --force-reinstall "$checkout"
    run rm -rf $home/wheels
    run ln -sfn $venv/bin/cornet /usr/local/bin/cornet
    [ -e $settings ] || write $settings <<END
# Settings of this cornet, one a line, as in: dice = 10
# What there is to set: hardware/SETTINGS.md. After a change: sudo systemctl restart cornet; after a change of a
# pin_motor_... setting: sudo hardware/install.sh and a restart of the machine.
END
}

install_units() {
    write $units/cornet.service <"$checkout/hardware/systemd/cornet.service"
    write $units/cornet.service.d/motor-pins.conf <<END
[Service]
Environment=MOTOR_PINS=$pins
END
    write /etc/systemd/system.conf.d/cornet.conf <<END
# The watchdog of the Raspberry Pi starts it anew where the kernel hangs; it can wait 15 s at most.
[Manager]
RuntimeWatchdogSec=14
END
    write /etc/modules-load.d/cornet.conf <<END
i2c-dev
END
    run systemctl daemon-reload
    run systemctl enable cornet.service
    if [ "$kiosk" ]; then
        add_user cornet-kiosk /var/lib/cornet-kiosk video,render,input
        run install -d -m 0700 -o cornet-kiosk -g cornet-kiosk /var/lib/cornet-kiosk
        write $units/cornet-kiosk.service <"$checkout/hardware/systemd/cornet-kiosk.service"
        run systemctl daemon-reload
        run systemctl enable cornet-kiosk.service
    fi
}

install_all() {
    checkout=$(cd "$(dirname "$0")/.." && pwd)
    pins=$(motor_pins) || die "$settings cannot be used: mend it, or move it away."
    install_system
    add_user cornet $data gpio,i2c,video,render
    install_program
    install_units
    kept=$(without_block)
    write $boot <<END
$kept
$begin
[all]
# A pin whose program has died goes back to what it is without one: the motor stops.
dtparam=strict_gpiod
# Until the program starts, the motor's pins are low.
gpio=$pins=op,dl
dtparam=i2c_arm=on
dtparam=watchdog=on
dtoverlay=gpio-shutdown,gpio_pin=21
$end
END
    [ "$changed" ] && run touch $restart
    if [ "$changed" ] || [ -e $restart ]; then
        echo "Cornet is installed. The bartender's PIN: sudo -u cornet cornet pin --data $data"
        echo "Restart the machine (sudo reboot): only then are the motor's pins safe."
    else
        run systemctl restart cornet.service
        [ "$kiosk" ] && run systemctl restart cornet-kiosk.service
        echo "Cornet is up to date and running: http://$(hostname).local:8421"
    fi
}

uninstall() {
    for unit in cornet-kiosk.service cornet.service; do
        [ -e $units/$unit ] || continue
        run systemctl disable --now $unit
        run rm -rf $units/$unit $units/$unit.d
    done
    run rm -f /etc/systemd/system.conf.d/cornet.conf /etc/modules-load.d/cornet.conf /usr/local/bin/cornet
    run rm -rf $home
    run systemctl daemon-reload
    kept=$(without_block)
    write $boot <<END
$kept
END
    echo "Cornet is gone. Still here: $data (games and pictures), ${settings%/*} (settings), the user cornet."
}

dry='' kiosk='' action=install_all
for word in "$@"; do
    case $word in
        --dry-run) dry=yes ;;
        --kiosk) kiosk=yes ;;
        --uninstall) action=uninstall ;;
        --help) usage && exit ;;
        *) usage >&2 && exit 2 ;;
    esac
done
check_system
[ "$dry" ] || [ "$(id -u)" = 0 ] || die "this needs the rights of the administrator: sudo hardware/install.sh"
$action
