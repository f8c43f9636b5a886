// A new game: every option explained in a sentence; and a rematch with the colours swapped in one tap.

import { button, h, openDialog } from "../dom.js";
import { t } from "../words.js";

const OPTIONS = {
  zones: ["half", "half_with_o", "home"], // besides a list of fields of one's own
  support: ["field_value", "count"],
  protection: ["until_moved", "off"],
  double_step: ["first_move", "home_row"],
  touch_move: ["off", "on"],
  arming: ["announce", "auto"],
};
const CLOCKS = {
  none: null,
  blitz: { stages: [{ moves: null, minutes: 10 }], increment_s: 5 },
  club: { stages: [{ moves: null, minutes: 30 }], increment_s: 10 },
  long: { stages: [{ moves: 40, minutes: 100 }, { moves: 20, minutes: 50 }, { moves: null, minutes: 15 }], increment_s: 0 },
};

const TIME = " *([0-9]+/[0-9]+[ ,]+)*[0-9]+ *";
const FIELDS = " *([oa-i][1-8][ ,]*)*";

const running = (snapshot) => snapshot && !["setup", "finished"].includes(snapshot.phase);

export function openNewGame(app) {
  const { snapshot } = app.store;
  const options = snapshot?.game.options ?? {};
  const fields = new Map();
  const row = (name, input, help = t(`new.${name}.help`)) => {
    input.id = `new-${name}`;
    fields.set(name, input);
    return h("div", { class: "option" }, h("label", { for: input.id }, t(`new.${name}`)), input, help ? h("p", { class: "help" }, help) : null);
  };
  const select = (name, values, chosen, prefix = `new.${name}`) => {
    const input = h("select", {}, values.map((value) => h("option", { value }, t(`${prefix}.${value}`))));
    if (values.includes(chosen)) input.value = chosen;
    return row(name, input);
  };
  const text = (name, value) => row(name, h("input", { type: "text", maxlength: "40", autocomplete: "off", value: value ?? "" }), null);
  const number = (name, value, min, max, step = 1) => row(name, h("input", { type: "number", min: String(min), max: String(max), step: String(step), value: String(value) }));
  const pattern = (name, value, allowed) => row(name, h("input", { type: "text", autocomplete: "off", spellcheck: "false", pattern: allowed, value }));
  const option = (name) => select(name, OPTIONS[name], options[name] ?? undefined);
  const [names, limits] = [snapshot?.names ?? {}, options.foul_limit ?? {}];
  const form = h("form", { class: "new-game", method: "dialog" },
    select("kind", ["loud", "silent"], snapshot?.kind),
    h("div", { class: "two" }, text("white_name", names.white), text("black_name", names.black)),
    select("white_by", ["agreed", "lot", "dart"], options.white_by),
    select("clock", [...Object.keys(CLOCKS), "own"], clockName(options.clock)),
    h("div", { class: "two own-clock", hidden: true }, pattern("time", "20", TIME), number("increment", 5, 0, 600)),
    h("fieldset", { class: "loud-only" }, h("legend", {}, t("new.darts")),
      h("div", { class: "two" }, number("white_fouls", limits.white ?? 3, 1, 99), number("black_fouls", limits.black ?? 3, 1, 99)),
      select("zones", [...OPTIONS.zones, "own"], typeof options.zones === "object" ? "own" : options.zones),
      h("div", { class: "two own-zones", hidden: true }, ...["white", "black"].map((side) => pattern(`${side}_zone`, options.zones?.[side]?.join(" ") ?? "", FIELDS))),
      option("arming"), number("settle_s", (options.settle_ms ?? 1500) / 1000, 0, 60, 0.5),
      select("bounce_counts", ["yes", "no"], options.bounce_counts === false ? "no" : "yes")),
    h("fieldset", {}, h("legend", {}, t("new.rules")), option("support"), protection(), option("double_step"), option("touch_move")),
    running(snapshot) ? h("p", { class: "warning" }, t("new.abandon")) : null,
    h("div", { class: "action-row" }, button(t("new.start"), () => start(), { class: "big primary", id: "start-game" })));

  function protection() {
    return select("protection", ["default", "until_moved", "off"], "default"); // what is usual depends on the kind
  }

  const value = (name) => fields.get(name).value;
  const show = () => {
    form.querySelector(".loud-only").hidden = value("kind") === "silent";
    form.querySelector(".own-clock").hidden = value("clock") !== "own";
    const ownZones = value("zones") === "own";
    form.querySelector(".own-zones").hidden = !ownZones;
    for (const side of ["white", "black"]) fields.get(`${side}_zone`).required = ownZones && value("kind") === "loud";
  };
  form.addEventListener("change", show);
  show();

  async function start() {
    if (!form.reportValidity()) return;
    const wish = wishOf(value);
    const fresh = running(snapshot) ? { abandon: true } : {};
    const seats = snapshot?.seats ?? { seat1: "white", seat2: "black" };
    const answer = await app.command("new_game", { ...wish, seats: { seat1: seats.seat1 ?? "white", seat2: seats.seat2 ?? "black" }, ...fresh });
    if (answer.accepted) dialog.close();
  }

  const dialog = openDialog(t("new_game"), form, { closeText: t("close"), className: "wide" });
}

