"""The image of the whole machine: a Debian with the project's package, as a file that qemu boots.

No loop device, no mount and no boot loader: mmdebstrap fills a folder, `mke2fs -d` makes a file system of it, and
qemu gets kernel and initrd as files. Only root may do that. Each layer is kept in the cache under a digest of all
that it depends on.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.deb import newer
from lab.programs import program
from lab.trust.rows import show_progress
from scharten.errors import SchartenError

Make = Callable[[Path], None]
ROOT = Path(__file__).parents[3]
FILES = Path(__file__).parent / "files"
"""Files that are laid over the Debian: network, console, configuration of the board."""
PACKAGES = (
    *("systemd-sysv", "udev", "dbus", "kmod", "procps", "iproute2", "adduser", "debconf", "ca-certificates"),
    *("python3", "openssh-server", "usbip", "e2fsprogs", "make"),
)
UNUSED = (
    *(
        "/usr/share/man/*",
        "/usr/share/locale/*",
        "/lib/modules/*/kernel/sound/*",
        "/lib/modules/*/kernel/drivers/gpu/*",
    ),
    *("/lib/modules/*/kernel/drivers/media/pci/*", "/lib/modules/*/kernel/drivers/net/wireless/*"),
)
CAMERAS = """\
cd "$1/usr/src" && APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get -qq download v4l2loopback-dkms
dpkg -x v4l2loopback-dkms_*.deb "$1" && rm v4l2loopback-dkms_*.deb
kernel=$(ls "$1/lib/modules") && source=$(echo v4l2loopback-*)
chroot "$1" make -s -C "/lib/modules/$kernel/build" M="/usr/src/$source" modules modules_install
chroot "$1" depmod "$kernel"
"""
"""Build the module of a camera that shows what a program writes; the package builds for the running kernel alone."""
BOOT_MODULES = "virtio_pci\nvirtio_blk\next4\n"
SOURCES = ("host", "calibration", "deploy", "pyproject.toml", "requirements.lock", "tests/requirements.lock")
"""The package is built from these, and from documents except the one that holds this command's figures."""
CARD_FILES = {"vmlinuz-*": "vmlinuz", "initrd.img-*": "initrd", "cmdline.txt": "cmdline.txt"}
"""Files of a card's first partition, which its boot loader reads, and their names beside the card."""
DISK_GB = 4
DATA_MB = 256
LATER = (2, 3)
"""The later versions of the package in the machine."""


@dataclass(frozen=True)
class System:
    """A release of Debian with its Python, for an architecture."""

    suite: str = "bookworm"
    python: str = "3.11"
    architecture: str = "amd64"

    @property
    def packages(self) -> tuple[str, ...]:
        """The whole kernel too: Debian's `cloud` kernel has no USB serial drivers and no `vhci-hcd`."""
        return (*PACKAGES, f"linux-image-{self.architecture}", f"linux-headers-{self.architecture}")


SYSTEMS = {
    "debian12": System(),
    "debian13": System("trixie", "3.13"),
    "debian12-arm64": System(architecture="arm64"),
}


@dataclass(frozen=True)
class Image:
    """The files that qemu needs, and the key for ssh."""

    disk: Path
    data: Path
    """An empty file system for /var/lib/scharten."""
    kernel: Path
    initrd: Path
    key: Path
    architecture: str

    @property
    def folder(self) -> Path:
        """The folder of this image, also for files that belong only to it."""
        return self.disk.parent


def build(cache: Path, system: System) -> Image:
    """Return the image of this checkout; a missing layer is made first. Raises `SchartenError`."""
    if os.geteuid() != 0:
        raise SchartenError("Only root can make the image of a machine.", "sudo make machine")
    contents = repr((system, system.packages, UNUSED, BOOT_MODULES, CAMERAS))
    digest = hashlib.sha256(contents.encode()).hexdigest()[:16]
    debian = _layer(cache, "debian", digest, lambda folder: _debian(system, folder))
    package = _layer(
        cache, "package", _digest(ROOT / name for name in SOURCES), lambda folder: _package(system, folder)
    )
    laid = _digest([FILES])
    digest = hashlib.sha256(f"{debian.name} {package.name} {laid}".encode()).hexdigest()[:16]
    whole = _layer(cache, "image", digest, lambda folder: _image(debian, package, folder))
    files = (whole / "disk.raw", whole / "data.raw", debian / "vmlinuz", debian / "initrd", debian / "key")
    return Image(*files, system.architecture)


def build_card(cache: Path) -> Image:
    """Return the card of `make image` of this checkout; a missing layer is made first. Raises `SchartenError`."""
    system = SYSTEMS["debian12-arm64"]
    digest = _digest(ROOT / name for name in SOURCES)
    package = _layer(cache, "package", digest, lambda folder: _package(system, folder))
    folder = _layer(cache, "card", digest, lambda folder: _card(package, folder))
    disk = folder / "disk.raw"
    return Image(disk, disk, folder / "vmlinuz", folder / "initrd", folder / "key", system.architecture)


