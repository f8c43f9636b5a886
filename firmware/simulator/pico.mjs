// The compiled program in rp2040js, as the other half of engine_pico.c: lines in, lines out. Times are 16 MHz cycles,
// as in the world of the simulated electronics.
//
//   in:   w T ROW... BUTTONS   from T on these senses are low while one drive line is low, and these buttons are down
//         p T MILLIVOLTS       the piezo from T on
//         b HEX                bytes of the host
//         line 0|1             port closed | port open
//         setup HEX [DATA]     a request to endpoint 0, with what the host sends along; `value HEX` is its answer, or `value refused`
//         sleep | wake | hold | busreset | wrong   the host's bus; `hold`: it fetches nothing; `wrong` is the count of packets of the wrong kind
//         flash HEX            the number of the flash chip, from the next power-up; without HEX it has none
//         reset | power SEED | hang | poke A V | peek A | lamp | figures | clear | run T
//   out:  o T HEX              bytes of the board; T is the end of the USB frame in which they were ready
//         done T | value V ... | crashed WORDS
import fs from 'node:fs';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

import { addFlashChip } from './flash_chip.mjs';
import { UsbHost } from './usb_host.mjs';

const [library, program, driveList, senseList, buttonList, lampList, piezoChannel, settleUs] = process.argv.slice(2);
const { RP2040, USBCDC } = await import(pathToFileURL(library));
const pinsOf = (list) => (list ? list.split(',').map(Number) : []);
const drives = pinsOf(driveList), senses = pinsOf(senseList), buttons = pinsOf(buttonList), lamp = pinsOf(lampList);
const NS_PER_CYCLE = 62.5; // of the world's 16 MHz
const CORE_NS = 8; // 125 MHz
const SYSTICK = 15; // the exception in which senses are read
const FRAME_NS = 1e6; // of USB
const FLASH = 0x10000000, RAM = 0x20000000, STRAY = 0x20041c00, BOOT2_COPY = 0x20041f00;

class Chip extends RP2040 {
  get gpioValues() { return mcu ? levels() : 0; }
}

let image = readUf2(fs.readFileSync(program));
let mcu, cdc, host, flashNumber = Buffer.from('e66058388334a82f', 'hex'), rows = new Array(16).fill(0), pressed = 0, plan = [], piezo = [], out = [], outAt = 0, listening = 1;
let origin = 0; // the world's time at which this chip's clock began, in ns
let figures, changedAt = 0, lowBefore = 0, pulled = 0, pulledAt = -1, crashed = '';

function readUf2(data) {
  const flash = new Uint8Array(1 << 21).fill(0xff);
  for (let at = 0; at < data.length; at += 512) {
    const word = (n) => data.readUInt32LE(at + 4 * n);
    if (word(0) !== 0x0a324655 || word(1) !== 0x9e5d5157 || data.readUInt32LE(at + 508) !== 0x0ab16f30) throw new Error('no UF2');
    if (word(7) !== 0xe48bff56) throw new Error('for another chip');
    flash.set(data.subarray(at + 32, at + 32 + word(4)), word(3) - FLASH);
  }
  return flash;
}

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc = (crc ^ (byte << 24)) >>> 0;
    for (let i = 0; i < 8; i++) crc = ((crc << 1) ^ (crc & 0x80000000 ? 0x04c11db7 : 0)) >>> 0;
  }
  return crc;
}

const now = () => origin + mcu.clock.nanos;

function clearFigures() {
  figures = { first: 0, last: 0, shortest: 0, longest: 0, count: 0, early: 0, high: 0, inside: 0, since: now(), lowestStack: 0 };
}

function lowDrives() {
  const on = mcu.sio.gpioOutputEnable, high = mcu.sio.gpioValue;
  let low = 0;
  drives.forEach((pin, line) => {
    if (!((on >> pin) & 1)) return;
    if ((high >> pin) & 1) figures.high++;
    else low |= 1 << line;
  });
  return low;
}

function onDrive() {
  const low = lowDrives();
  if (low === seen) return;
  changedAt = now();
  if (seen) lowBefore = seen;
  if (low === 1) notePass();
  seen = low;
}
let seen = 0;

function notePass() {
  if (!figures.last) figures.first = now();
  else {
    const length = now() - figures.last;
    figures.count++;
    figures.shortest = Math.min(figures.shortest || length, length);
    figures.longest = Math.max(figures.longest, length);
  }
  figures.last = now();
}

