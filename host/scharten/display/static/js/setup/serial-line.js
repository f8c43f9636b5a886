// A USB port of this browser's machine as a line of bytes, by Web Serial.

import { FlashError } from "./stk500.js";

const LOW_MS = 250;
const AWAKE_MS = 50;
const QUIET_MS = 100;
/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** @implements {BoardLine} */
export class SerialLine {
  /** @type {number[]} */
  #received = [];
  #wake = () => {};
  /** @type {ReadableStreamDefaultReader<Uint8Array> | null} */
  #reader = null;
  #pumping = Promise.resolve();

  /** @param {SerialPortLike} port */
  constructor(port) {
    this.port = port;
  }

  /** @param {number} baud */
  async open(baud) {
    await this.port.open({ baudRate: baud });
    this.#pumping = this.#pump();
  }

  // DTR and RTS fall and rise: the edge passes through the board's capacitor to its reset pin.
  async reset() {
    await this.port.setSignals({ dataTerminalReady: false, requestToSend: false });
    await pause(LOW_MS);
    await this.port.setSignals({ dataTerminalReady: true, requestToSend: true });
    await pause(AWAKE_MS);
  }

  /** @param {Uint8Array} bytes */
  async write(bytes) {
    const writer = this.port.writable.getWriter();
    await writer.write(bytes).finally(() => writer.releaseLock());
  }

  /** @param {number} count @param {number} patienceMs */
  async read(count, patienceMs) {
    const end = performance.now() + patienceMs;
    while (this.#received.length < count) {
      const left = end - performance.now();
      if (left <= 0) throw new FlashError("silent");
      await Promise.race([pause(left), new Promise((wake) => { this.#wake = () => wake(null); })]);
    }
    return Uint8Array.from(this.#received.splice(0, count));
  }

  // Forgets what came before the next question, late answers to earlier ones too.
  async clear() {
    do {
      this.#received = [];
      await pause(QUIET_MS);
    } while (this.#received.length);
  }

  async close() {
    await this.#reader?.cancel();
    await this.#pumping;
    await this.port.close();
  }

  async #pump() {
    const reader = this.#reader = this.port.readable.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        this.#received.push(...next.value);
        this.#wake();
      }
    } catch {
      // The board was unplugged: the next question stays unanswered.
    } finally {
      reader.releaseLock();
    }
  }
}
