// The search in an archive of many clubs: player, club, dates, position; the server finds.

import { h } from "../dom.js";
import { t } from "../words.js";

const WAIT_MS = 300;

// `find` is called with the query whenever it has changed.
export class Search {
  /** @param {string[]} clubs @param {(query: URLSearchParams) => unknown} find */
  constructor(clubs, find) {
    this.find = find;
    this.timer = 0;
    this.player = h("input", { type: "search", id: "search-player", maxlength: 40 });
    this.club = h("select", { id: "search-club" }, h("option", { value: "" }, t("archive.all_clubs")),
      clubs.map((club) => h("option", { value: club }, club)));
    this.from = h("input", { type: "date", id: "search-from" });
    this.to = h("input", { type: "date", id: "search-to" });
    this.position = h("input", { type: "search", id: "search-position", maxlength: 300 });
    const fields = [["player", this.player], ["club", this.club], ["from", this.from], ["to", this.to],
      ["position", this.position]];
    this.element = h("form", { class: "archive-search", onsubmit: (event) => event.preventDefault() },
      fields.map(([name, input]) => h("label", { class: "field-row" }, h("span", {}, t(`archive.by.${name}`)), input)));
    this.element.addEventListener("input", () => this.#changed());
  }

  // Looks for the games in which this position stood.
  /** @param {string} position */
  show(position) {
    this.position.value = position;
    this.#changed();
  }

  #changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.find(this.query()), WAIT_MS);
  }

  query() {
    const wanted = { player: this.player, club: this.club, from: this.from, to: this.to, position: this.position };
    return new URLSearchParams(Object.entries(wanted).map(([name, { value }]) => [name, value.trim()])
      .filter(([, value]) => value));
  }
}
