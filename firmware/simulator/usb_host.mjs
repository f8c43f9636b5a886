// The host's side of USB that rp2040js leaves out (USB 2.0, chapters 5.8, 8.6 and 9.4.5): a packet waits while the bus sleeps or
// the device is not configured; the host drops a packet that is not of the expected kind; a halted endpoint refuses.
const FIRST_BUFFER = 0x88, LAST_BUFFER = 0xfc, CONTROL_IN = 0x80;
const READY = 1 << 10, STALL = 1 << 11, DATA1 = 1 << 13, ON = 0x80000000;
const FRAME = 0x48, STATUS = 0x50;
const SUSPENDED = 1 << 4, ON_SUSPEND = 1 << 14, ON_FRAME = 1 << 17;

export class UsbHost {
  constructor(usb, memory) {
    Object.assign(this, { usb, memory, expected: new Map(), waiting: new Set(), configured: false, asleep: false, held: false });
    this.wrong = 0; // packets of the wrong kind
    this.refused = false; // of the last request
    usb.intRaw |= ON_FRAME; // there were frames before any sleep
    this.watchRequests();
    this.watchRegisters();
    this.offer = usb.DPRAMUpdated.bind(usb);
    usb.DPRAMUpdated = (offset, value) => this.onWord(offset, value);
  }

  watchRequests() {
    const send = this.usb.sendSetupPacket.bind(this.usb);
    this.usb.sendSetupPacket = (packet) => {
      this.refused = false;
      if (packet[0] === 0 && packet[1] === 9) Object.assign(this, { configured: packet[2] !== 0, expected: new Map() });
      if (packet[0] === 1 && packet[1] === 11) this.expected = new Map();
      if (packet[0] === 2 && packet[1] === 1) this.expected.delete(FIRST_BUFFER + 8 * ((packet[4] & 15) - 1) + (packet[4] & 0x80 ? 0 : 4));
      send(packet);
    };
  }

  watchRegisters() {
    const { usb } = this, read = usb.readUint32.bind(usb), write = usb.writeUint32.bind(usb);
    usb.readUint32 = (offset) => {
      if (offset === FRAME) usb.intRaw &= ~ON_FRAME;
      return read(offset);
    };
    usb.writeUint32 = (offset, value) => {
      write(offset, value);
      if (offset === STATUS && usb.rawWriteValue & SUSPENDED) this.signal(SUSPENDED, ON_SUSPEND, false);
    };
  }

  signal(status, interrupt, on) {
    const { usb } = this;
    usb.sieStatus = on ? usb.sieStatus | status : usb.sieStatus & ~status;
    usb.intRaw = on ? usb.intRaw | interrupt : usb.intRaw & ~interrupt;
    usb.checkInterrupts();
  }

  /** The bus falls asleep: no frame, no packet. */
  sleep() {
    this.asleep = true;
    this.signal(SUSPENDED, ON_SUSPEND, true);
  }

  /** Frames again, and packets. */
  wake() {
    this.asleep = false;
    this.signal(0, ON_FRAME, true);
  }

  /** A reset of the bus; the caller enumerates again. */
  reset() {
    this.wake();
    this.configured = this.held = false;
    this.usb.resetDevice();
  }

  onWord(offset, value) {
    if (offset === CONTROL_IN && value & STALL) this.refused = true;
    if (offset < FIRST_BUFFER || offset > LAST_BUFFER) return this.offer(offset, value);
    this.waiting.delete(offset);
    if (value & READY) {
      this.waiting.add(offset);
      this.poll();
    }
  }

  /** Fetch or bring every packet that both sides are ready for. */
  poll() {
    if (this.asleep || this.held || !this.configured) return;
    for (const offset of [...this.waiting]) {
      if (!(this.memory.getUint32(offset - 0x80, true) & ON)) continue; // endpoint n's control word lies 80h before its buffer's
      this.waiting.delete(offset);
      this.transfer(offset, this.memory.getUint32(offset, true));
    }
  }

  /** Whether bytes may go into the buffer that an endpoint has offered. */
  mayBring(endpoint) {
    return !this.asleep && this.configured && !(this.memory.getUint32(0x84 + 8 * endpoint, true) & STALL);
  }

  transfer(offset, word) {
    const kind = word & DATA1;
    if (kind === (this.expected.get(offset) ?? 0)) {
      this.expected.set(offset, kind ^ DATA1);
      this.offer(offset, word);
      return;
    }
    this.wrong++;
    this.memory.setUint32(offset, word & ~READY, true);
    this.usb.indicateBufferReady((offset - 0x80) >> 3, Boolean(offset & 4));
  }
}
