// The caller's voice: says what comes on `said` with the browser's own voices, in this page's language.

import { button } from "./dom.js";
import { language, settings } from "./settings.js";
import { t } from "./words.js";

/** @type {Spoken | null} */
let waiting = null; // what the browser kept mute
/** @type {HTMLElement | null} */
let hint = null;

// How much the page speaks: a projector calls everything, the table more than plain turns, a phone nothing.
export function talkLevel() {
  if (settings.talk !== "auto") return settings.talk;
  const asked = new URLSearchParams(location.search);
  if (asked.get("view") === "projector") return "all";
  return (asked.get("role") ?? "table") === "table" ? "important" : "off";
}

/** @typedef {{words: Record<string, string>, important: boolean, stop: boolean}} Spoken words by language */

/** @param {Spoken} said */
export function speak(said) {
  const voice = globalThis.speechSynthesis;
  if (!voice) return;
  if (said.stop || voice.pending) voice.cancel();
  const level = talkLevel();
  if (level === "off" || (level === "important" && !said.important)) return;
  if (!navigator.userActivation?.hasBeenActive) return askForSound(said);
  say(said);
}

/** @param {Spoken} said */
function say(said) {
  const own = language();
  const utterance = new SpeechSynthesisUtterance(said.words[own]);
  const voices = speechSynthesis.getVoices().filter(({ lang }) => lang.toLowerCase().startsWith(own));
  utterance.voice = voices.find(({ localService }) => localService) ?? voices[0] ?? null;
  utterance.lang = utterance.voice?.lang ?? t("language.locale");
  utterance.volume = settings.volume / 100;
  utterance.onerror = ({ error }) => error === "not-allowed" && askForSound(said);
  speechSynthesis.speak(utterance);
}

// Browsers keep a page mute until somebody touches it; it speaks the newest call then.
/** @param {Spoken} said */
function askForSound(said) {
  waiting = said;
  if (hint) return;
  hint = button(t("sound.tap"), () => {}, { class: "sound-hint", id: "sound-hint" });
  document.body.append(hint);
  for (const touch of ["pointerup", "keyup"]) addEventListener(touch, unmute, { once: true });
}

function unmute() {
  hint?.remove();
  hint = null;
  const said = waiting;
  waiting = null;
  if (said && talkLevel() !== "off") say(said);
}
