"""The whole machine: qemu with an image, a disk whose power can be cut, two networks, ssh, and a state to start from.

The first network carries ssh and USB/IP, the second stands for the home's network and can be unplugged. A cold start
boots. A warm one goes on from the memory of a machine that has booted and started the service, which takes seconds.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.daemon_process import wait_for
from lab.machine.disk import Disk
from lab.machine.image import Image
from lab.ports import free_ports
from lab.programs import program
from lab.trust.rows import show_progress
from scharten.errors import SchartenError

MEMORY_MB, CPUS = 1024, 2
KERNEL = "root=/dev/vda rw mitigations=off no_timer_check systemd.show_status=no"
"""`no_timer_check`: an emulated timer on a busy host fails the kernel's check of it."""
DATA_DISK = ("-device", "virtio-blk-pci,drive=data,id=data,bus=games")
"""In its own slot, because only such a disk can be plugged in while the machine runs."""
KVM_S = 20.0
"""A real KVM prints the kernel's first line in a second or two; an emulated one needs minutes."""
BOOT_S = 1500.0
ASLEEP_S = 120.0
"""The longest wait for a machine to fall asleep."""


@dataclass(frozen=True)
class Hardware:
    """The machine that qemu emulates for an architecture."""

    binary: str
    package: str
    machine: str
    processor: str
    console: str
    further: tuple[str, ...] = ()

    def words(self, accelerator: str) -> list[str]:
        """The beginning of qemu's command line."""
        virtual = ("kvm", "-cpu", "host")
        emulated = ("tcg,thread=multi,tb-size=512", "-cpu", self.processor)
        begin = [program(self.binary, self.package), "-machine", self.machine]
        return [*begin, "-accel", *(virtual if accelerator == "kvm" else emulated), *self.further]


HARDWARE = {
    "amd64": Hardware(
        *("qemu-system-x86_64", "qemu-system-x86", "q35", "max,-avx,-avx2,-fma,-f16c", "ttyS0"),
        ("-global", "ICH9-LPC.disable_s3=0"),
    ),
    "arm64": Hardware("qemu-system-aarch64", "qemu-system-arm", "virt", "cortex-a72", "ttyAMA0"),
}
"""By architecture; the Raspberry Pi 4 has that ARM processor. An emulated AVX ends NumPy by a protection fault."""


