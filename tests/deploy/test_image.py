"""The recipe of a Raspberry Pi's card: its settings, and the image that is made from a root folder.

The Debian in it comes from the network, and is not made here: `deploy/README.md` has the command.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

RECIPE = Path(__file__).parents[2] / "deploy" / "image"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample owner@home\n"
BUILD_ONLY = ("etc/initramfs-tools/conf.d/card", "etc/initramfs-tools/hooks/card")
PATH = f"{os.environ['PATH']}:/sbin:/usr/sbin"


def root_folder(folder: Path) -> Path:
    """The folders of a Debian that the recipe writes to, with what a package manager leaves behind."""
    root = folder / "root"
    for name in ("root", "etc/ssh", "etc/default", "etc/systemd/system", "boot/firmware/overlays", "usr/bin"):
        (root / name).mkdir(parents=True)
    (root / "root/scharten.deb").write_bytes(b"package")
    for name in BUILD_ONLY:
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("for the build")
    (root / "etc/ssh/ssh_host_ed25519_key").write_text("the builder's")
    (root / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
    (root / "boot/firmware/config.txt").write_text("arm_64bit=1\n")
    (root / "boot/firmware/overlays/disable-bt.dtbo").write_bytes(b"overlay")
    (root / "usr/bin/scharten").write_text("program")
    return root


def configured(folder: Path, key: str = KEY) -> subprocess.CompletedProcess[str]:
    """Run the settings on a new root folder."""
    (folder / "key.pub").write_text(key)
    command = ["sh", str(RECIPE / "settings.sh"), str(root_folder(folder)), str(folder / "key.pub")]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_card_has_no_password_and_no_secret_of_its_builder(tmp_path: Path) -> None:
    """The owner's key alone opens it; host keys, machine id and the package's file are not copied to every card."""
    assert configured(tmp_path).returncode == 0
    root = tmp_path / "root"
    assert (root / "root/.ssh/authorized_keys").read_text() == KEY
    assert (root / "root/.ssh/authorized_keys").stat().st_mode & 0o777 == 0o600
    assert "PasswordAuthentication no" in (root / "etc/ssh/sshd_config.d/scharten.conf").read_text()
    assert not [*root.glob("etc/ssh/ssh_host_*")] and not (root / "root/scharten.deb").exists()
    assert (root / "etc/machine-id").read_text() == ""


def test_a_card_is_made_with_its_drivers_at_once(tmp_path: Path) -> None:
    """The hook copies drivers of disks and cards, not those of sound and network; the card itself does not keep it."""
    modules, made = tmp_path / "modules", tmp_path / "made"
    for name in (
        "drivers/mmc/host/sdhci.ko",
        "fs/ext4/ext4.ko.xz",
        "sound/core/snd.ko",
        "drivers/net/usb/asix.ko",
    ):
        (modules / "kernel" / name).parent.mkdir(parents=True)
        (modules / "kernel" / name).write_text(name)
    given = {**os.environ, "MODULESDIR": str(modules), "DESTDIR": str(made), "version": "6.1.0"}
    subprocess.run(["sh", RECIPE / "initramfs_hook.sh", "prereqs"], env=given, check=True)
    assert not made.exists()
    subprocess.run(["sh", RECIPE / "initramfs_hook.sh"], env=given, check=True)
    copied = [path.relative_to(made) for path in made.rglob("*.ko*")]
    assert sorted(map(str, copied)) == [
        "lib/modules/6.1.0/kernel/drivers/mmc/host/sdhci.ko",
        "lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz",
    ]
    assert configured(tmp_path).returncode == 0
    assert not [name for name in BUILD_ONLY if (tmp_path / "root" / name).exists()]


def test_a_card_without_an_owner_is_refused(tmp_path: Path) -> None:
    """A file that is no public key, such as the private one: named, and no image is made."""
    done = configured(tmp_path, "-----BEGIN OPENSSH PRIVATE KEY-----\n")
    assert done.returncode == 1 and "is no public SSH key" in done.stderr
    assert not (tmp_path / "root/root/.ssh").exists()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_a_card_starts_with_units_that_systemd_accepts(tmp_path: Path) -> None:
    """The first start's unit is enabled and valid, the network comes by cable, the page answers in the network, and a
    firmware partition that cannot be read stops no start: nobody can log in to an emergency shell."""
    assert configured(tmp_path).returncode == 0
    etc = tmp_path / "root/etc"
    unit = etc / "systemd/system/scharten-card.service"
    wanted = etc / "systemd/system/multi-user.target.wants"
    assert (wanted / unit.name).resolve() == unit.resolve()
    network = (wanted / "systemd-networkd.service").readlink()
    assert str(network) == "/usr/lib/systemd/system/systemd-networkd.service"
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True)
    assert "scharten-card" not in done.stderr, done.stderr
    assert "DHCP=yes" in (etc / "systemd/network/20-cable.network").read_text()
    assert "--host 0.0.0.0" in (etc / "default/scharten").read_text()
    mounts = {line.split()[1]: line.split()[3] for line in (etc / "fstab").read_text().splitlines()}
    assert "nofail" in mounts["/boot/firmware"].split(",")


@pytest.mark.long
def test_a_card_has_the_boot_files_and_the_root(tmp_path: Path) -> None:
    """A FAT partition with kernel and overlays and an ext4 partition with the program, where the table says."""
    missing = [
        tool
        for tool in ("mke2fs", "mkfs.vfat", "mcopy", "sfdisk", "debugfs")
        if not shutil.which(tool, path=PATH)
    ]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not installed")
    root, image = root_folder(tmp_path), tmp_path / "card.img"
    environment = {**os.environ, "PATH": PATH}

    def run(*command: object) -> str:
        words = list(map(str, command))
        return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout

    run("sh", RECIPE / "card.sh", root, image)
    table = run("sfdisk", "--dump", image)
    (first, second) = [line for line in table.splitlines() if line.startswith(str(image))]
    assert "type=c, bootable" in first and "type=83" in second
    start = int(second.split("start=")[1].split(",")[0]) * 512
    assert "disable-bt.dtbo" in run("mdir", "-b", "-i", f"{image}@@{4 << 20}", "::overlays")
    assert run("mtype", "-i", f"{image}@@{4 << 20}", "::config.txt") == "arm_64bit=1\n"
    assert run("debugfs", "-R", "cat /usr/bin/scharten", f"{image}?offset={start}") == "program"
    assert "config.txt" not in run("debugfs", "-R", "ls -p /boot/firmware", f"{image}?offset={start}")
    assert not [*tmp_path.glob("card.img.*")], "no half image stays"
