// Two boards, one game: invite somebody at another board, or play at another board as a guest.

import { button, h, openDialog } from "../dom.js";
import { addWords, gameName, refusalText, t } from "../words.js";

const PATIENCE_MS = 40_000; // a line across a country, and its certificate

/** @param {App} app @param {string} type @param {Record<string, unknown>} [fields] @returns {Promise<Reply>} */
export async function askRemote(app, type, fields = {}) {
  const answer = await app.connection.ask("remote", { type, ...fields }, PATIENCE_MS);
  if (answer.status) app.store.take("remote", answer.status); // ahead of the message to every page
  if (answer.accepted) return { ...answer, words: "" };
  await addWords("problems");
  return { ...answer, words: refusalText(answer) };
}

// The link, its code and the letters to read out, until the guest is there.
/** @param {App} app */
export function openInvitation(app) {
  const body = h("div", { class: "invitation" });
  const draw = () => {
    const line = app.store.remote;
    if (line.state !== "invited") return dialog.close();
    body.replaceChildren(
      h("p", {}, t("remote.read_out")),
      h("p", { class: "letters", id: "letters" }, line.letters ?? ""),
      h("p", {}, t("remote.address", { address: line.address ?? "" })),
      h("p", {}, t("remote.or_link")),
      h("textarea", { id: "invitation-link", readonly: "", rows: "3" }, line.link ?? ""),
      line.qr ? h("img", { class: "qr", src: line.qr, alt: t("phones.code") }) : "",
      h("p", { class: "small" }, t("remote.hour")),
      h("div", { class: "action-row" },
        button(t("remote.withdraw"), () => askRemote(app, "withdraw"), { id: "withdraw" })));
  };
  const stop = app.store.on("change", (topic) => topic === "remote" && draw());
  const dialog = openDialog(t("remote.invited"), body, { closeText: t("close"), className: "wide", onclose: stop });
  draw();
}

// The dialog that shows an invitation and asks the guest to accept it.
/** @param {App} app */
export function openGuest(app) {
  const link = h("input", { id: "guest-link", type: "text", autocomplete: "off", spellcheck: "false" });
  const name = h("input", { id: "guest-name", type: "text", maxlength: "40", autocomplete: "off" });
  const status = h("p", { role: "status", id: "guest-status" });
  const offer = h("div", { class: "offer", id: "offer" });
  const look = button(t("remote.look"), ask, { id: "guest-look", class: "primary" });
  const form = h("form", { method: "dialog", class: "guest-form" },
    h("p", {}, t("remote.enter")),
    h("div", { class: "option" }, h("label", { for: "guest-link" }, t("remote.invitation")), link),
    h("div", { class: "option" }, h("label", { for: "guest-name" }, t("remote.your_name")), name),
    h("div", { class: "action-row" }, look,
      app.store.remote.meets ? button(t("remote.lobby"), lobby, { id: "lobby" }) : null), status, offer);
  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  const dialog = openDialog(t("remote.play_there"), form,
    { closeText: t("close"), className: "wide", keepsInput: true });

  async function ask() {
    status.textContent = t("remote.asking");
    offer.replaceChildren();
    const answer = await askRemote(app, "ask", { link: link.value.trim() });
    status.textContent = answer.words ?? "";
    if (answer.accepted && answer.offer) offer.replaceChildren(...offered(answer.offer));
  }

  // Who waits at the configured meeting place; a tap reads that invitation.
  async function lobby() {
    status.textContent = t("remote.asking");
    offer.replaceChildren();
    const answer = await askRemote(app, "lobby");
    /** @type {(RemoteOffer & { link: string })[]} */
    const entries = answer.offer?.entries ?? [];
    status.textContent = answer.words || (entries.length ? "" : t("remote.lobby_empty"));
    const choose = (/** @type {string} */ chosen) => {
      link.value = chosen;
      ask();
    };
    offer.replaceChildren(...entries.map((entry) => button(
      `${entry.by || t("remote.somebody")}: ${gameName({ game: { key: entry.game }, kind: entry.kind })}`,
      () => choose(entry.link), { class: "lobby-entry" })));
  }

  /** @param {RemoteOffer} found */
  function offered(found) {
    const clock = found.clock ? t("remote.with_clock") : t("remote.no_clock");
    return [
      h("p", { class: "who" }, t("remote.offer", { by: found.by || t("remote.somebody"), host: found.host,
        game: gameName({ game: { key: found.game }, kind: found.kind }) }), " ", clock),
      h("p", { class: "leaves" }, t(found.cameras ? "remote.leaves_house_pictures" : "remote.leaves_house")),
      found.asks ? h("p", {}, t("remote.host_answers")) : "",
      h("div", { class: "action-row" }, button(t("remote.yes"), accept, { id: "guest-yes", class: "big primary" }))];
  }

  async function accept() {
    const answer = await askRemote(app, "accept", { name: name.value.trim() });
    status.textContent = answer.words ?? "";
    if (answer.accepted) dialog.close();
  }
}
