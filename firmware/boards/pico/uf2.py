"""Make the UF2 file, which a person drops on a Pico's drive, from the program's flash image.

The first 252 bytes are boot2; the ROM wants their CRC-32 behind them (datasheet 2.8.1.3.1).
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

FLASH = 0x10000000
FAMILY = 0xE48BFF56
"""RP2040, in the list of families of the UF2 format."""
BLOCK = 256


def checksum(data: bytes) -> int:
    """Return the ROM's CRC-32: polynomial 0x04C11DB7, initial value all ones, not reflected."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc


def uf2(program: bytes) -> bytes:
    """Return the whole file: blocks of 512 bytes with 256 bytes of the program each."""
    boot2 = program[: BLOCK - 4]
    whole = boot2 + struct.pack("<I", checksum(boot2)) + program[BLOCK:]
    count = -(-len(whole) // BLOCK)
    blocks = []
    for number in range(count):
        data = whole[number * BLOCK :][:BLOCK].ljust(BLOCK, b"\0")
        where = FLASH + number * BLOCK
        head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, where, BLOCK, number, count, FAMILY)
        blocks.append(head + data.ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30))
    return b"".join(blocks)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(uf2(Path(sys.argv[1]).read_bytes()))
