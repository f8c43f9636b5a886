// The throw again: what every camera saw, laid on the board's plane, over the board that is drawn, and how likely
// each bed is. A question about a bed shows it by itself; anyone who may act shows a throw of this game on every page
// of this board, the one on the wall too.

import { button, h, iconButton } from "../dom.js";
import { throws } from "../features/throws.js";
import { bedName, t } from "../words.js";

const TRIES = 8, AGAIN_MS = 500; // the cameras write the pictures a moment after the dart was reported
const REACH_MM = 185; // from the bull to the sides of a picture
const CLOSER = 2.5; // how much larger the place of the dart is shown

/** @param {import("../features/throws.js").Reading} reading */
const seenMs = ({ source, seen_ms, at_ms }) => seen_ms ?? (source === "camera" ? at_ms : null);

/** @param {App} app @param {HTMLElement} stage @param {HTMLElement} offer */
export function createLook(app, stage, offer) {
  const { store } = app;
  let drawn = "";
  /** @type {number | null} */
  let enough = null; // the throw of a question that was closed on this page
  let near = true;

  // When the cameras saw the newest dart of this game that `wanted` holds for: its pictures are named by that time.
  // This page received that dart, or the server before it; null without such a dart, or if no camera saw it.
  /**
   * @param {(reading: import("../features/throws.js").Reading) => boolean} wanted
   * @param {ThrowSeen | null | undefined} before
   */
  function newest(wanted, before) {
    const { snapshot, welcome } = store;
    if (!snapshot || !(welcome?.throws || snapshot.away)) return null; // a board far away may have cameras
    const found = throws(store).readings.find((reading) => reading.match === snapshot.match && wanted(reading));
    if (found) return seenMs(found);
    return before?.match === snapshot.match ? before.at_ms : null;
  }

  /** @param {number | null} at_ms */
  const show = (at_ms) => app.look(at_ms);

  /** @param {string} path @param {string} key */
  async function ask(path, key) {
    for (let tried = 0; tried < TRIES && drawn === key; tried++) {
      const answer = await fetch(path).catch(() => null);
      if (answer?.ok) return answer.json();
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
    return null;
  }

  /** @param {number} at_ms @param {string} key */
  async function open(at_ms, key) {
    stage.replaceChildren(head(at_ms, key), h("p", {}, t("look.waiting")));
    /** @type {ThrowPictures | undefined} */
    const seen = (await ask(`throw/${at_ms}.json`, key))?.throw;
    if (drawn !== key) return;
    if (!seen) return stage.replaceChildren(head(at_ms, key), h("p", {}, t("look.missing")));
    const others = seen.match ? (await ask(`throws/${seen.match}.json`, key))?.throws ?? [] : [];
    if (drawn !== key) return;
    const pictures = Array.from({ length: seen.cameras }, (_, n) =>
      picture(at_ms, n, seen.numbers?.[n] ?? n + 1, seen));
    stage.replaceChildren(head(at_ms, key, others.map((/** @type {ThrowSeen} */ other) => other.at_ms)),
      h("div", { class: `look-grid look-of-${seen.cameras}` }, pictures, beds(at_ms, seen)));
  }

  // The title, the way to the throws before and after it, and the way out.
  /** @param {number} at_ms @param {string} key @param {number[]} [all] */
  function head(at_ms, key, all = []) {
    const at = all.indexOf(at_ms);
    /** @param {import("../icons.js").IconName} icon @param {string} words @param {number} to */
    const step = (icon, words, to) => iconButton(icon, t(words), () => show(all[to]),
      { class: "plain", disabled: all[to] === undefined });
    const among = at >= 0 && all.length > 1;
    const shut = () => {
      enough = at_ms;
      if (throws(store).again !== null) show(null);
      update();
    };
    return h("header", { class: "look-head" }, h("h2", {}, t("look.title")),
      among ? h("span", {}, t("look.which", { number: all.length - at, of: all.length })) : null,
      ...(!store.mayAct() ? [] : [
        ...(among ? [step("back", "look.before", at + 1), step("on", "look.after", at - 1)] : []),
        app.role === "arbiter" ? button(t("look.save"),
          () => save(app, `throw/${at_ms}.zip`, `throw-${at_ms}.zip`)) : null,
        iconButton("close", t("close"), shut, { class: "plain" })]));
  }

  // One camera's picture, the place of the dart larger; a tap shows the whole board, and the place again.
  /** @param {number} at_ms @param {number} n @param {number} number @param {ThrowPictures} seen */
  function picture(at_ms, n, number, seen) {
    const words = t("look.camera", { number });
    const image = h("img", { src: `throw/${at_ms}/${n}.jpg`, alt: words, width: 720, height: 720 });
    const placed = Number.isFinite(seen.x_mm) && Number.isFinite(seen.y_mm);
    /** @param {number} mm */
    const share = (mm) => `${(50 * (1 + mm / REACH_MM)).toFixed(2)}%`;
    const draw = () => (image.style.transform = near && placed ? `scale(${CLOSER})` : "");
    if (placed) image.style.transformOrigin = `${share(seen.x_mm)} ${share(-seen.y_mm)}`;
    draw();
    image.addEventListener("turn", draw);
    const turn = () => {
      near = !near;
      for (const other of stage.querySelectorAll("img")) other.dispatchEvent(new Event("turn"));
    };
    const frame = store.mayAct() ? h("button", { type: "button", title: t("look.closer"), onclick: turn }, image)
      : h("div", {}, image);
    return h("figure", {}, frame, h("figcaption", {}, t("look.number", { number })));
  }

  /** @param {number} at_ms @param {ThrowPictures} seen */
  function beds(at_ms, seen) {
    /** @param {number} share */
    const percent = (share) => `${(100 * share).toFixed(share > 0.995 ? 0 : 1)} %`;
    return h("div", { class: "look-result" }, seen.beds.length ? h("ul", { class: "look-beds" },
      seen.beds.map(([bed, share]) => h("li", {}, h("strong", {}, bedName(bed)), h("span", {}, percent(share)))))
      : h("p", {}, t("question.unclear")),
    seen.truth ? h("p", {}, t("look.truth", { bed: bedName(seen.truth) })) : null,
    // A dart that bounced out left nothing to measure.
    app.role === "arbiter" && seen.news !== "bounced" ? button(t("look.give"), async () =>
      (await import("../dialogs/gift.js")).openGift(at_ms, seen,
        (path, name) => save(app, path, name)), { id: "gift" }) : null);
  }

  function update() {
    const { snapshot, welcome } = store;
    const asking = snapshot?.question?.code === "which_bed";
    const asked = asking ? newest(({ why }) => why === "in_doubt", welcome?.asked) : null;
    const at = throws(store).again ?? (asked === enough ? null : asked);
    const last = newest((reading) => seenMs(reading) !== null, welcome?.throw);
    const offered = at === null && store.mayAct() ? last : null;
    const key = `${at}/${offered}`;
    if (key === drawn) return;
    if (at !== null) near = true;
    drawn = key;
    stage.hidden = at === null;
    offer.hidden = offered === null;
    if (at !== null) open(at, key);
    else stage.replaceChildren();
    offer.replaceChildren(...(offered === null ? [] : [button(t("look.again"), () => show(offered))]));
  }

  return { update };
}

// Saves a file of the server under this name; resolves to whether it came.
/** @param {App} app @param {string} path @param {string} name */
async function save(app, path, name) {
  const answer = await app.fetchAsArbiter(path).catch(() => null);
  if (!answer?.ok) {
    app.say(t("look.missing"), "refused");
    return false;
  }
  const link = h("a", { href: URL.createObjectURL(await answer.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return true;
}
