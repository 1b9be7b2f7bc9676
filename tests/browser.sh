#!/bin/sh
# Installs Debian's Chromium for the browser tests where that is possible; says why they are skipped where not.
set -eu
if command -v chromium >/dev/null 2>&1; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "No Chromium and no apt-get here: the browser tests will be skipped. Install Chromium to run them."
elif [ "$(id -u)" != 0 ]; then
    echo "No Chromium and no root here: the browser tests will be skipped. Run: sudo apt-get install chromium"
else
    echo "Installing Chromium for the browser tests"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 ||
        echo "Chromium could not be installed: the browser tests will be skipped. Run: apt-get install chromium"
fi
