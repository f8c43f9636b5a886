#!/bin/sh
# List the missing Debian packages of a set, with their size, then install them. `make test` runs without any of them.
# usage: install_tools.sh [least|all|trial|image|machine]
set -u
least="chromium-headless-shell fonts-dejavu-core gcc libc6-dev make mosquitto"
all="$least apt-utils arduino-core-avr avr-libc binutils-avr dosfstools e2fsprogs fairy-stockfish fdisk fonts-noto-core gcc-arm-none-eabi gcc-avr gnupg graphviz libnewlib-arm-none-eabi libsimavr-dev mosquitto-clients mtools postgresql stockfish strace systemd"
command -v npm >/dev/null 2>&1 || all="$all nodejs npm"
brokers="rabbitmq-server nats-server ejabberd"
# `make machine` emulates a whole machine, of another processor too.
machine="arch-test e2fsprogs mmdebstrap openssh-client qemu-system-arm qemu-system-x86 qemu-user-static qemu-utils"
case "${1:-least}" in
    least) wanted=$least ;;
    all) wanted=$all ;;
    trial) wanted="mosquitto $brokers" ;;
    image) wanted="dosfstools e2fsprogs fdisk mmdebstrap mtools qemu-user-static" ;;
    machine) wanted="$all $machine" ;;
    *) echo "usage: $0 [least|all|trial|image|machine]"; exit 2 ;;
esac
command -v dpkg-query >/dev/null 2>&1 || { echo "This is not Debian. Install these yourself: $wanted"; exit 0; }
missing=""
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
root=""
[ "$(id -u)" = 0 ] || root="sudo"
if [ -n "$missing" ]; then
    [ -z "${CI:-}" ] || $root apt-get update -qq
    echo "missing:$missing"
    LC_ALL=C apt-get install --assume-no --no-install-recommends $missing 2>&1 | grep -E '^(Need to get|After this|E:)' || :
    # Tests start their own brokers. The system's must not listen, now or after a restart.
    for broker in $brokers; do
        case "$missing " in *" $broker "*) command -v systemctl >/dev/null && $root systemctl mask -q "$broker" ;; esac
    done
    DEBIAN_FRONTEND=noninteractive $root apt-get install -qq -y --no-install-recommends $missing >/dev/null || exit 1
fi
# The simulator of the Pico's chip, at the version of tests/firmware/package-lock.json.
[ "${1:-least}" != all ] || [ -f tests/firmware/node_modules/rp2040js/dist/esm/index.js ] || npm ci --silent --no-audit --no-fund --prefix tests/firmware || exit 1
echo "installed: $wanted"
