#!/bin/sh
# Installs Debian's Chromium for the browser tests where that is possible; says why they are skipped where not.
# The one without windows is asked for first: its pages are the same and cost half as much.
set -eu
if command -v chromium-headless-shell >/dev/null 2>&1; then
    exit 0
fi
without="none, so the browser tests will be skipped"
if command -v chromium >/dev/null 2>&1; then
    without="the one with windows, so the browser tests take longer"
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "No chromium-headless-shell and no apt-get here: there is $without."
elif [ "$(id -u)" != 0 ]; then
    echo "No chromium-headless-shell and no root here: there is $without. Run: sudo apt-get install chromium-headless-shell"
else
    echo "Installing Chromium for the browser tests"
    export DEBIAN_FRONTEND=noninteractive
    install="apt-get install -y --no-install-recommends fonts-dejavu-core"
    { apt-get update && { $install chromium-headless-shell || $install chromium; }; } >/dev/null 2>&1 ||
        echo "chromium-headless-shell could not be installed: there is $without. Run: apt-get install chromium-headless-shell"
fi
