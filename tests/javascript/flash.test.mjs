import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { flash, parseHex } = await script("setup/stk500");
const PROGRAM = Uint8Array.from({ length: 200 }, (_, n) => n);

// A boot loader of an Uno; `faults` change its signature, or a byte of its flash.
function board({ signature = [0x1e, 0x95, 0x0f], worn = -1, baud = 115200 } = {}) {
  const memory = new Uint8Array(1024).fill(0xff), bauds = [];
  let at = 0, answer = [];
  const commands = {
    0x30: () => [], 0x51: () => [], 0x75: () => signature,
    0x55: ([, low, high]) => { at = (high << 8 | low) * 2; return []; },
    0x64: (command) => { memory.set(command.slice(4, -1), at); if (worn >= 0) memory[worn] &= 0xfe; return []; },
    0x74: ([, high, low]) => [...memory.subarray(at, at + (high << 8 | low))],
  };
  return { memory, bauds, open: async (speed) => { bauds.push(speed); }, close: async () => {}, reset: async () => {},
    clear: async () => { answer = []; },
    write: async ([...command]) => { answer = bauds.at(-1) === baud ? [0x14, ...commands[command[0]](command), 0x10] : []; },
    read: async (count) => {
      if (answer.length < count) throw new Error("silent");
      return Uint8Array.from(answer.splice(0, count));
    } };
}

test("a program arrives, padded with erased flash, at the speed that the loader has", async () => {
  const nano = board({ baud: 57600 });
  const shares = [];
  await flash(nano, "uno", PROGRAM, (share) => shares.push(share));
  assert.deepEqual([...nano.memory.subarray(0, 256)], [...PROGRAM, ...Array(56).fill(0xff)]);
  assert.deepEqual([nano.bauds, shares], [[115200, 57600], [0.25, 0.5, 0.75, 1]]);
});

test("another chip is not written to, and a worn cell is seen", async () => {
  const other = board({ signature: [0x1e, 0x98, 0x01] });
  await assert.rejects(flash(other, "uno", PROGRAM, () => {}), { code: "other_chip" });
  assert.ok(other.memory.every((byte) => byte === 0xff));
  await assert.rejects(flash(board({ worn: 151 }), "uno", PROGRAM, () => {}), { code: "differs" });
});

test("an image is read with its gaps, and refused when it is damaged or ends early", () => {
  const end = ":00000001FF", first = ":02000000AABB99", far = ":01000500CC2E";
  assert.deepEqual([...parseHex([first, far, end].join("\r\n"))], [0xaa, 0xbb, 0xff, 0xff, 0xff, 0xcc]);
  for (const text of ["", "404: Not Found", first, `:02000000AABB98\n${end}`, `:02000000AABB\n${end}`]) {
    assert.throws(() => parseHex(text), { code: "image" });
  }
});
