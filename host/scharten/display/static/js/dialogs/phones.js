// Links and QR codes for other devices: a seat on a telephone, a screen on the wall; and one to keep a game.

import { keepSecret } from "../connection.js";
import { button, h, openDialog } from "../dom.js";
import { links } from "../features/links.js";
import { addWords, refusalText, t } from "../words.js";

const PATIENCE_MS = 40000;

/** @param {App} app */
export function openPhones(app) {
  const words = h("p", { role: "status" });
  const cards = h("div", { class: "phones" });
  const open = button(t("phones.share"), share, { id: "share-board", class: "primary" });
  const draw = () => {
    const { links: given, local } = links(app.store);
    open.hidden = !local || !app.store.welcome?.setup;
    words.textContent = t(!local ? "phones.words" : open.hidden ? "phones.local" : "phones.may_share");
    cards.replaceChildren(...given.map(linkCard));
  };
  const stop = app.store.on("change", (topic) => topic === "links" && draw());
  openDialog(t("phones"), [words, cards, open], { closeText: t("close"), className: "wide", onclose: stop });
  draw();

  async function share() {
    open.disabled = true;
    words.textContent = t("phones.sharing");
    const why = await openToNetwork(app);
    open.disabled = false;
    if (why) words.textContent = why;
  }
}

// Saves, as the set-up page does, that the network may look; the daemon then starts again, and this page keeps its
// place by the table's secret. Resolves to why it cannot be done, or "".
/** @param {App} app */
async function openToNetwork({ connection, role }) {
  const seen = await connection.ask("setup", { type: "look" }, PATIENCE_MS);
  const answer = seen.accepted ? await connection.ask("setup", { type: "save", digest: seen.file.digest,
    changes: { "web.host": "0.0.0.0" } }, PATIENCE_MS) : seen;
  if (!answer.accepted) {
    await addWords("problems");
    return refusalText(answer);
  }
  if (answer.secret) connection.secret = keepSecret(role, answer.secret);
  return "";
}

/** @param {PhoneLink} link */
export function linkCard({ role, url, qr }) {
  return h("figure", { class: "phone-link" }, qr ? h("img", { class: "qr", src: qr, alt: t("phones.code") }) : null,
    h("figcaption", {}, h("strong", {}, t(`phones.${role}`)), h("a", { href: url }, t("phones.open"))));
}

// Where the game that has ended can be looked at again: a link, and a code for phones where they reach this server.
/** @param {Store} store */
export function keepsake(store) {
  const match = store.snapshot?.match ?? "";
  const link = h("a", { class: "button keep", href: `archive#${match}` }, t("phones.keep"));
  if (links(store).local) return { link, code: [] };
  return { link, code: [h("figure", { class: "phone-link" },
    h("img", { class: "qr", src: `archive/${match}.svg`, alt: t("phones.code") }),
    h("figcaption", {}, t("phones.keep")))] };
}