// Input pins are answered when the program reads them: those with a pull-up, unless a closed contact pulls them low.
function levels() {
  if (now() - pulledAt > 1e7 || pulledAt < 0) {
    pulledAt = now();
    pulled = 0;
    mcu.gpio.forEach((pin, n) => { if (pin.inputEnable && pin.pullupEnabled && !pin.pulldownEnabled) pulled |= 1 << n; });
  }
  follow(now());
  const early = now() - changedAt < Number(settleUs) * 1000;
  if (early && mcu.core.IPSR === SYSTICK) figures.early++; // the loop reads too: buttons
  const low = early ? lowBefore : seen;
  let lines = 0;
  for (let line = 0; line < drives.length; line++) if ((low >> line) & 1) lines |= rows[line];
  let value = pulled;
  senses.forEach((pin, n) => { if ((lines >> n) & 1) value &= ~(1 << pin); });
  buttons.forEach((pin, n) => { if ((pressed >> n) & 1) value &= ~(1 << pin); });
  drives.forEach((pin, n) => { if ((seen >> n) & 1) value &= ~(1 << pin); });
  return value;
}

function follow(time) {
  while (plan.length && plan[0].at <= time) ({ rows, pressed } = plan.shift());
  while (piezo.length && piezo[0].at <= time) {
    const volts = piezo.shift().mv / 3300; // of the supply
    mcu.adc.channelValues[Number(piezoChannel)] = Math.min(4095, Math.round(volts * 4095));
  }
}

// As the ROM does: the checksum of boot2, its copy in RAM, and there it runs.
function start(ram, reason = 0) {
  const before = mcu ? now() : 0;
  mcu = new Chip();
  origin = before;
  mcu.logger = { debug() {}, info() {}, warn() {}, error(name, words) { crashed ||= `${name}: ${words}`; } };
  mcu.flash.set(image);
  mcu.sram.set(ram);
  if (crc32(image.subarray(0, 252)) !== new DataView(image.buffer).getUint32(252, true)) throw new Error('the checksum of boot2 is wrong');
  mcu.sram.set(image.subarray(0, 256), BOOT2_COPY - RAM);
  mcu.core.PC = BOOT2_COPY;
  fakeRom();
  for (const pin of drives) mcu.gpio[pin].addListener(onDrive);
  const watchdog = mcu.peripherals[0x40058];
  watchdog.reason = reason;
  watchdog.onWatchdogTrigger = () => {
    restartPending = 1;
    watchdog.timer.enable = false; // the emulator's would go off again at once, for ever
  };
  mcu.onBreak = (code) => { crashed ||= code === 0x42 ? 'it became a drive' : `a breakpoint (${code})`; };
  addFlashChip(mcu, flashNumber);
  host = new UsbHost(mcu.usbCtrl, mcu.usbDPRAMView);
  plugIn();
  seen = lowBefore = 0;
  pulledAt = -1;
  clearFigures();
}
let restartPending = 0;

// Of the ROM's functions the program calls one: it is searched for in a table, and then makes the chip a drive.
function fakeRom() {
  const rom = new DataView(mcu.bootrom.buffer);
  rom.setUint16(0x14, 0x40, true); // the table
  rom.setUint16(0x18, 0x51, true); // its search function, which finds 0x61
  [0x2061, 0x4770].forEach((code, n) => rom.setUint16(0x50 + 2 * n, code, true)); // movs r0, #0x61; bx lr
  rom.setUint16(0x60, 0xbe42, true); // bkpt
}

function plugIn() {
  cdc = new USBCDC(mcu.usbCtrl);
  cdc.onDeviceConnected = () => { if (!listening) setLine(0); };
  cdc.onSerialData = (data) => {
    const end = Math.ceil(now() / FRAME_NS) * FRAME_NS; // a host reads at least once a millisecond
    if (end !== outAt) flush();
    outAt = end;
    out.push(...data);
  };
}

function setLine(value) {
  if (cdc.initialized) cdc.cdcSetControlLineState(value ? 3 : 0);
}

function flush() {
  if (out.length) console.log(`o ${Math.round(outAt / NS_PER_CYCLE)} ${Buffer.from(out).toString('hex')}`);
  out = [];
}

function step() {
  const { core, clock } = mcu;
  if (core.waiting) {
    clock.tick(Math.max(CORE_NS, clock.nanosToNextAlarm));
    if (core.interruptsUpdated && core.checkForInterrupts()) core.waiting = false; // the emulator forgets SysTick here
    return;
  }
  const inside = core.IPSR > 0;
  const ns = core.executeInstruction() * CORE_NS;
  clock.tick(ns);
  if (inside) {
    figures.inside += ns;
    const stack = core.SP;
    if (!figures.lowestStack || stack < figures.lowestStack) figures.lowestStack = stack;
  }
}