class Machine:
    """One machine; everything it writes stays in its folder."""

    def __init__(self, image: Image, folder: Path, accelerator: str, seed: int = 0) -> None:
        self.image, self.folder, self.accelerator, self.seed = image, folder, accelerator, seed
        self.warm = image.folder / f"warm-{accelerator}"
        self.booted = image.folder / f"booted-{accelerator}"
        self.disk: Disk | None = None
        self.started_s = 0.0
        """When qemu started, on the steady clock."""
        self._process: subprocess.Popen[bytes] | None = None
        self._qmp: socket.socket | None = None
        self._forwarded: dict[int, int] = {}
        self._boots = 0
        (self._ssh_port,) = free_ports(1)

    def prepare(self) -> None:
        """Keep the memory of a machine that has booted and runs the service, unless an earlier run did."""
        if not self.warm.exists():
            show_progress(f"booting under {self.accelerator}; later runs go on from its memory")
            self.start_cold()
            # It waits for the start that is under way.
            self.sh("systemctl start scharten && modprobe vhci-hcd", BOOT_S)
            self._keep_memory(self.warm)

    def prepare_booted(self) -> None:
        """Keep the memory of a machine that has booted and waits for the disk of its games, as `prepare` does."""
        if not self.booted.exists():
            show_progress("booting without the disk of the games; later runs go on from its memory")
            self.start_cold(data=False)
            self.sh("modprobe vhci-hcd")
            self._keep_memory(self.booted)

    def start_warm(self) -> None:
        """Go on from the kept memory, with the date of now."""
        _copy(self.warm / "data.raw", self.folder / "data.raw")
        self._resume(self.warm, *DATA_DISK)

    def start_booted(self) -> None:
        """Go on from the memory of a machine that has booted; the disk of its games comes as it was left."""
        self._resume(self.booted)
        self.plug_disk()

    def start_cold(self, clock: str = "", cable: bool = True, data: bool = True) -> None:
        """Boot, on the same disks if it ran before; `clock` is the hardware clock, such as 2001-01-01T00:00:00.

        Without `data` the disk of the games is not plugged in yet.
        """
        if not self._boots:
            self._overlay(self.image.disk, "raw")
            _copy(self.image.data, self.folder / "data.raw")
        self._start(*(("-rtc", f"base={clock}") if clock else ()), *(DATA_DISK if data else ()))
        self.cable(cable)
        self._wait_for_ssh()

    def plug_disk(self) -> None:
        """Plug in the disk of the games."""
        self.qmp("device_add", driver="virtio-blk-pci", drive="data", id="data", bus="games")

    def power_cut(self) -> tuple[int, int]:
        """Cut the power; return how many unflushed sectors survived, and how many are lost."""
        assert self._process is not None and self.disk is not None
        self._process.kill()
        self._gone()
        disk, self.disk = self.disk, None
        return disk.power_cut()

    def end(self) -> None:
        """Stop the machine, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._gone()
        self._close_disk()

    def _close_disk(self) -> None:
        """Free the disk's address: the next start makes a disk of its own there."""
        if self.disk is not None:
            self.disk.close()
            self.disk = None

    def suspend(self) -> None:
        """Send the machine to sleep (S3)."""
        self.sh("systemctl suspend")
        wait_for(lambda: self.qmp("query-status")["status"] == "suspended", ASLEEP_S, "the machine to sleep")

    def wake(self) -> None:
        """Press the power button of a machine that sleeps."""
        self.qmp("system_wakeup")

    def cable(self, plugged: bool) -> None:
        """Plug the home's network in, or pull its cable."""
        self.qmp("set_link", name="home", up=plugged)

    def qmp(self, execute: str, **arguments: Any) -> Any:
        """Send a command to qemu and return its answer."""
        assert self._qmp is not None
        self._qmp.sendall(json.dumps({"execute": execute, "arguments": arguments}).encode() + b"\n")
        while True:
            answer = json.loads(_line(self._qmp))
            if "error" in answer:
                raise RuntimeError(answer["error"]["desc"])
            if "return" in answer:
                return answer["return"]

    def sh(self, command: str, seconds: float = 300, check: bool = True, stdin: str = "") -> str:
        """Run a command in the machine as root and return its output. Raises RuntimeError if it fails."""
        done = subprocess.run(
            [*self._ssh(), "root@127.0.0.1", command],
            capture_output=True, text=True, timeout=seconds, input=stdin, check=False,
        )  # fmt: skip
        if check and done.returncode:
            raise RuntimeError(f"{command}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def forward(self, port: int) -> int:
        """Return a port of this machine that leads to a loopback port of the guest."""
        if port not in self._forwarded:
            (here,) = free_ports(1)
            command = [*self._ssh(), "-O", "forward", "-L", f"{here}:127.0.0.1:{port}", "root@127.0.0.1"]
            subprocess.run(command, check=True, capture_output=True)
            self._forwarded[port] = here
        return self._forwarded[port]

    @property
    def console(self) -> str:
        """The output on the serial console since the machine was made."""
        return (self.folder / "console.log").read_text(errors="replace")

    def last_words(self) -> str:
        """The end of the service's log, or of the console if the machine does not answer."""
        with suppress(RuntimeError, subprocess.TimeoutExpired):
            return self.sh(
                "journalctl -u scharten --no-pager -n 25; systemctl status scharten --no-pager | head -12",
                60,
                check=False,
            )
        return self.console[-1500:]

    def _keep_memory(self, folder: Path) -> None:
        """Save the machine's memory and disks in this folder, and end it."""
        half = folder.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        self.qmp("stop")
        self.qmp("migrate-set-parameters", **{"max-bandwidth": 1 << 33})
        self.qmp("migrate", uri=f"exec:cat > {half / 'memory'}")
        wait_for(
            lambda: self.qmp("query-migrate").get("status") == "completed",
            BOOT_S,
            "the machine's memory to be saved",
        )
        self.qmp("quit")
        self._gone()
        self._close_disk()
        (self.folder / "root.qcow2").rename(half / "root.qcow2")
        (self.folder / "data.raw").rename(half / "data.raw")
        half.rename(folder)
        self._boots = 0  # its disks are gone: the next start makes new ones
        show_progress(f"that took {time.monotonic() - self.started_s:.0f} s")

    def _resume(self, kept: Path, *further: str) -> None:
        """Go on from a kept memory, with the date of now."""
        self._overlay(kept / "root.qcow2", "qcow2")
        self._start(*further, "-incoming", f"exec:cat {kept / 'memory'}")
        wait_for(lambda: self.qmp("query-status")["status"] != "inmigrate", BOOT_S, "the memory to be read")
        self.qmp("cont")
        self._wait_for_ssh()
        self.sh(f"date -s @{time.time():.0f}")

    def _start(self, *further: str) -> None:
        self._boots += 1
        self._forwarded = {}
        self.disk = Disk(self.folder / "data.raw", self.folder / "disk.sock", self.seed + self._boots)
        games = [
            "-drive",
            f"file=nbd:unix:{self.folder / 'disk.sock'},format=raw,if=none,id=data,cache=writeback",
        ]
        self._launch([*games, "-device", "pcie-root-port,id=games,chassis=1", *further])

    def _launch(self, further: list[str]) -> None:
        folder, words = self.folder, HARDWARE[self.image.architecture].words(self.accelerator)
        command = [*words, *self._hardware(), *further]
        with (folder / "qemu.err").open("ab") as errors:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        self.started_s = time.monotonic()
        self._qmp = self._connect()
        _line(self._qmp)
        self.qmp("qmp_capabilities")

    def _hardware(self) -> list[str]:
        folder, image = self.folder, self.image
        words = ["-m", str(MEMORY_MB), "-smp", str(CPUS)]
        words += ["-display", "none", "-no-reboot"]
        words += ["-kernel", str(image.kernel), "-initrd", str(image.initrd)]
        words += ["-append", f"{self._kernel_line()} console={HARDWARE[image.architecture].console}"]
        words += ["-drive", f"file={folder / 'root.qcow2'},format=qcow2,if=virtio,cache=writeback"]
        doors = "".join(f",hostfwd=tcp:127.0.0.1:{here}-:{guest}" for here, guest in self._doors().items())
        words += ["-netdev", f"user,id=bench{doors}"]
        words += ["-device", "virtio-net-pci,netdev=bench", "-netdev", "user,id=home,net=10.0.3.0/24"]
        words += ["-device", "virtio-net-pci,netdev=home,id=home", "-device", "virtio-rng-pci"]
        words += ["-chardev", f"file,id=console,path={folder / 'console.log'},append=on"]
        words += ["-serial", "chardev:console"]
        return [*words, "-qmp", f"unix:{folder / 'qmp.sock'},server=on,wait=off"]

    def _kernel_line(self) -> str:
        return KERNEL

    def _doors(self) -> dict[int, int]:
        """The ports of this machine that lead to ports of the guest from its start on."""
        return {self._ssh_port: 22}

    def _overlay(self, below: Path, form: str) -> None:
        target = self.folder / "root.qcow2"
        command = [
            program("qemu-img", "qemu-utils"),
            *("create", "-q", "-f", "qcow2", "-b", str(below), "-F", form),
        ]
        subprocess.run([*command, str(target)], check=True)

    def _connect(self) -> socket.socket:
        def connected() -> socket.socket | None:
            assert self._process is not None
            if self._process.poll() is not None:
                raise SchartenError(
                    f"qemu ended: {(self.folder / 'qemu.err').read_text()[-500:]}", "See above."
                )
            peer = socket.socket(socket.AF_UNIX)
            try:
                peer.connect(str(self.folder / "qmp.sock"))
            except OSError:
                peer.close()
                return None
            return peer

        found: socket.socket = wait_for(connected, 60, "qemu")
        return found

    def _gone(self) -> None:
        assert self._process is not None and self._qmp is not None
        self._process.wait()
        self._qmp.close()
        (self.folder / "qmp.sock").unlink(missing_ok=True)
        (self.folder / "ssh").unlink(missing_ok=True)

    def _ssh(self) -> list[str]:
        """One connection serves all commands, because each costs an emulated machine seconds."""
        options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "BatchMode=yes", "ConnectTimeout=30",
                   "ControlMaster=auto", "ControlPersist=yes", f"ControlPath={self.folder / 'ssh'}")  # fmt: skip
        words = [program("ssh", "openssh-client"), "-q", "-i", str(self.image.key), "-p", str(self._ssh_port)]
        return words + [word for option in options for word in ("-o", option)]

    def _wait_for_ssh(self) -> None:
        def answers() -> bool:
            with suppress(RuntimeError, subprocess.TimeoutExpired):
                self.sh("true", seconds=60)
                return True
            assert self._process is not None
            if self._process.poll() is not None:
                raise SchartenError(f"The machine stopped: {self.console[-800:]}", "See above.")
            time.sleep(1)
            return False

        wait_for(answers, BOOT_S, f"the machine to boot: {self.folder / 'console.log'}")


