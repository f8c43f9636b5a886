// The top line: what kind of game, how the connection is, and the doors to the dialogs.

import { button, h, iconButton, setText, withLinks } from "../dom.js";
import { icon } from "../icons.js";
import { healthTrouble } from "../health.js";
import { gameName, t } from "../words.js";
import { later } from "../dialogs/later.js";
import { openPhones } from "../dialogs/phones.js";

/** @param {App} app */
export function createHeader(app, host, trouble, drawerHandle) {
  const { store, connection, role } = app;
  const opens = (script, name) => () => later(app, script, name);
  const title = h("h1");
  const tools = h("nav", { class: "tools", "aria-label": t("tools") });
  if (role !== "display") tools.append(button(t("new_game"), opens("new-game", "openNewGame"), { id: "new-game" }));
  const hold = button("", () => app.command(store.snapshot?.phase === "paused" ? "resume" : "pause"), { id: "pause" });
  hold.classList.add("icon");
  const undo = iconButton("undo", t("take_back"), () => app.command("take_back", { turns: 1 }), { id: "take-back" });
  const redo = iconButton("redo", t("redo"), () => app.command("move", { move: store.again()?.move }), { id: "redo" });
  const phones = iconButton("phone", t("phones"), () => openPhones(app), { id: "phones" });
  const who = iconButton("person", t("new.person"), opens("kept-players", "openWho"), { id: "who", hidden: true });
  if (role.startsWith("seat")) tools.append(who);
  if (role !== "display") tools.append(undo, redo);
  if (role === "table" || role === "arbiter") tools.append(hold, phones);
  if (role === "arbiter") tools.append(button(t("arbiter"), opens("arbiter", "openArbiter"), { id: "arbiter" }));
  const results = button(t("results"), opens("results", "openResults"), { id: "results", hidden: true });
  tools.append(
    results, drawerHandle,
    iconButton("flip", t("flip"), () => store.flip(), { id: "flip" }),
    iconButton("full_screen", t("full_screen"), toggleFullScreen, { id: "full-screen" }),
    iconButton("settings", t("settings"), opens("settings", "openSettings"), { id: "settings" }),
  );
  host.append(title, tools);

  function drawHold(paused) {
    const name = t(paused ? "resume" : "pause");
    if (hold.title === name) return;
    hold.title = name;
    hold.setAttribute("aria-label", name);
    hold.replaceChildren(icon(paused ? "on" : "pause"));
  }

  function troubleWords() {
    if (connection.status === "refused") return t(`refused.${connection.code}`);
    if (connection.status === "lost") return connection.code ? t(`refused.${connection.code}`) : t("link.lost");
    if (connection.status === "connecting") return t("link.connecting");
    if (!store.brokerUp) return t("link.no_broker");
    if (store.availability === "offline") return t("link.offline");
    return healthTrouble(store.health ?? {});
  }

  const known = new Map(); // each sensor's state as this page heard it last

  // A sensor that was away is there again: said, since the words that it was away have gone.
  function greet() {
    for (const { name, state } of store.health?.sources ?? []) {
      if (state === "found" && known.get(name) === false) {
        app.say(t(name === "camera" ? "health.again.camera" : "health.again.board"));
      }
      if (state === "found" || known.has(name)) known.set(name, state === "found");
    }
  }

  let drawnTrouble = "";

  function drawTrouble() {
    const words = troubleWords();
    trouble.hidden = !words;
    if (words === drawnTrouble) return;
    drawnTrouble = words;
    const query = { role: role === "arbiter" ? role : "", camera: store.health?.calibrate?.camera };
    trouble.replaceChildren(...withLinks(words, query));
  }

  return {
    update() {
      drawTrouble();
      greet();
      document.body.classList.toggle("cut-off", connection.status !== "open" || !store.brokerUp
        || store.availability === "offline");
      who.hidden = !store.welcome?.players;
      results.hidden = !store.results.length;
      const phase = store.snapshot?.phase;
      hold.hidden = !phase || phase === "setup" || phase === "finished";
      drawHold(phase === "paused");
      undo.disabled = !store.snapshot?.turns;
      redo.hidden = !store.again();
      title.title = store.snapshot?.match ? gameName(store.snapshot) : store.welcome?.club || "Scharten";
      setText(title, title.title);
    },
  };
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}
