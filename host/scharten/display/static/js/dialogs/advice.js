// Where to aim: the safe aim and the best aim, and the cost of the cheapest fields.

import { drawAims } from "../board-aims.js";
import { byId, h, iconButton, openDialog } from "../dom.js";
import { advice, advised } from "../features/advice.js";
import { Dartboard } from "../dartboard.js";
import { svg } from "../svg.js";
import { bedName, t } from "../words.js";

/** @param {number} share */
const percent = (share) => Math.round(share * 100);

// On a board that is a dartboard the advice stands on it, beside a card of words that goes with the turn. A game on
// squares has a dartboard of its own in a dialog.
/** @param {App} app */
export function openAdvice(app) {
  if (app.board.form.dartboard) onTheBoard(app);
  else inDialog(app);
}

/** @param {App} app */
function onTheBoard(app) {
  document.getElementById("advice-card")?.querySelector("button")?.click();
  const { store, board } = app;
  const { match, turns } = store.present;
  const room = h("div", { class: "advice-words", "aria-live": "polite" }, h("p", {}, t("advice.waits")));
  const card = h("section", { class: "card advice-card", id: "advice-card" }, h("header", { class: "dialog-head" },
    h("h2", {}, t("advice")), iconButton("close", t("close"), close, { class: "plain" })), room);
  const stop = store.on("change", draw);
  byId("actions").before(card);
  ask(app, close);
  draw();

  function draw() {
    const { snapshot } = store;
    const gone = snapshot?.match !== match || snapshot.turns !== turns || snapshot.result;
    if (gone) return close();
    const found = advised(store);
    drawAims(board, store.reviewing === null ? found : null);
    if (found) room.replaceChildren(...lines(found, advice(store)?.scatter), cheapest(found));
  }

  function close() {
    stop();
    card.remove();
    drawAims(board, null);
  }
}

/** @param {App} app */
function inDialog(app) {
  const room = h("div", { class: "advice", "aria-live": "polite" }, h("p", {}, t("advice.waits")));
  const show = () => {
    const found = advised(app.store);
    if (found) room.replaceChildren(...drawn(found, advice(app.store)?.scatter));
  };
  const stop = app.store.on("change", show);
  const dialog = openDialog(t("advice"), room, { closeText: t("close"), className: "wide", onclose: stop });
  show();
  ask(app, () => dialog.close());
}

/** @param {App} app @param {() => void} refused */
async function ask(app, refused) {
  if (advised(app.store)) return;
  const answer = await app.command("advise");
  if (!answer.accepted) refused();
}

/** @param {AdviceBody} body @param {ScatterModel | null | undefined} scatter */
function drawn(body, scatter) {
  const { safe, best, fields } = body;
  const place = h("div", { class: "advice-board" });
  const board = new Dartboard(place, { label: t("advice") });
  board.light({ zone: [], free: fields.map(({ bed }) => bed), asked: [] });
  const said = h("p", { class: "help", role: "status" }, t("advice.choose"));
  for (const [name, aim] of Object.entries({ safe, best })) mark(board, aim, name);
  for (const field of fields) {
    const say = () => (said.textContent = words(field));
    board.beds.get(field.bed)?.addEventListener("click", say);
    board.beds.get(field.bed)?.addEventListener("pointerenter", say);
  }
  return [place, h("div", { class: "advice-words" }, lines(body, scatter), said, cheapest(body))];
}

/** @param {AdviceBody} advice @param {ScatterModel | null | undefined} scatter */
function lines({ safe, best }, scatter) {
  const equal = safe.x_mm === best.x_mm && safe.y_mm === best.y_mm;
  return [...(equal ? [line("advice.both", best)] : [line("advice.safe", safe), line("advice.best", best)]),
    h("p", { class: "help" }, scatter?.darts ? t("advice.scatter", { mm: Math.round(scatter.mm), darts: scatter.darts })
      : t("advice.guest", { mm: Math.round(scatter?.mm ?? 0) }))];
}

/** @param {AdviceBody} advice */
function cheapest({ fields }) {
  return h("ol", { class: "advice-fields" }, fields.slice(0, 6).map((field) => h("li", {}, words(field))));
}

/** @param {Dartboard} board @param {DartPoint} aim @param {string} name */
function mark(board, { x_mm: x, y_mm: y }, name) {
  svg("path", { d: `M${x - 9} ${-y}h18M${x} ${-y - 9}v18`, class: `advised ${name}` }, board.svg);
}

/**
 * @param {string} key
 * @param {AdvisedAim} aim
 */
function line(key, { bed, part, placed, lost }) {
  return h("p", { class: "headline" }, h("strong", {}, t(key)), " ",
    t(`advice.part.${part}`, { bed: bedName(bed) }), " ",
    h("span", { class: "help" }, t("advice.chance", { placed: percent(placed), lost: percent(lost) })));
}

/** @param {FieldAdviceModel} field */
function words({ field, bed, hit, placed, cost }) {
  return t(cost < 0.05 ? "advice.field.free" : "advice.field",
    { field, bed: bedName(bed), hit: percent(hit), placed: percent(placed), cost: cost.toFixed(1) });
}
