// The flash chip on its serial wires, which rp2040js leaves out: commands while the chip select is low (W25Q16JV's data sheet).
const SSI = 0x18000, IO_QSPI = 0x40018;
const CHIP_SELECT = 0x0c, DATA = 0x60, RECEIVED = 0x24;
const READ_UNIQUE_ID = 0x4b, EMPTY = 4;

/** Put a flash chip with this number of 8 bytes behind a chip's serial interface; without a number it leaves the line high. */
export function addFlashChip(mcu, number) {
  let sent = [], answers = [], selected = false;
  const ssi = mcu.peripherals[SSI], pins = mcu.peripherals[IO_QSPI];
  const write = ssi.writeUint32.bind(ssi), read = ssi.readUint32.bind(ssi);
  const reply = () => {
    const at = sent.length - 2 - EMPTY;
    return number && sent[0] === READ_UNIQUE_ID && at >= 0 && at < number.length ? number[at] : 0xff;
  };
  ssi.writeUint32 = (offset, value) => {
    if (offset !== DATA) return write(offset, value);
    if (selected) sent.push(value & 0xff);
    answers.push(selected ? reply() : 0xff);
  };
  ssi.readUint32 = (offset) => {
    if (offset === DATA) return answers.shift() ?? 0;
    return offset === RECEIVED ? answers.length : read(offset);
  };
  pins.readUint32 = () => 0;
  pins.writeUint32 = (offset, value) => {
    if (offset !== CHIP_SELECT) return;
    selected = ((value >> 8) & 3) === 2;
    sent = [];
  };
}
