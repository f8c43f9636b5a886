// Says on the topic `light` that the light on the board changes, before it does: cameras then see no dart in it.

const LEAD_MS = 30; // from the message to the change
const FOR_MS = 80; // until it is painted, seen from the message
const MOVED_MS = 500; // what a hand moves is said for so long at once
const GONE_MS = 1000; // until a page that was left is another one, or black

export function createAnnouncer({ store, connection }) {
  let [waiting, saidUntil] = [null, 0];

  function say(forMs) {
    const now = Math.round(store.nowOfHost());
    return connection.send("light", { v: 2, by: "projector", at_ms: now, back_ms: now + forMs });
  }

  // Calls back when cameras have heard that the light changes.
  function tell(change) {
    say(FOR_MS);
    return setTimeout(change, LEAD_MS);
  }

  // What a hand changes, one thing after the other: told once for a stretch.
  function relight(change) {
    if (waiting) return void waiting.push(change);
    if (performance.now() < saidUntil) return void change();
    waiting = [change];
    saidUntil = say(MOVED_MS + FOR_MS) ? performance.now() + MOVED_MS : 0;
    setTimeout(() => {
      const changes = waiting;
      waiting = null;
      for (const each of changes) each();
    }, LEAD_MS);
  }

  // A page that comes or goes is another light, too.
  connection.addEventListener("status", ({ detail }) => detail.status === "open" && say(FOR_MS));
  addEventListener("pagehide", () => say(GONE_MS));
  return { tell, relight };
}