let hostBytes = [];
function feed() {
  while (hostBytes.length && cdc.initialized && cdc.txFIFO.itemCount < 500) cdc.sendSerialByte(hostBytes.shift());
  if (cdc.outEndpoint >= 0 && cdc.txFIFO.itemCount && host.mayBring(cdc.outEndpoint) && waitingOut()) mcu.usbCtrl.onEndpointRead(cdc.outEndpoint, 64);
}

// The emulator asks for bytes only at the moment when the program offers its buffer: an offer that found none is kept.
let offered = false;
function waitingOut() {
  const was = offered;
  offered = false;
  return was;
}

function keepOffers() {
  const take = mcu.usbCtrl.onEndpointRead;
  mcu.usbCtrl.onEndpointRead = (endpoint, size) => {
    if (endpoint === cdc.outEndpoint && !cdc.txFIFO.itemCount) offered = true;
    else if (endpoint === cdc.outEndpoint) take(endpoint, size);
  };
}

function run(until) {
  const end = until * NS_PER_CYCLE;
  while (now() < end && !crashed) {
    for (let i = 0; i < 64 && now() < end; i++) step();
    host.poll();
    if (hostBytes.length || offered) feed();
    if (restartPending) {
      restartPending = 0;
      restart(mcu.sram.slice(), 1);
    }
  }
  flush();
  console.log(crashed ? `crashed ${crashed}` : `done ${Math.round(now() / NS_PER_CYCLE)}`);
}

function restart(ram, reason) {
  offered = false;
  flush();
  start(ram, reason);
  keepOffers();
}

function rubbish(seed) {
  const ram = new Uint8Array(264 * 1024);
  let state = seed * 2654435761 + 1;
  for (let i = 0; i < ram.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    ram[i] = state >>> 24;
  }
  return ram;
}

function sayFigures() {
  const { first, last, shortest, longest, count, early, high, inside, since, lowestStack } = figures;
  const mean = count ? (last - first) / count : 0;
  const share = inside / Math.max(1, now() - since);
  console.log(`value ${shortest / 1000} ${mean / 1000} ${longest / 1000} ${share} ${lowestStack ? 0x20041800 - lowestStack : 0} ${early} ${high}`);
}

function request(hex, data) {
  const forward = mcu.usbCtrl.onEndpointWrite, answer = [];
  mcu.usbCtrl.onEndpointWrite = (endpoint, bytes) => (endpoint ? forward(endpoint, bytes) : answer.push(...bytes));
  mcu.usbCtrl.sendSetupPacket(Buffer.from(hex, 'hex'));
  const end = now() + 2e6;
  const middle = now() + 1e6;
  while (now() < middle && !crashed) step();
  if (data) mcu.usbCtrl.endpointReadDone(0, Buffer.from(data, 'hex'));
  while (now() < end && !crashed) step();
  mcu.usbCtrl.onEndpointWrite = forward;
  console.log(crashed ? `crashed ${crashed}` : `value ${host.refused ? 'refused' : Buffer.from(answer).toString('hex')}`);
}

function resetBus() {
  offered = false;
  plugIn();
  keepOffers();
  host.reset();
}

const COMMANDS = {
  setup: request,
  w: (at, ...words) => plan.push({ at: at * NS_PER_CYCLE, rows: words.slice(0, 16).map(Number), pressed: Number(words[16]) }),
  p: (at, mv) => piezo.push({ at: at * NS_PER_CYCLE, mv: Number(mv) }),
  b: (hex) => { hostBytes.push(...Buffer.from(hex, 'hex')); feed(); },
  line: (value) => { listening = Number(value); setLine(listening); },
  reset: () => { hostBytes = []; restart(mcu.sram.slice(), 0); },
  power: (seed) => { hostBytes = []; restart(rubbish(Number(seed)), 0); },
  hang: () => { mcu.writeUint16(STRAY, 0xe7fe); mcu.core.PC = STRAY; mcu.core.waiting = false; },
  poke: (address, value) => mcu.writeUint8(Number(address), Number(value)),
  peek: (address) => console.log(`value ${mcu.readUint8(Number(address))}`),
  lamp: () => console.log(`value ${lamp.reduce((lit, pin, n) => lit | (((mcu.sio.gpioValue >> pin) & 1) << n), 0)}`),
  figures: sayFigures,
  clear: clearFigures,
  sleep: () => host.sleep(),
  wake: () => host.wake(),
  hold: () => { host.held = true; },
  busreset: resetBus,
  wrong: () => console.log(`value ${host.wrong}`),
  flash: (hex) => { flashNumber = hex ? Buffer.from(hex, 'hex') : null; },
  run: (until) => run(Number(until)),
};

restart(rubbish(1), 0);
for await (const text of readline.createInterface({ input: process.stdin })) {
  const [word, ...rest] = text.split(' ');
  COMMANDS[word](...rest);
}
