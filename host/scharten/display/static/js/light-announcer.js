// Announces on the topic `light` that the light on the board will change, so that cameras see no dart in it.

const LEAD_MS = 30; // from the message to the change
const FOR_MS = 80; // from the message until the change is painted
const MOVED_MS = 500; // one message covers changes by hand for this long
const GONE_MS = 1000; // until a page that was left is another one, or black

/** @param {Pick<App, "store" | "connection">} app */
export function createAnnouncer({ store, connection }) {
  /** @type {(() => void)[] | null} */
  let waiting = null; // changes until the cameras know
  let saidUntil = 0;

  /** @param {number} forMs */
  function say(forMs) {
    const now = Math.round(store.nowOfHost());
    return connection.send("light", { v: 2, by: "projector", at_ms: now, back_ms: now + forMs });
  }

  // Calls back when cameras have received the message.
  /** @param {() => void} change */
  function tell(change) {
    say(FOR_MS);
    return setTimeout(change, LEAD_MS);
  }

  // Changes by hand follow each other quickly: one message covers a stretch of them.
  /** @param {() => void} change */
  function relight(change) {
    if (waiting) return void waiting.push(change);
    if (performance.now() < saidUntil) return void change();
    waiting = [change];
    saidUntil = say(MOVED_MS + FOR_MS) ? performance.now() + MOVED_MS : 0;
    setTimeout(() => {
      const changes = waiting ?? [];
      waiting = null;
      for (const late of changes) late();
    }, LEAD_MS);
  }

  // A page that comes or goes is another light, too.
  connection.on("status", ({ status }) => status === "open" && say(FOR_MS));
  addEventListener("pagehide", () => say(GONE_MS));
  return { tell, relight };
}
