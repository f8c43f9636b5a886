// The calibration of one camera: its picture, a point in the double 20 or four wires, and what was found drawn over it.

import { button, fill, find, h } from "../dom.js";
import { t } from "../words.js";
import { drawShot } from "./shot.js";

// Refusals of a board whose colours may be unusual: its wires can still be marked.
const BY_WIRES = ["no_board", "bad_fit", "wrong_point"];

/**
 * @typedef {{shot?: Reply, found?: Reply | null, at?: Point, words?: string, bad?: boolean,
 *   wires?: Point[], offers?: boolean}} Shot
 */

/** @param {SetupApp["ask"]} ask @param {(device: string) => boolean} isPicked */
export function createCalibration(ask, isPicked) {
  // By device: the newest picture, what was found, and the words for it.
  const shots = /** @type {Map<string, Shot>} */ (new Map());

  /** @param {string} device @param {HTMLElement | null} place */
  async function photograph(device, place) {
    shots.set(device, { words: t("setup.cameras.waits") });
    show(device, place);
    const answer = await ask("picture", { device });
    shots.set(device, answer.accepted ? { shot: answer, words: answer.note || t("setup.cameras.point") }
      : { words: answer.reason, bad: true });
    show(device, place);
  }

  /**
   * @param {string} device
   * @param {HTMLElement | null} place
   * @param {number} x
   * @param {number} y
   */
  async function point(device, place, x, y) {
    const before = shots.get(device) ?? {};
    shots.set(device, { ...before, at: { x, y }, words: t("setup.cameras.looks"), bad: false });
    show(device, place);
    settle(device, place, { shot: before.shot, at: { x, y } }, await ask("point", { device, x, y }));
  }

  /**
   * Takes the mark of a wire; the fourth asks where the board is. After that the next one begins with the first wire.
   * @param {string} device
   * @param {HTMLElement | null} place
   * @param {Point} at
   */
  async function wire(device, place, at) {
    const { shot, found, wires = [] } = shots.get(device) ?? {};
    if (found || !shot) return mark(device, place, []);
    if (wires.length === shot.wires.length) return; // the answer to these is on its way
    const marked = [...wires, at];
    if (marked.length < shot.wires.length) return mark(device, place, marked);
    shots.set(device, { shot, wires: marked, at, words: t("setup.cameras.looks") });
    show(device, place);
    const answer = await ask("wires", { device, points: marked.map(({ x, y }) => [x, y]) });
    settle(device, place, { shot, wires: answer.accepted ? marked : [] }, answer);
  }

  /** @param {string} device @param {HTMLElement | null} place @param {Point[]} wires */
  function mark(device, place, wires) {
    const { shot } = shots.get(device) ?? {};
    if (!shot) return;
    shots.set(device, { shot, wires, at: wires.at(-1), words: wireWords(shot, wires) });
    show(device, place, true);
  }

  /**
   * @param {string} device
   * @param {HTMLElement | null} place
   * @param {Shot} asked
   * @param {Reply} answer
   */
  function settle(device, place, asked, answer) {
    const found = answer.accepted ? answer : null;
    const request = asked.wires && asked.shot ? ` ${wireWords(asked.shot, [])}` : "";
    const words = !found ? answer.reason + request
      : found.left_in ? t("setup.cameras.left_in", { bed: found.left_in })
        : t("setup.cameras.found", { mm: found.residual_mm });
    const offers = !asked.wires && BY_WIRES.includes(answer.code ?? "");
    shots.set(device, { ...asked, found, words, offers, bad: !found || Boolean(found.left_in) });
    show(device, place, true);
  }

  /** @param {string} device @param {HTMLElement | null} place @param {boolean} [focus] */
  function show(device, place, focus = false) {
    if (!place) return;
    place.dataset.device = device;
    const { shot, found, at, words, bad, wires, offers } = shots.get(device) ?? {};
    place.hidden = !isPicked(device) || !words;
    const take = (/** @type {number} */ x, /** @type {number} */ y) =>
      wires ? wire(device, place, { x, y }) : point(device, place, x, y);
    fill(place, h("p", { class: bad ? "bad" : "said", role: "status" }, words ?? ""),
      shot ? drawShot(found ?? shot, shot, { aim: at, marks: found ? [] : wires ?? [] }, take) : null,
      words ? h("div", { class: "action-row" },
        offers ? button(t("setup.cameras.wires"), () => mark(device, place, [])) : null,
        wires?.length && wires.length < shot?.wires.length
          ? button(t("setup.cameras.wires.back"), () => mark(device, place, wires.slice(0, -1))) : null,
        button(t("setup.cameras.again"), () => photograph(device, place))) : null);
    if (focus) find(place, ".shot")?.focus();
  }

  return { photograph, show, has: (/** @type {string} */ device) => shots.has(device) };
}

// The words that ask for the next wire; the camera's picture came with the wires' names.
/** @param {Reply} shot @param {Point[]} wires */
function wireWords(shot, wires) {
  const [first, second] = shot.wires[wires.length].split("/");
  return t("setup.cameras.wire", { number: wires.length + 1, of: shot.wires.length, first, second });
}
