// Tells the server that this page offers the computer or the adviser, so that its process is ready when it is needed.

const asked = new Set(); // once for each game

/** @param {App} app @param {"computer" | "adviser"} what */
export function prepare({ store, connection, role }, what) {
  const key = `${what} ${store.snapshot?.match}`;
  if (role === "display" || asked.has(key)) return;
  if (connection.send("prepare", { v: 1, what })) asked.add(key);
}
