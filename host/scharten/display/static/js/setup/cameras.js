// Cameras: a picture of each, a point in the double 20, and what was found drawn over it.

import { button, fill, find, h } from "../dom.js";
import { pointUnder, svg } from "../svg.js";
import { t } from "../words.js";

const MOST = 3;
const STEP_PX = 4;

/**
 * @typedef {{whole: HTMLElement, numbered: HTMLElement, name: string}} Row
 * @typedef {{shot?: Reply, found?: Reply | null, at?: Point, words?: string, bad?: boolean}} Shot
 */

/** @param {SetupApp} app */
export function createCameras({ ask, seen, value, look }) {
  const picked = /** @type {Set<string>} */ (new Set());
  const rows = /** @type {Map<string, Row>} */ (new Map()); // by device: the row, and where its number stands
  // By device: the newest picture, what was found, and the words for it.
  const shots = /** @type {Map<string, Shot>} */ (new Map());
  let begun = false;

  function draw() {
    const connected = seen().cameras;
    if (!begun) for (const device of value("source.camera.devices")) picked.add(device);
    begun = true;
    const names = [...new Set([...connected.map(({ device }) => device), ...picked])];
    rows.clear();
    const listed = names.map((device) => row(device, connected.find((camera) => camera.device === device)));
    number();
    const none = names.length ? null : h("p", { class: "help" }, t("setup.cameras.none"));
    return h("div", { class: "part" }, h("p", { class: "help" }, t("setup.cameras.words")), none,
      listed,
      seen().may_type ? typed() : null,
      h("div", { class: "action-row" }, button(t("setup.look_again"), look, { id: "look-again" })));
  }

  /** @param {string} device @param {CameraFound | undefined} found */
  function row(device, found) {
    const input = h("input", { type: "checkbox", value: device });
    input.checked = picked.has(device);
    const place = h("div", { class: "camera" });
    input.addEventListener("change", () => {
      if (input.checked && picked.size >= MOST) input.checked = false;
      if (input.checked) picked.add(device);
      else picked.delete(device);
      number();
      show(device, place);
      if (input.checked && !shots.has(device)) photograph(device, place);
    });
    show(device, place);
    const name = device.slice(device.lastIndexOf("/") + 1).replace(/-video-index0$/, "");
    const numbered = h("span");
    const whole = h("div", {}, h("label", { class: "choice" }, input, numbered,
      h("small", {}, t(found?.recorded ? "setup.cameras.recorded" : "setup.cameras.camera"))), place);
    rows.set(device, { whole, numbered, name });
    return whole;
  }

  // Cameras are called by their place among the chosen ones, here as on every page.
  function number() {
    for (const [device, { whole, numbered, name }] of rows) {
      const place = [...picked].indexOf(device) + 1;
      whole.id = place ? `camera-${place}` : "";
      numbered.textContent = place ? t("setup.cameras.number", { number: place, name }) : name;
    }
  }

  function typed() {
    const input = h("input", { type: "text", id: "camera-address", placeholder: "rtsp://192.168.1.30/live" });
    return h("details", {}, h("summary", {}, t("setup.cameras.address")),
      h("label", { class: "field-row", for: input.id }, h("span", {}, t("setup.cameras.address.words")), input),
      h("div", { class: "action-row" }, button(t("setup.cameras.add"), async () => {
        const device = input.value.trim();
        if (!device || picked.size >= MOST) return;
        picked.add(device);
        await look();
        photograph(device, document.querySelector(`.camera[data-device="${CSS.escape(device)}"]`));
      })));
  }

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
    const answer = await ask("point", { device, x, y });
    const found = answer.accepted ? answer : null;
    const words = !found ? answer.reason : found.left_in ? t("setup.cameras.left_in", { bed: found.left_in })
      : t("setup.cameras.found", { mm: found.residual_mm });
    shots.set(device, { ...before, at: { x, y }, found, words, bad: !found || Boolean(found.left_in) });
    show(device, place, true);
  }

  /** @param {string} device @param {HTMLElement | null} place @param {boolean} [focus] */
  function show(device, place, focus = false) {
    if (!place) return;
    place.dataset.device = device;
    const { shot, found, at, words, bad } = shots.get(device) ?? {};
    place.hidden = !picked.has(device) || !words;
    const drawn = shot ? picture(found ?? shot, shot, at, (x, y) => point(device, place, x, y)) : null;
    fill(place, h("p", { class: bad ? "bad" : "said", role: "status" }, words ?? ""), drawn,
      words ? h("div", { class: "action-row" }, button(t("setup.cameras.again"), () => photograph(device, place)))
        : null);
    if (focus) find(place, ".shot")?.focus();
  }

  return { draw, chosen: () => [...picked] };
}

// The picture; a click, or the arrows and Enter, give the point, in pixels of the camera.
/**
 * @param {Reply} found
 * @param {Reply} shot
 * @param {Point | undefined} at
 * @param {(x: number, y: number) => void} take
 */
function picture({ picture: source }, { width, height, name }, at, take) {
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "shot", role: "application", tabindex: "0" });
  drawn.setAttribute("aria-label", t("setup.cameras.picture", { name }));
  svg("image", { href: source, width, height }, drawn);
  const cross = svg("path", { d: "M-16 0H-5M16 0H5M0-16V-5M0 16V5", class: "cross" }, drawn);
  const aim = at ? { ...at } : { x: width / 2, y: height / 4 };
  const move = () => cross.setAttribute("transform", `translate(${aim.x} ${aim.y})`);
  move();
  drawn.addEventListener("click", (event) => {
    const where = pointUnder(drawn, event);
    take(Math.round(where.x * 10) / 10, Math.round(where.y * 10) / 10);
  });
  drawn.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) {
      aim.x = Math.max(0, Math.min(width - 1, aim.x + STEP_PX * way[0]));
      aim.y = Math.max(0, Math.min(height - 1, aim.y + STEP_PX * way[1]));
      move();
    } else if (event.key === "Enter") take(aim.x, aim.y);
    else return;
    event.preventDefault();
  });
  return drawn;
}
