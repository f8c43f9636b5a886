// The caller's voice: says what comes on `said` with the browser's own voices, in this page's language.

import { button } from "./dom.js";
import { language, settings } from "./settings.js";
import { t } from "./words.js";

const TONGUES = { en: "en-GB", nl: "nl-NL", de: "de-DE" };
let waiting = null; // what the browser kept mute
let hint = null;

// How much is said: a projector calls everything, the table what is more than a plain turn, a phone nothing.
export function talkLevel() {
  if (settings.talk !== "auto") return settings.talk;
  const asked = new URLSearchParams(location.search);
  if (asked.get("view") === "projector") return "all";
  return (asked.get("role") ?? "table") === "table" ? "important" : "off";
}

/** @param {Said} said */
export function speak(said) {
  const voice = globalThis.speechSynthesis;
  if (!voice) return;
  if (said.stop || voice.pending) voice.cancel();
  const level = talkLevel();
  if (level === "off" || (level === "important" && !said.important)) return;
  if (!navigator.userActivation?.hasBeenActive) return askForSound(said);
  say(said);
}

function say(said) {
  const own = language();
  const utterance = new SpeechSynthesisUtterance(said.words[own]);
  const voices = speechSynthesis.getVoices().filter((one) => one.lang.toLowerCase().startsWith(own));
  utterance.voice = voices.find((one) => one.localService) ?? voices[0] ?? null;
  utterance.lang = utterance.voice?.lang ?? TONGUES[own];
  utterance.volume = settings.volume / 100;
  utterance.onerror = ({ error }) => error === "not-allowed" && askForSound(said);
  speechSynthesis.speak(utterance);
}

// Browsers keep a page mute until somebody touches it; the newest call is said then.
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
