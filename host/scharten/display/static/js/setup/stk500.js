// The host's side of an Arduino's boot loader: stk500 version 1 (Uno, Nano) and 2 (Mega), as Atmel's notes AVR061 and
// AVR068 describe them. It knows no port: a line is given to it, in the browser or in a test.

const SYNC_MS = 500;
const ANSWER_MS = 5000;
const RESETS = 3;
const QUESTIONS = 4;
const ERASED = 0xff;
const [V1_OK, V1_IN_SYNC, V1_END] = [0x10, 0x14, 0x20];
const [V2_START, V2_TOKEN] = [0x1b, 0x0e];

/** @type {Record<string, BoardChip>} */
export const CHIPS = {
  mega2560: { image: "mega2560.hex", signature: [0x1e, 0x98, 0x01], page: 256, bauds: [115200], loader: version2 },
  uno: { image: "uno.hex", signature: [0x1e, 0x95, 0x0f], page: 128, bauds: [115200, 57600], loader: version1 },
};

// `code` is image, silent, refused, other_chip or differs.
export class FlashError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

// Loads a program into the chip, and reads it back.
/**
 * @param {BoardLine} line
 * @param {string} kind
 * @param {Uint8Array} program
 * @param {(share: number) => void} progress
 */
export async function flash(line, kind, program, progress) {
  const { page, signature } = CHIPS[kind];
  const loader = await entered(line, CHIPS[kind]);
  if (String(await loader.signature()) !== String(signature)) throw new FlashError("other_chip");
  const pages = Array.from({ length: Math.ceil(program.length / page) }, (_, n) => pageOf(program, n * page, page));
  for (const [n, bytes] of pages.entries()) {
    await loader.write(n * page, bytes);
    progress((n + 1) / pages.length / 2);
  }
  for (const [n, bytes] of pages.entries()) {
    if (String(await loader.read(n * page, page)) !== String(bytes)) throw new FlashError("differs");
    progress((pages.length + n + 1) / pages.length / 2);
  }
  await loader.leave();
}

// The boot loader after a reset, at the first of its speeds that it answers at.
/** @param {BoardLine} line @param {BoardChip} chip @returns {Promise<BootLoader>} */
async function entered(line, { bauds, loader }) {
  for (const baud of bauds) {
    await line.open(baud);
    const found = loader(line);
    for (let n = 0; n < RESETS * QUESTIONS; n++) {
      if (n % QUESTIONS === 0) await line.reset();
      await line.clear();
      if (await found.answers()) {
        await line.clear(); // the answers to earlier questions
        return found;
      }
    }
    await line.close();
  }
  throw new FlashError("silent");
}

/** @param {Uint8Array} program @param {number} from @param {number} size */
function pageOf(program, from, size) {
  const bytes = new Uint8Array(size).fill(ERASED);
  bytes.set(program.subarray(from, from + size));
  return bytes;
}

/** @param {BoardLine} line @returns {BootLoader} */
function version1(line) {
  /** @param {number[]} command @param {number} count @param {number} patienceMs */
  async function ask(command, count = 0, patienceMs = ANSWER_MS) {
    await line.write(Uint8Array.from([...command, V1_END]));
    const answer = await line.read(count + 2, patienceMs);
    if (answer[0] !== V1_IN_SYNC || answer[count + 1] !== V1_OK) throw new FlashError("refused");
    return answer.subarray(1, count + 1);
  }
  /** @param {number} address */
  const seek = (address) => ask([0x55, address >> 1 & 0xff, address >> 9]);
  return {
    answers: () => ask([0x30], 0, SYNC_MS).then(() => true, () => false),
    signature: () => ask([0x75], 3),
    async write(address, bytes) {
      await seek(address);
      await ask([0x64, bytes.length >> 8, bytes.length & 0xff, 0x46, ...bytes]);
    },
    async read(address, count) {
      await seek(address);
      return ask([0x74, count >> 8, count & 0xff, 0x46], count);
    },
    leave: () => ask([0x51]),
  };
}

/** @param {BoardLine} line @returns {BootLoader} */
function version2(line) {
  let sequence = 0;
  /** @param {number[]} body @param {number} patienceMs */
  async function ask(body, patienceMs = ANSWER_MS) {
    sequence = sequence + 1 & 0xff;
    const message = [V2_START, sequence, body.length >> 8, body.length & 0xff, V2_TOKEN, ...body];
    await line.write(Uint8Array.from([...message, checksum(message)]));
    const head = await line.read(5, patienceMs);
    const rest = await line.read((head[2] << 8 | head[3]) + 1, patienceMs);
    const [command, status] = rest;
    if (head[0] !== V2_START || head[1] !== sequence || checksum([...head, ...rest]) || command !== body[0] || status) {
      throw new FlashError("refused");
    }
    return rest.subarray(2, -1);
  }
  /** @param {number} address */
  const seek = (address) => ask([0x06, 0, address >> 17, address >> 9 & 0xff, address >> 1 & 0xff]);
  return {
    answers: () => ask([0x01], SYNC_MS).then(() => true, () => false),
    async signature() {
      await ask([0x10, 200, 100, 25, 32, 0, 0x53, 3, 0xac, 0x53, 0, 0]);
      const found = [];
      for (const n of [0, 1, 2]) found.push((await ask([0x1b, 4, 0x30, 0, n, 0]))[0]);
      return Uint8Array.from(found);
    },
    async write(address, bytes) {
      await seek(address);
      await ask([0x13, bytes.length >> 8, bytes.length & 0xff, 0xc1, 10, 0x40, 0x4c, 0x20, 0, 0, ...bytes]);
    },
    async read(address, count) {
      await seek(address);
      return (await ask([0x14, count >> 8, count & 0xff, 0x20])).subarray(0, count);
    },
    leave: () => ask([0x11, 1, 1]),
  };
}

/** @param {number[]} bytes */
const checksum = (bytes) => bytes.reduce((sum, byte) => sum ^ byte, 0);

// The program of an Intel HEX file, from address 0 on; gaps are erased flash.
/** @param {string} text */
export function parseHex(text) {
  /** @type {[number, number[]][]} */
  const parts = [];
  let base = 0, ended = false;
  for (const row of text.split(/\s+/).filter(Boolean)) {
    const pairs = /^:([0-9a-f]{2})+$/i.test(row) ? row.slice(1).match(/../g) ?? [] : [];
    const bytes = pairs.map((pair) => parseInt(pair, 16));
    const [size, high, low, kind] = bytes;
    if (bytes.length !== size + 5 || bytes.reduce((sum, byte) => sum + byte, 0) & 0xff) throw new FlashError("image");
    const data = bytes.slice(4, -1);
    if (kind === 0) parts.push([base + (high << 8 | low), data]);
    if (kind === 2) base = (data[0] << 8 | data[1]) << 4;
    if (kind === 4) base = (data[0] << 8 | data[1]) << 16;
    ended ||= kind === 1;
  }
  if (!ended || !parts.length) throw new FlashError("image");
  const program = new Uint8Array(Math.max(...parts.map(([at, data]) => at + data.length))).fill(ERASED);
  for (const [at, data] of parts) program.set(data, at);
  return program;
}
