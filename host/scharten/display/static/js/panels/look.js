// The throw again: what every camera saw, laid on the board's plane, and how likely each bed is. A question about a bed
// shows it by itself; anyone who may act shows it on every page of this board, the one on the wall too.

import { button, h, iconButton } from "../dom.js";
import { bedName, t } from "../words.js";

const TRIES = 8, AGAIN_MS = 500; // the cameras write the pictures a moment after the dart was told

/** @param {App} app */
export function createLook(app, host) {
  const { store } = app;
  let drawn = "";

  // The cameras' newest dart of this game, or null.
  function newest() {
    const { snapshot, readings, welcome } = store;
    if (!welcome?.throws || !snapshot) return null;
    const found = readings.find(({ source, seen_ms, match }) =>
      (source === "camera" || seen_ms) && match === snapshot.match);
    return found ? { ...found, at_ms: found.seen_ms ?? found.at_ms } : null; // its pictures go by the cameras' time
  }

  const show = (at_ms) => app.look(at_ms);

  async function load(at_ms, key) {
    for (let tried = 0; tried < TRIES && drawn === key; tried++) {
      const answer = await fetch(`throw/${at_ms}.json`).catch(() => null);
      if (answer?.ok) return (await answer.json()).throw;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
    return null;
  }

  async function open(at_ms, key, closable) {
    host.replaceChildren(h("h2", {}, t("look.title")), h("p", {}, t("look.waiting")));
    const told = await load(at_ms, key);
    if (drawn !== key) return;
    const close = closable && store.mayAct()
      ? iconButton("close", t("close"), () => show(null), { class: "plain" }) : null;
    const head = h("header", { class: "dialog-head" }, h("h2", {}, t("look.title")), close);
    if (!told) return host.replaceChildren(head, h("p", {}, t("look.missing")));
    const pictures = Array.from({ length: told.cameras }, (_, n) => h("img", { src: `throw/${at_ms}/${n}.jpg`,
      alt: t("look.camera", { number: n + 1 }), width: 480, height: 480 }));
    host.replaceChildren(head, h("div", { class: "look-pictures" }, pictures),
      h("ul", { class: "look-beds" }, told.beds.map(([bed, share]) => h("li", {}, h("strong", {}, bedName(bed)),
        h("span", {}, ` ${(100 * share).toFixed(share > 0.995 ? 0 : 1)} %`)))),
      told.truth ? h("p", {}, t("look.truth", { bed: bedName(told.truth) })) : null,
      h("div", { class: "action-row" }, app.role === "arbiter" ? button(t("look.save"), () => save(at_ms)) : null,
        told.match ? h("a", { href: `throws/${told.match}.json` }, t("look.all")) : null));
  }

  async function save(at_ms) {
    const answer = await app.fetchAsArbiter(`throw/${at_ms}.zip`).catch(() => null);
    if (!answer?.ok) return app.say(t("look.missing"), "refused");
    const link = h("a", { href: URL.createObjectURL(await answer.blob()), download: `throw-${at_ms}.zip` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  return {
    update() {
      const last = newest();
      const asked = store.snapshot?.question?.code === "which_bed" && last?.why === "in_doubt" ? last.at_ms : null;
      const at = store.throwAgain ?? asked;
      const offered = at === null && last && store.mayAct() ? last.at_ms : null;
      const key = `${at}/${offered}/${store.throwAgain}`;
      if (key === drawn) return;
      drawn = key;
      host.hidden = at === null && offered === null;
      host.classList.toggle("look-open", at !== null);
      if (at !== null) open(at, key, store.throwAgain !== null);
      else if (offered !== null) host.replaceChildren(button(t("look.again"), () => show(offered)));
      else host.replaceChildren();
    },
  };
}
