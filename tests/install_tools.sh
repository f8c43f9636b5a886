#!/bin/sh
# Installs the Debian packages that some tests need; where apt may not, those tests skip and say so.
set -u
brokers="rabbitmq-server nats-server ejabberd"
wanted="chromium-headless-shell mosquitto mosquitto-clients gcc make gcc-avr avr-libc binutils-avr libsimavr-dev gcc-arm-none-eabi libnewlib-arm-none-eabi graphviz fonts-dejavu-core fonts-noto-core postgresql strace systemd $brokers"
command -v npm >/dev/null 2>&1 || wanted="$wanted nodejs npm"
command -v dpkg-query >/dev/null 2>&1 || { echo "not a Debian system: tests that need $wanted skip where they are missing"; exit 0; }
missing=""
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
# The simulator of the Pico's chip, as tests/firmware/package-lock.json pins it.
rp2040js() {
    [ -d tests/firmware/node_modules/rp2040js ] || npm ci --silent --no-audit --no-fund --prefix tests/firmware
}
[ -n "$missing" ] || { rp2040js; exit $?; }
root=""
[ "$(id -u)" = 0 ] || root="sudo -n"
if $root true 2>/dev/null; then
    echo "installing:$missing"
    # Brokers are for tests that start their own: none shall listen on this machine now or after it starts again.
    for broker in $brokers; do
        case "$missing " in *" $broker "*) command -v systemctl >/dev/null && $root systemctl mask -q "$broker" ;; esac
    done
    $root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $root apt-get install -qq -y --no-install-recommends $missing >/dev/null && rp2040js
    exit $?
fi
echo "cannot install (no root):$missing; the tests that need them skip"
