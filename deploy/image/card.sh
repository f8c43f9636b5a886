#!/bin/sh
# Make the image of a card from a root folder: a FAT partition with /boot/firmware, and the root. No loop device is needed.
# usage: card.sh ROOT OUT.img
set -eu
root=$1 out=$2
boot_mb=256
install -d "$root/boot/firmware"
root_mb=$(($(du -sm --exclude=boot/firmware "$root" | cut -f1) * 5 / 4 + 256))
rm -f "$out" "$out.boot" "$out.root"
truncate -s "${boot_mb}M" "$out.boot"
mkfs.vfat -n FIRMWARE "$out.boot" >/dev/null
for part in "$root"/boot/firmware/*; do
    [ ! -e "$part" ] || mcopy -s -i "$out.boot" "$part" ::
done
rm -rf "$root/boot/firmware"
install -d "$root/boot/firmware"
truncate -s "${root_mb}M" "$out.root"
mke2fs -q -t ext4 -L scharten -d "$root" "$out.root"
truncate -s "$((boot_mb + root_mb + 8))M" "$out"
printf 'label: dos\nstart=4MiB, size=%sMiB, type=c, bootable\nstart=%sMiB, size=%sMiB, type=83\n' \
    "$boot_mb" "$((boot_mb + 4))" "$root_mb" | sfdisk -q "$out"
dd if="$out.boot" of="$out" bs=1M seek=4 conv=notrunc,sparse status=none
dd if="$out.root" of="$out" bs=1M seek="$((boot_mb + 4))" conv=notrunc,sparse status=none
rm -f "$out.boot" "$out.root"
ls -sh "$out"
