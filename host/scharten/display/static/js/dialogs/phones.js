// Links and QR codes for other devices: a seat on a telephone, a screen on the wall; and one to keep a game.

import { h, openDialog } from "../dom.js";
import { links } from "../features/links.js";
import { t } from "../words.js";

/** @param {App} app */
export function openPhones(app) {
  const { links: given, local } = links(app.store);
  const words = h("p", {}, t(local || !given.length ? "phones.local" : "phones.words"));
  openDialog(t("phones"), [words, h("div", { class: "phones" }, given.map(linkCard))],
    { closeText: t("close"), className: "wide" });
}

/** @param {PhoneLink} link */
export function linkCard({ role, url, qr }) {
  return h("figure", { class: "phone-link" }, qr ? h("img", { class: "qr", src: qr, alt: t("phones.code") }) : null,
    h("figcaption", {}, h("strong", {}, t(`phones.${role}`)), h("a", { href: url }, t("phones.open"))));
}

// Where the game that has ended can be looked at again; with a code for phones where they reach this server.
/** @param {Store} store */
export function keepsake(store) {
  const { welcome, snapshot } = store;
  if (!welcome?.archive || !snapshot?.match) return [];
  const url = `archive#${snapshot.match}`;
  // No phone reaches a server that only this machine reaches.
  if (links(store).local) return [h("a", { class: "keep", href: url }, t("phones.keep"))];
  return [linkCard({ role: "keep", url, qr: `archive/${snapshot.match}.svg` })];
}
