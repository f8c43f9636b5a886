#!/bin/sh
# Write the settings of a card into a root folder that has the package.
# usage: settings.sh ROOT KEY.pub
set -eu
root=$1 key=$2
grep -qE '^(ssh|ecdsa|sk)-' "$key" || { echo "$key is no public SSH key" >&2; exit 1; }
rm -f "$root/root/scharten.deb" "$root/etc/initramfs-tools/conf.d/card" "$root/etc/initramfs-tools/hooks/card"
echo scharten > "$root/etc/hostname"
printf '127.0.0.1 localhost\n::1 localhost\n127.0.1.1 scharten\n' > "$root/etc/hosts"
# A firmware partition that cannot be read must not end the start in a shell that nobody can open.
printf 'LABEL=scharten / ext4 noatime,errors=remount-ro 0 1\nLABEL=FIRMWARE /boot/firmware vfat umask=077,nofail 0 2\n' > "$root/etc/fstab"
# The root by its label, also on a stick. No CMA setting: raspi-firmware warns that one may keep a Raspberry Pi 4 from starting.
if [ -e "$root/etc/default/raspi-firmware" ]; then
    printf 'ROOTPART=LABEL=scharten\nCMA=0\n' >> "$root/etc/default/raspi-firmware"
    chroot "$root" env DEB_MAINT_PARAMS=configure /etc/kernel/postinst.d/z50-raspi-firmware
fi
# The owner comes in with a key; nobody comes in with a password.
install -d -m 0700 "$root/root/.ssh"
install -m 0600 "$key" "$root/root/.ssh/authorized_keys"
install -d "$root/etc/ssh/sshd_config.d"
echo 'PasswordAuthentication no' > "$root/etc/ssh/sshd_config.d/scharten.conf"
# Each card makes its own host keys and machine id at its first start, and grows to its size.
rm -f "$root"/etc/ssh/ssh_host_*
: > "$root/etc/machine-id"
install -d "$root/etc/systemd/system/multi-user.target.wants" "$root/etc/systemd/network"
cat > "$root/etc/systemd/system/scharten-card.service" <<'UNIT'
[Unit]
Description=The first start of a card: host keys, and the whole size
ConditionPathExists=!/etc/ssh/ssh_host_ed25519_key
Before=ssh.service scharten.service
After=local-fs.target

[Service]
Type=oneshot
ExecStart=/usr/bin/ssh-keygen -A
ExecStart=-/bin/sh -c 'disk=$$(lsblk -no pkname "$$(findmnt -no source /)") && echo ", +" | sfdisk --no-reread -N 2 "/dev/$$disk" && partx -u "/dev/$$disk" && resize2fs "$$(findmnt -no source /)"'

[Install]
WantedBy=multi-user.target
UNIT
ln -sf ../scharten-card.service "$root/etc/systemd/system/multi-user.target.wants/scharten-card.service"
printf '[Match]\nName=e*\n\n[Network]\nDHCP=yes\n' > "$root/etc/systemd/network/20-cable.network"
ln -sf /usr/lib/systemd/system/systemd-networkd.service "$root/etc/systemd/system/multi-user.target.wants/systemd-networkd.service"
# The page answers in the network: a card has no screen until somebody connects one.
echo 'SCHARTEN_OPTIONS=--host 0.0.0.0' > "$root/etc/default/scharten"
