// Short sounds made on the spot; nothing plays before the first touch of the page, as browsers want it.

import { settings } from "./settings.js";

let audio = null;

const TUNES = {
  move: [[320, 0, 0.05, "triangle"]],
  placed: [[140, 0, 0.09, "sine"], [420, 0.02, 0.06, "triangle"]],
  lost: [[190, 0, 0.16, "sawtooth"], [140, 0.14, 0.22, "sawtooth"]],
  check: [[660, 0, 0.09, "square"], [880, 0.1, 0.12, "square"]],
  fogling: [[392, 0, 0.22, "sawtooth"], [311, 0.24, 0.22, "sawtooth"], [233, 0.48, 0.5, "sawtooth"]],
  end: [[523, 0, 0.14, "triangle"], [659, 0.15, 0.14, "triangle"], [784, 0.3, 0.35, "triangle"]],
  question: [[520, 0, 0.1, "sine"], [520, 0.16, 0.1, "sine"]],
};

/** @param {keyof typeof TUNES} name */
export function play(name) {
  if (!settings.sounds || !navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  for (const [frequency, start, length, type] of TUNES[name]) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.type = type;
    tone.frequency.value = frequency;
    const at = audio.currentTime + start;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(type === "sawtooth" || type === "square" ? 0.06 : 0.16, at + 0.012);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length + 0.02);
  }
}