function wishOf(value) {
  const loud = value("kind") === "loud";
  const options = { support: value("support"), double_step: value("double_step"), touch_move: value("touch_move"), white_by: value("white_by") };
  if (value("protection") !== "default") options.protection = value("protection");
  if (loud) {
    options.foul_limit = { white: Number(value("white_fouls")), black: Number(value("black_fouls")) };
    options.zones = value("zones") === "own" ? { white: words(value("white_zone")), black: words(value("black_zone")) } : value("zones");
    options.arming = value("arming");
    options.settle_ms = Math.round(Number(value("settle_s")) * 1000);
    options.bounce_counts = value("bounce_counts") === "yes";
  }
  const own = { stages: words(value("time")).map(stage), increment_s: Number(value("increment")) };
  return {
    kind: value("kind"), options, names: { white: value("white_name").trim(), black: value("black_name").trim() },
    clock: value("clock") === "own" ? own : CLOCKS[value("clock")],
  };
}

function words(text) {
  return text.split(/[\s,]+/).filter(Boolean);
}

// "40/100" is 40 moves in 100 minutes, "15" the rest in 15.
function stage(text) {
  const [first, second] = text.split("/").map(Number);
  return second === undefined ? { moves: null, minutes: first } : { moves: first, minutes: second };
}

function clockName(clock) {
  const text = JSON.stringify(clock ?? null);
  return Object.keys(CLOCKS).find((name) => JSON.stringify(CLOCKS[name]) === text) ?? "none";
}

const WISHES = ["foul_limit", "zones", "support", "protection", "double_step", "touch_move", "arming", "settle_ms", "bounce_counts"];

// The same game with the colours swapped; the players keep their seats.
export function rematch(app) {
  const { snapshot } = app.store;
  const chosen = snapshot.game.options;
  const options = Object.fromEntries(WISHES.filter((name) => chosen[name] !== undefined && chosen[name] !== null).map((name) => [name, chosen[name]]));
  if (options.foul_limit) options.foul_limit = { white: options.foul_limit.black, black: options.foul_limit.white };
  const other = (side) => (side === "white" ? "black" : "white");
  const seats = { seat1: other(snapshot.seats?.seat1 ?? "white"), seat2: other(snapshot.seats?.seat2 ?? "black") };
  return app.command("new_game", {
    kind: snapshot.kind, options: { ...options, white_by: "agreed" }, seats,
    names: { white: snapshot.names?.black ?? "", black: snapshot.names?.white ?? "" },
    clock: chosen.clock,
  });
}
