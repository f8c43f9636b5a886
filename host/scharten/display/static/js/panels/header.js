// The top line: the kind of game, the state of the connection, and the buttons of the dialogs.

import { button, h, iconButton, setText, withLinks } from "../dom.js";
import { icon } from "../icons.js";
import { results as finished } from "../features/results.js";
import { health, healthTrouble } from "../health.js";
import { linkWords } from "../link-words.js";
import { navigation } from "../nav.js";
import { gameName, t } from "../words.js";
import { later } from "../dialogs/later.js";

const LOOK_ON = "?role=display&guest";

/**
 * @param {App} app
 * @param {HTMLElement} host
 * @param {HTMLElement} trouble
 * @param {HTMLElement} drawerHandle
 */
export function createHeader(app, host, trouble, drawerHandle) {
  const { store, connection, role } = app;
  /** @param {string} script @param {string} name */
  const opens = (script, name) => () => later(app, script, name);
  const title = h("h1");
  const tools = h("div", { class: "tools", role: "group", "aria-label": t("tools") });
  if (role !== "display") tools.append(button(t("new_game"), opens("new-game", "openNewGame"), { id: "new-game" }));
  const hold = button("", () => app.command(store.snapshot?.phase === "paused" ? "resume" : "pause"), { id: "pause" });
  hold.classList.add("icon");
  const undo = iconButton("undo", t("take_back"), () => app.command("take_back", { turns: 1 }), { id: "take-back" });
  const playAgain = () => app.command("move", { move: store.nextRedo()?.move });
  const redo = iconButton("redo", t("redo"), playAgain, { id: "redo" });
  const phones = iconButton("phone", t("phones"), opens("phones", "openPhones"), { id: "phones" });
  const who = iconButton("person", t("new.person"), opens("registered", "openWho"), { id: "who", hidden: true });
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
  host.append(navigation(), title, tools);

  /** @param {boolean} paused */
  function drawHold(paused) {
    const name = t(paused ? "resume" : "pause");
    if (hold.title === name) return;
    hold.title = name;
    hold.setAttribute("aria-label", name);
    hold.replaceChildren(icon(paused ? "on" : "pause"));
  }

  function troubleWords() {
    if (connection.status !== "open") return linkWords(connection);
    if (!store.brokerUp) return t("link.no_broker");
    if (store.availability === "offline") return t("link.offline");
    return healthTrouble(health(store));
  }

  const known = new Map(); // each sensor's state as this page heard it last

  // Announces that a lost sensor is back, since the words about its loss are gone.
  function greet() {
    for (const { name, state } of health(store).sources ?? []) {
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
    const query = { role: role === "arbiter" ? role : "", camera: health(store).calibrate?.camera };
    trouble.replaceChildren(...withLinks(words, query));
    if (connection.code === "wrong_secret") trouble.append(" ", h("a", { href: LOOK_ON }, t("guest.look_on")));
  }

  return {
    update() {
      drawTrouble();
      greet();
      document.body.classList.toggle("cut-off", connection.status !== "open" || !store.brokerUp
        || store.availability === "offline");
      who.hidden = !store.welcome?.players;
      results.hidden = !finished(store).length;
      const phase = store.snapshot?.phase;
      hold.hidden = !phase || phase === "setup" || phase === "finished";
      drawHold(phase === "paused");
      undo.disabled = !store.snapshot?.turns;
      redo.hidden = !store.nextRedo();
      title.title = store.snapshot?.match ? gameName(store.snapshot) : store.welcome?.club || "Scharten";
      setText(title, title.title);
    },
  };
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}
