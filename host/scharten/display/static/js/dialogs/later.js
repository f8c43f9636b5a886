// What the first page can do without: a dialog's script is fetched when somebody opens it.

import { t } from "../words.js";

let opening = false; // a second press meanwhile opens nothing twice

// Calls a function of the script of that name in this folder.
/** @param {App} app */
export async function later(app, script, name) {
  if (opening) return;
  opening = true;
  try {
    const found = await import(`./${script}.js`).catch(() => null);
    if (found) await found[name](app);
    else app.say(t("refusal.connection_lost"), "refused");
  } finally {
    opening = false;
  }
}
