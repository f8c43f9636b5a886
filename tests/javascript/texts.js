// The linter of the page's words: each key that a script names is in the dictionaries, and each key there can be asked
// for. Whether the languages agree is a test's business (tests/words).
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "espree";

const STATIC = new URL("../../host/scharten/display/static/", import.meta.url);
const WORDS = new URL("../../host/scharten/words/en/", import.meta.url);
// Which argument of these functions is a key.
const TAKES_KEY = { t: 0, big: 0, request: 0, step: 1 };
// Areas whose keys the host asks for; a script may ask for some of them too.
const NOT_OF_PAGES = ["calibration", "commands", "details", "doctor", "errors", "home", "print", "review", "speech"];
const areas = readdirSync(WORDS);
const dictionary = keysOf(areas);
const ofPages = keysOf(areas.filter((name) => !NOT_OF_PAGES.includes(name.replace(".json", ""))));
const named = new Set();
const literals = new Set();
// Beginnings of keys that are put together: by `template.${code}`, by tell("group", code), by the forms of options.
const groups = new Set(["new", "set", "mark", "language", "letter", "number", "bed.long", "reason"]);

for (const path of files("js/")) look(parsed(path));
const missing = [...named].filter((key) => !dictionary.has(key));
const unused = [...ofPages].filter((key) => !literals.has(key.replace(/\.help$/, ""))
  && !literals.has(key) && ![...groups].some((group) => key.startsWith(`${group}.`)));
for (const key of missing) console.error(`a script asks for ${key}, which no dictionary has`);
for (const key of unused) console.error(`no script can ask for ${key}`);
if (named.size < 80) console.error(`only ${named.size} keys were found in the scripts: does this still look in the right place?`);
process.exitCode = missing.length || unused.length || named.size < 80 ? 1 : 0;

function keysOf(names) {
  return new Set(names.flatMap((name) => Object.keys(JSON.parse(readFileSync(new URL(name, WORDS), "utf8")))));
}

function parsed(path) {
  return parse(readFileSync(new URL(path, STATIC), "utf8"), { ecmaVersion: 2022, sourceType: "module" });
}

function files(folder) {
  return readdirSync(new URL(folder, STATIC), { recursive: true })
    .filter((name) => name.endsWith(".js")).map((name) => folder + name);
}

function look(node) {
  if (node.type === "CallExpression") {
    const [name, first] = [node.callee.name, node.arguments[0]];
    const key = node.arguments[TAKES_KEY[name]];
    if (typeof key?.value === "string") named.add(key.value);
    if (name === "tell" && first?.type === "Literal") groups.add(first.value);
    if (name === "refusalText") groups.add("problem").add(node.arguments[1]?.value ?? "refusal");
  }
  if (node.type === "Literal" && typeof node.value === "string") literals.add(node.value);
  if (node.type === "TemplateLiteral") {
    const [start] = node.quasis;
    if (node.quasis.length === 1) literals.add(start.value.cooked);
    else if (start.value.cooked.endsWith(".")) groups.add(start.value.cooked.slice(0, -1));
  }
  for (const below of Object.values(node).flat()) {
    if (typeof below?.type === "string") look(below);
  }
}
