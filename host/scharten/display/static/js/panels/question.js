// An open question of the referee, as large pictures to choose from.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { Dartboard } from "../dartboard.js";
import { bedMiddle } from "../geometry.js";
import { bedPicker } from "../picker.js";
import { bedName, known, t, tell } from "../words.js";

/** @param {App} app @param {HTMLElement} host */
export function createQuestion(app, host) {
  let drawn = "null";

  /** @param {ChoiceModel} choice */
  function picture({ bed, effect, field }) {
    const choice = h("button", { type: "button", class: "picture", "data-bed": bed });
    const middle = bedMiddle(bed);
    if (middle) {
      const board = new Dartboard(choice, { label: bedName(bed), view: { x: middle.x, y: middle.y, half: 62 } });
      board.light({ asked: [bed] });
    } else choice.append(h("span", { class: "picture-sign", "aria-hidden": "true" }, icon("lost")));
    choice.append(h("strong", {}, bedName(bed)), h("span", {}, outcome(effect, field)));
    choice.addEventListener("click", () => app.command("choose_bed", { bed }));
    return choice;
  }

  /** @param {string} text */
  function none(text) {
    return h("button", { type: "button", class: "picture-none", onclick: () =>
      app.command("choose_bed", { bed: null }) }, text);
  }

  return {
    update() {
      const question = app.store.snapshot?.question ?? null;
      const key = JSON.stringify(question);
      if (key === drawn) return;
      drawn = key;
      host.hidden = !question;
      if (!question) return host.replaceChildren();
      const code = question.code;
      const title = h("h2", { tabindex: "-1" },
        unclear(question) ? t("question.unclear")
          : tell("question", code, { side: question.side ?? app.store.present.side }, t("question.which_bed"),
            app.store.present.names));
      const opinions = opinionWords(question.opinions ?? []);
      if (!app.store.mayAct()) return host.replaceChildren(title, ...opinions,
        h("div", { class: "pictures" }, question.choices.map(readOnly)));
      const answers = code === "take_back" ? [takeBack(), none(t("question.no"))]
        : code === "lost_dart" ? [lostDart(), none(t("question.no"))]
        : unclear(question) ? [none(t("question.no_dart")),
          bedPicker((bed) => app.command("choose_bed", { bed }))]
        : [h("div", { class: "pictures" }, question.choices.map(picture)), none(t("question.none"))];
      host.replaceChildren(title, ...opinions, ...answers);
      title.focus();
    },
  };

  function takeBack() {
    return h("button", { type: "button", class: "big primary", onclick: () =>
      app.command("take_back", { turns: 1 }) }, t("question.yes"));
  }

  function lostDart() {
    return h("button", { type: "button", class: "big primary", onclick: () =>
      app.command("choose_bed", { bed: "MISS" }) }, t("question.yes"));
  }

  /** @param {string} effect @param {string | null} field */
  function outcome(effect, field) {
    if (effect === "placed") return t("question.field", { field });
    return known(`foul.${effect}`) ? t(`foul.${effect}`) : t("question.toss");
  }

  /** @param {ChoiceModel} given */
  function readOnly(given) {
    const choice = picture(given);
    choice.disabled = true;
    return choice;
  }
}

// The opinion of each kind of sensor about the dart, where they do not agree.
/** @param {OpinionModel[]} opinions */
function opinionWords(opinions) {
  const said = opinions.map(({ source, bed, probability }) => source === "camera" ? seen(bed, probability)
    : bed ? t("question.felt", { bed: bedName(bed) }) : t("question.felt_nothing"));
  return said.length ? [h("p", { class: "opinions" }, said.join(" "))] : [];
}

/** @param {string | null} bed @param {number} probability */
function seen(bed, probability) {
  if (bed) return t("question.seen", { bed: bedName(bed), share: Math.round(100 * probability) });
  return t(probability === 0 ? "question.seen_unclear" : "question.seen_nothing");
}

/** @param {QuestionModel} question */
function unclear({ code, choices }) {
  return code === "which_bed" && !choices.length;
}
