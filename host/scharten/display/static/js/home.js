// The home page: play, practise, learn as three large pictures; a game that is on has its own picture.

import { Connection, credentials, socketAddress } from "./connection.js";
import { byId, h, setText } from "./dom.js";
import { showNewer } from "./features/newer.js";
import { setUpPage } from "./side-page.js";
import { Store } from "./store.js";
import { tile } from "./tiles.js";
import { gameName, t } from "./words.js";

const state = setUpPage("nav.home");
const { role, secret } = credentials("table");
const store = new Store(role);
const connection = new Connection(socketAddress(), role, secret);
const hello = h("h2", {}, t("first.hello"));
const play = tile("play");
const newer = h("p", { class: "newer", role: "status", hidden: true });
byId("home").append(hello, h("div", { class: "tiles" }, play, tile("practice"), tile("learn")), newer);

// Where a game is on, its players stand on the picture that leads to it.
function draw() {
  const { snapshot } = store;
  setText(hello, store.welcome?.club || t("first.hello"));
  const on = snapshot?.match && !snapshot.result && snapshot.phase !== "setup";
  const words = play.querySelector("small");
  if (!words) return;
  const names = { white: snapshot?.names.white || t("side.white"), black: snapshot?.names.black || t("side.black") };
  setText(words, on ? t("tile.on", { ...names, game: gameName(snapshot) }) : t("tile.play"));
}

store.on("change", draw);
store.on("change", (topic) => topic === "newer" && showNewer(store, newer));
connection.on("topic", ({ topic, payload }) => store.take(topic, payload));
connection.on("status", ({ status, code }) => {
  state.hidden = status !== "refused" && status !== "lost";
  state.textContent = state.hidden ? "" : t(status === "lost" ? "link.lost" : `refused.${code}`);
});
draw();
connection.open();
