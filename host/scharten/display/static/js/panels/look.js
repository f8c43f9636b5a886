// The throw again: what every camera saw, laid on the board's plane, over the board that is drawn, and how likely
// each bed is. A question about a bed shows it by itself; anyone who may act shows a throw of this game on every page
// of this board, the one on the wall too.

import { button, h, iconButton } from "../dom.js";
import { bedName, t } from "../words.js";

const TRIES = 8, AGAIN_MS = 500; // the cameras write the pictures a moment after the dart was told
const REACH_MM = 185; // from the bull to the sides of a picture
const CLOSER = 2.5; // how much larger the place of the dart is shown

const seenMs = ({ source, seen_ms, at_ms }) => seen_ms ?? (source === "camera" ? at_ms : null);

/** @param {App} app */
export function createLook(app, stage, offer) {
  const { store } = app;
  let drawn = "";
  let enough = null; // the throw of a question that somebody here has seen enough of
  let near = true;

  // The newest dart of this game that `wanted` holds for, as this page heard it, or the server before: when the cameras
  // saw it, by which its pictures go; null if they did not, or there is none.
  function newest(wanted, before) {
    const { snapshot, readings, welcome } = store;
    if (!welcome?.throws || !snapshot) return null;
    const found = readings.find((one) => one.match === snapshot.match && wanted(one));
    if (found) return seenMs(found);
    return before?.match === snapshot.match ? before.at_ms : null;
  }

  const show = (at_ms) => app.look(at_ms);

  async function ask(path, key) {
    for (let tried = 0; tried < TRIES && drawn === key; tried++) {
      const answer = await fetch(path).catch(() => null);
      if (answer?.ok) return answer.json();
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
    return null;
  }

  async function open(at_ms, key) {
    stage.replaceChildren(head(at_ms, key), h("p", {}, t("look.waiting")));
    const told = (await ask(`throw/${at_ms}.json`, key))?.throw;
    if (drawn !== key) return;
    if (!told) return stage.replaceChildren(head(at_ms, key), h("p", {}, t("look.missing")));
    const others = told.match ? (await ask(`throws/${told.match}.json`, key))?.throws ?? [] : [];
    if (drawn !== key) return;
    const pictures = Array.from({ length: told.cameras }, (_, n) =>
      picture(at_ms, n, told.numbers?.[n] ?? n + 1, told));
    stage.replaceChildren(head(at_ms, key, others.map((one) => one.at_ms)),
      h("div", { class: `look-grid look-of-${told.cameras}` }, pictures, beds(told)));
  }

  // The title, the way to the throws before and after it, and the way out.
  function head(at_ms, key, all = []) {
    const at = all.indexOf(at_ms);
    const step = (icon, words, to) => iconButton(icon, t(words), () => show(all[to]),
      { class: "plain", disabled: all[to] === undefined });
    const among = at >= 0 && all.length > 1;
    const shut = () => {
      enough = at_ms;
      if (store.throwAgain !== null) show(null);
      update();
    };
    return h("header", { class: "look-head" }, h("h2", {}, t("look.title")),
      among ? h("span", {}, t("look.which", { number: all.length - at, of: all.length })) : null,
      ...(!store.mayAct() ? [] : [
        ...(among ? [step("back", "look.before", at + 1), step("on", "look.after", at - 1)] : []),
        app.role === "arbiter" ? button(t("look.save"), () => save(at_ms)) : null,
        iconButton("close", t("close"), shut, { class: "plain" })]));
  }

  // One camera's picture, the place of the dart larger; a tap shows the whole board, and the place again.
  function picture(at_ms, n, number, told) {
    const words = t("look.camera", { number });
    const image = h("img", { src: `throw/${at_ms}/${n}.jpg`, alt: words, width: 720, height: 720 });
    const placed = Number.isFinite(told.x_mm) && Number.isFinite(told.y_mm);
    const share = (mm) => `${(50 * (1 + mm / REACH_MM)).toFixed(2)}%`;
    const draw = () => (image.style.transform = near && placed ? `scale(${CLOSER})` : "");
    if (placed) image.style.transformOrigin = `${share(told.x_mm)} ${share(-told.y_mm)}`;
    draw();
    image.addEventListener("turn", draw);
    const turn = () => {
      near = !near;
      for (const one of stage.querySelectorAll("img")) one.dispatchEvent(new Event("turn"));
    };
    const frame = store.mayAct() ? h("button", { type: "button", title: t("look.closer"), onclick: turn }, image)
      : h("div", {}, image);
    return h("figure", {}, frame, h("figcaption", {}, t("look.number", { number })));
  }

  function beds(told) {
    const percent = (share) => `${(100 * share).toFixed(share > 0.995 ? 0 : 1)} %`;
    return h("div", { class: "look-told" }, told.beds.length ? h("ul", { class: "look-beds" },
      told.beds.map(([bed, share]) => h("li", {}, h("strong", {}, bedName(bed)), h("span", {}, percent(share)))))
      : h("p", {}, t("question.unclear")),
    told.truth ? h("p", {}, t("look.truth", { bed: bedName(told.truth) })) : null);
  }

  async function save(at_ms) {
    const answer = await app.fetchAsArbiter(`throw/${at_ms}.zip`).catch(() => null);
    if (!answer?.ok) return app.say(t("look.missing"), "refused");
    const link = h("a", { href: URL.createObjectURL(await answer.blob()), download: `throw-${at_ms}.zip` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  function update() {
    const { snapshot, welcome } = store;
    const asking = snapshot?.question?.code === "which_bed";
    const asked = asking ? newest(({ why }) => why === "in_doubt", welcome?.asked) : null;
    const at = store.throwAgain ?? (asked === enough ? null : asked);
    const last = newest((one) => seenMs(one) !== null, welcome?.throw);
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