def _layer(cache: Path, kind: str, digest: str, make: Make) -> Path:
    """Return the folder of a layer; older ones of its kind are deleted when it is made."""
    folder = cache / f"{kind}-{digest}"
    if not folder.exists():
        show_progress(f"making the {kind} in {cache}")
        cache.mkdir(parents=True, exist_ok=True)
        for older in cache.glob(f"{kind}-*"):
            shutil.rmtree(older)
        half = cache / f"{kind}-half"
        half.mkdir()
        make(half)
        half.rename(folder)
    return folder


def _digest(places: Iterable[Path]) -> str:
    """Return a digest of all files below these places that git tracks or would add."""
    found = hashlib.sha256()
    for place in places:
        listed = ["git", "ls-files", "-co", "--exclude-standard", "-z", "--", str(place)]
        done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
        for name in sorted(filter(None, done.stdout.split("\0"))):
            path = ROOT / name
            if path.is_file():
                found.update(name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def _debian(system: System, folder: Path) -> None:
    """The tree of a Debian without the package, and beside it kernel, initrd and key."""
    root = folder / "root"
    early = 'd="$1/etc/initramfs-tools/conf.d"; mkdir -p "$d"; echo MODULES=list > "$d/bench"; '
    early += 'm="$1/usr/share/initramfs-tools/modules.d"; mkdir -p "$m"; '
    early += f"printf '{BOOT_MODULES}'".replace("\n", "\\n") + ' > "$m/bench"'
    command = [program("mmdebstrap"), "--quiet", "--mode=root", "--variant=minbase"]
    command += [
        f"--architectures={system.architecture}",
        f"--include={','.join(system.packages)}",
        f"--essential-hook={early}",
        f"--customize-hook={CAMERAS}",
    ]
    command += [
        '--aptopt=APT::Install-Recommends "false"',
        *(f"--dpkgopt=path-exclude={path}" for path in UNUSED),
    ]
    _run(*command, system.suite, str(root))
    _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key"))
    keys = root / "root/.ssh"
    keys.mkdir(mode=0o700, exist_ok=True)
    shutil.copy(folder / "key.pub", keys / "authorized_keys")
    _run("chroot", str(root), "systemctl", "enable", "--quiet", "systemd-networkd")
    for name in ("vmlinuz", "initrd.img"):
        (made,) = (root / "boot").glob(f"{name}-*")
        shutil.copy(made, folder / name.removesuffix(".img"))


def _package(system: System, folder: Path) -> None:
    """The project's package as 1.deb, and the same under later versions."""
    _run(sys.executable, str(ROOT / "deploy/deb/build.py"), "--python", system.python,
         "--architecture", system.architecture, "--out", str(folder))  # fmt: skip
    shutil.rmtree(folder / "wheel")
    (package,) = folder.glob("*.deb")
    package.rename(folder / "1.deb")
    for number in LATER:
        newer(folder / "1.deb", folder / f"{number}.deb", number)


def _image(debian: Path, package: Path, folder: Path) -> None:
    """Install the package as dpkg does, without starting it, and make the file systems."""
    root = folder / "root"
    _run("cp", "-a", "--reflink=auto", str(debian / "root"), str(root))
    shutil.copytree(FILES, root, dirs_exist_ok=True)
    for deb in package.glob("*.deb"):
        shutil.copy(deb, root / "root")
    install = ("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--force-confold", "-i", "/root/1.deb")
    _run("chroot", str(root), *install)
    _run("chroot", str(root), "chown", "scharten:scharten", "/etc/scharten/scharten.toml")
    owner = (root / "var/lib/scharten").stat()
    empty = ("-q", "-t", "ext4", "-F", "-E")
    _run("mke2fs", *empty, "lazy_itable_init=1", "-d", str(root), str(folder / "disk.raw"), f"{DISK_GB}G")
    _run(
        "mke2fs", *empty, f"root_owner={owner.st_uid}:{owner.st_gid}", str(folder / "data.raw"), f"{DATA_MB}M"
    )
    shutil.rmtree(root)


def _card(package: Path, folder: Path) -> None:
    """The card, and beside it what its boot loader reads."""
    key, disk = folder / "key", folder / "disk.raw"
    _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    _run("sh", str(ROOT / "deploy/image/build.sh"), str(package / "1.deb"), f"{key}.pub", str(disk))
    for pattern, name in CARD_FILES.items():
        _run("mcopy", "-i", f"{disk}@@4M", f"::{pattern}", str(folder / name))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SchartenError(
            f"{Path(command[0]).name}: {(done.stderr or done.stdout)[-600:]}", "Mend that, and run it again."
        )
