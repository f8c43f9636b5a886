// Cameras: which of them are chosen, each with its calibration below it.

import { button, h } from "../dom.js";
import { t } from "../words.js";
import { createCalibration } from "./calibrating.js";

const MOST = 3;

/** @typedef {{whole: HTMLElement, numbered: HTMLElement, name: string}} Row */

/** @param {SetupApp} app */
export function createCameras({ ask, seen, value, look }) {
  const picked = /** @type {Set<string>} */ (new Set());
  const rows = /** @type {Map<string, Row>} */ (new Map()); // by device: the row, and where its number stands
  const { photograph, show, has } = createCalibration(ask, (device) => picked.has(device));
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
      if (input.checked && !has(device)) photograph(device, place);
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

  return { draw, chosen: () => [...picked] };
}