def accelerator(image: Image, folder: Path) -> str:
    """Return kvm where a kernel starts under it within 20 s, else tcg; the answer is kept beside the image."""
    kept = image.folder / "accelerator"
    if not kept.exists():
        with _tried(image, folder) as console:
            try:
                wait_for(lambda: b"Linux version" in console.read_bytes(), KVM_S, "a kernel under KVM")
                kept.write_text("kvm")
            except AssertionError:
                kept.write_text("tcg")
    return kept.read_text()


@contextmanager
def _tried(image: Image, folder: Path) -> Iterator[Path]:
    """A machine without disks under KVM, and its console."""
    console = folder / "kvm.log"
    console.touch()
    words = [
        *HARDWARE[image.architecture].words("kvm"),
        "-m",
        "256",
        "-display",
        "none",
    ]
    words += [
        "-kernel",
        str(image.kernel),
        "-append",
        f"console={HARDWARE[image.architecture].console} earlyprintk=serial",
        "-serial",
        f"file:{console}",
    ]
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield console
    finally:
        process.kill()
        process.wait()


def _copy(source: Path, target: Path) -> None:
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", str(source), str(target)], check=True)


def _line(peer: socket.socket) -> bytes:
    """Read one line; a byte at a time is quick enough for a line of QMP."""
    line = bytearray()
    while not line.endswith(b"\n"):
        some = peer.recv(1)
        if not some:
            raise ConnectionError("qemu closed its control line")
        line += some
    return bytes(line)
