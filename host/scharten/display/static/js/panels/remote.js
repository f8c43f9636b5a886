// The line to the other board: who is invited, how quick the line is, whether it broke; and how to leave.

import { button, h } from "../dom.js";
import { later } from "../dialogs/later.js";
import { t } from "../words.js";

/** @param {App} app @param {HTMLElement} host */
export function createRemote(app, host) {
  const { store } = app;
  let drawn = "";

  function update() {
    const line = store.remote;
    const key = JSON.stringify([line.side, line.state, line.name, line.by, line.differs, line.forged, line.challenger,
      line.meeting, line.back, trip(line)]);
    if (key === drawn) return;
    drawn = key;
    host.hidden = line.state === "none";
    if (!host.hidden) host.replaceChildren(h("p", {}, words(line)), ...warnings(line), ...buttons(line));
    host.classList.toggle("broken", line.state === "away");
  }

  // To 10 ms: a figure that changes all the time is not read.
  /** @param {RemoteLine} line */
  function trip(line) {
    return typeof line.round_trip_ms === "number" ? Math.ceil((line.round_trip_ms + 1) / 10) * 10 : null;
  }

  /** @param {RemoteLine} line */
  function words(line) {
    const who = (line.side === "guest" ? line.by : line.name) || t("remote.somebody");
    const quick = trip(line);
    const ms = quick === null ? "" : ` ${t("remote.trip", { ms: quick })}`;
    if (line.challenger) return t("remote.challenge", { who: line.challenger });
    if (line.state === "invited") return t(line.open ? "remote.in_lobby" : "remote.waiting");
    if (line.state === "asked") return t("remote.asked", { who });
    if (line.state === "away") return t("remote.away", { who });
    if (line.state === "waits") return t("remote.waits", { who });
    if (line.state === "adjourned" && line.side === "host") {
      return t(line.back ? "remote.adjourned_back" : "remote.adjourned_here", { who });
    }
    if (line.state === "adjourned") return t("remote.adjourned", { who });
    return t(line.side === "guest" ? "remote.at_their" : "remote.at_our", { who }) + ms;
  }

  /** @param {RemoteLine} line */
  function warnings(line) {
    const found = [line.meeting && t("remote.no_meeting_place"),
      line.differs && t("remote.differs"), line.forged && t("remote.forged", { count: line.forged })];
    return found.filter(Boolean).map((text) => h("p", { class: "warning" }, String(text)));
  }

  /** @param {RemoteLine} line */
  function buttons(line) {
    if (app.role !== "table" && app.role !== "arbiter") return [];
    /** @param {string} key @param {string} type @param {Record<string, unknown>} [fields] */
    const act = (key, type, fields = {}) =>
      button(t(key), () => app.connection.ask("remote", { type, ...fields }), { "data-remote": key.split(".")[1] });
    if (line.challenger) return [act("remote.take_on", "answer", { yes: true }), act("remote.decline", "answer")];
    if (line.state === "invited") {
      return [button(t("remote.show"), () => later(app, "remote", "openInvitation"), { "data-remote": "show" })];
    }
    const [end, fields] = line.side === "host" ? ["withdraw", {}] : ["leave", { for_good: true }];
    if (line.state === "adjourned") return [act("remote.go_on", "resume"), act("remote.give_up", end, fields)];
    if (line.side === "host") return [act("remote.end", "withdraw")];
    return [act("remote.leave", "leave")];
  }

  return { update };
}
