#!/bin/sh
# Build the container's base where no registry is reached: a Debian as small as debian:bookworm-slim, from its packages.
# usage: base.sh OUT.tar [SUITE]   (SOURCE_DATE_EPOCH makes the same file of the same packages)
set -eu
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is missing: sudo apt install mmdebstrap" >&2; exit 1; }
# usr-is-merged in place of usrmerge, which needs all of perl. The options stay in the base, for the Dockerfile's packages.
mmdebstrap --quiet --variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include=usr-is-merged \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/lintian/*' \
    --aptopt='Dir::Cache::pkgcache ""' --aptopt='Dir::Cache::srcpkgcache ""' \
    --aptopt='DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; }' \
    --customize-hook='rm -f "$1/etc/hostname" "$1/etc/resolv.conf"' \
    "${2:-bookworm}" "$1"
