// A dart that did not count, or was lost but would suit the other side: perhaps something was forgotten. What would
// come of it stands on the buttons.

import { button, h } from "../dom.js";
import { openAddition } from "../dialogs/correct.js";
import { throws } from "../features/throws.js";
import { fieldOf } from "../geometry.js";
import { bedName, nameOf, t, tell } from "../words.js";

const FORGOTTEN_MS = 45000;
const UNANNOUNCED = new Set(["not_announced", "move_forgotten"]);

/**
 * @typedef {[words: string, act: () => unknown]} Cure a button
 * @typedef {{key: string, words: string, cures: Cure[], none?: string}} Doubt
 */

/** @param {App} app @param {HTMLElement} host */
export function createDoubt(app, host) {
  const { store } = app;
  let settled = ""; // the doubt that was answered on this page

  /** @param {Snapshot} snapshot @returns {Doubt | null} */
  function found(snapshot) {
    const { message } = snapshot;
    if (store.welcome?.simulated) return null; // a press announces itself: nothing can be forgotten
    if (message?.code === "lost" && message.args?.move_forgotten) return lostForTheOther(snapshot);
    const [reading] = throws(store).readings;
    if (!reading || reading.counted || Date.now() - reading.arrived > FORGOTTEN_MS) return null;
    if (!reading.bed && reading.source !== "camera") return null;
    // A turn later, or in another game, the dart is history.
    if (reading.match !== snapshot.match || reading.turns !== snapshot.turns) return null;
    return reading.bed ? didNotCount(snapshot, reading, reading.bed) : notMadeOut(reading);
  }

  // The cameras saw a change that they could not place, while no dart was due: the page asks all the same.
  /** @param {import("../features/throws.js").Reading} reading @returns {Doubt} */
  function notMadeOut(reading) {
    return {
      key: `${reading.match}/${reading.arrived}`,
      words: t("doubt.unclear"),
      cures: [[t("doubt.add"), () => openAddition(app)]],
      none: t("question.no_dart"),
    };
  }

  /** @param {Snapshot} snapshot @returns {Doubt} */
  function lostForTheOther(snapshot) {
    return {
      key: `${snapshot.match}/${snapshot.seq}`,
      words: `${t("doubt.lost", { bed: bedName(snapshot.last?.bed) })} ${t("doubt.forgotten")}`,
      cures: [[t("doubt.ignore"), () => app.command("take_back", { turns: 1 })]],
      none: t("doubt.stands"),
    };
  }

  /**
   * @param {Snapshot} snapshot
   * @param {import("../features/throws.js").Reading} reading
   * @param {string} bed
   * @returns {Doubt}
   */
  function didNotCount(snapshot, reading, bed) {
    const side = nameOf(snapshot, snapshot.side);
    const beds = [...new Set([bed, ...(reading.beds ?? [])])];
    const words = UNANNOUNCED.has(reading.why) ? t("doubt.unannounced", { bed: bedName(bed), side })
      : [t("doubt.dart", { bed: bedName(bed) }), tell("why_not", reading.why, {}), t("doubt.count", { side })]
        .join(" ");
    /** @type {Cure[]} */
    const cures = beds.map((hit) => [outcome(snapshot, hit, store.whiteSitsAt(), beds.length > 1),
      () => app.command("add_dart", { bed: hit })]);
    if (reading.why === "move_forgotten") cures.push([t("doubt.move_first"), () => app.say(t("doubt.enter"))]);
    return { key: `${reading.match}/${reading.arrived}`, words, cures };
  }

  return {
    update() {
      const { snapshot } = store;
      const doubt = snapshot && found(snapshot);
      const shown = doubt && store.mayAct() && doubt.key !== settled && !snapshot.question
        && !["finished", "setup"].includes(snapshot.phase);
      host.hidden = !shown;
      if (!shown || host.dataset.key === doubt.key) return;
      host.dataset.key = doubt.key;
      const close = () => {
        settled = doubt.key;
        host.hidden = true;
      };
      /** @type {Cure[]} */
      const choices = [...doubt.cures, [doubt.none ?? t("doubt.ignore"), () => {}]];
      host.replaceChildren(h("p", {}, doubt.words),
        h("div", { class: "action-row" }, choices.map(([words, act]) => button(words, () => (close(), act())))));
    },
  };
}

// The effect of a dart in this bed now, as far as the snapshot shows: "It counts: pawn on h2".
/**
 * @param {Snapshot} snapshot
 * @param {string} bed
 * @param {number} whiteSitsAt
 * @param {boolean} named
 */
function outcome(snapshot, bed, whiteSitsAt, named) {
  const field = snapshot.game.layout.form === "schartbord" ? fieldOf(bed, whiteSitsAt) : null;
  const next = snapshot.shown.next?.[snapshot.side];
  const start = named ? t("doubt.counts_in", { bed: bedName(bed) }) : t("doubt.counts");
  if (field && next && snapshot.drops.includes(field)) {
    return `${start}: ${t("doubt.field", { piece: t(`piece.${next.toUpperCase()}`), field })}`;
  }
  return field || bed === "MISS" || bed === "25" || bed === "BULL" ? `${start}: ${t("question.lost")}` : start;
}
