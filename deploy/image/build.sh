#!/bin/sh
# Build the image of a card that boots a Raspberry Pi 3 or 4 into Debian with Scharten; needs root.
# usage: build.sh PACKAGE.deb KEY.pub OUT.img
# KEY.pub is the public SSH key of the owner: the image has no password. `make tools ARGS=image` installs what this needs.
set -eu
[ $# -eq 3 ] || { sed -n 2,4p "$0" >&2; exit 2; }
package=$1 key=$2 out=$3 here=$(dirname "$0")
for tool in mmdebstrap mke2fs mkfs.vfat mcopy sfdisk; do
    PATH=$PATH:/sbin:/usr/sbin command -v "$tool" >/dev/null || { echo "$tool is missing: make tools ARGS=image" >&2; exit 1; }
done
export PATH="$PATH:/sbin:/usr/sbin"
case $(dpkg-deb -f "$package" Version) in
    *+deb12*) suite=bookworm ;;
    *+deb13*) suite=trixie ;;
    *) echo "$package names no release of Debian (+deb12, +deb13)" >&2; exit 1 ;;
esac
machine=$(dpkg-deb -f "$package" Architecture)
# The firmware's package copies kernel and boot loader to /boot/firmware. A PC's container has no kernel of its own.
case $machine in arm64) kernel=linux-image-arm64,raspi-firmware,firmware-brcm80211,zstd ;; *) kernel="" ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --architectures="$machine" --variant=minbase --components=main,non-free-firmware \
    --include="systemd-sysv,systemd-timesyncd,udev,dbus,openssh-server,ca-certificates,iproute2,fdisk,e2fsprogs${kernel:+,$kernel}" \
    --essential-hook='install -d "$1/etc/initramfs-tools/conf.d" "$1/etc/initramfs-tools/hooks"' \
    --essential-hook='echo MODULES=list > "$1/etc/initramfs-tools/conf.d/card"' \
    --essential-hook="install -m 755 '$here/initramfs_hook.sh' \"\$1/etc/initramfs-tools/hooks/card\"" \
    --customize-hook="cp '$package' \"\$1/root/scharten.deb\"" \
    --customize-hook='chroot "$1" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q /root/scharten.deb' \
    --customize-hook="sh '$here/settings.sh' \"\$1\" '$key'" \
    "$suite" "$work/root"
sh "$here/card.sh" "$work/root" "$out"
