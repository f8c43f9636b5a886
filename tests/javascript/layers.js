// Which scripts may import which: no cycles, and no arrow from a lower layer to a higher one.
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";

const STATIC = new URL("../../host/scharten/display/static/", import.meta.url);
// The folders that each folder may import; a script outside all folders is "base", except the pages.
const MAY_IMPORT = {
  base: [],
  features: ["base"],
  players: ["base"],
  archive: ["base"],
  club: ["base"],
  evening: ["base"],
  learn: ["base"],
  setup: ["base"],
  dialogs: ["base", "features", "players"],
  panels: ["base", "features", "dialogs"],
};
// Views of the play page, and the frame of the other pages: they are put together like pages.
const VIEWS = ["light.js", "side-page.js"];

const scripts = readdirSync(new URL("js/", STATIC), { recursive: true }).filter((name) => name.endsWith(".js"));
const pages = new Set([...VIEWS, ...readdirSync(STATIC).filter((name) => name.endsWith(".html")).flatMap((name) =>
  [...read(name).matchAll(/src="js\/([^"]+)"/g)].map(([, script]) => script))]);
const imports = new Map(scripts.map((name) => [name, importsOf(name)]));
const faults = [];

for (const [name, others] of imports) {
  for (const other of others.filter((script) => !allowed(layerOf(name), layerOf(script)))) {
    faults.push(`${name} (${layerOf(name)}) imports ${other} (${layerOf(other)})`);
  }
}
const done = new Set();
for (const name of scripts) follow(name, []);
for (const fault of faults) console.error(fault);
if (imports.size < 60 || pages.size < 10) faults.push("too few scripts were found");
process.exitCode = faults.length ? 1 : 0;

function read(path) {
  return readFileSync(new URL(path, STATIC), "utf8");
}

function importsOf(name) {
  const statements = read(`js/${name}`).matchAll(/^(?:import|export) (?:[^;]*? from )?"(\.[^"]+)";/gm);
  return [...statements].map(([, path]) => posix.join(posix.dirname(name), path));
}

function layerOf(name) {
  if (pages.has(name)) return "page";
  return name.includes("/") ? name.split("/")[0] : "base";
}

function allowed(layer, other) {
  return layer === "page" || layer === other || MAY_IMPORT[layer].includes(other);
}

function follow(name, way) {
  if (way.includes(name)) faults.push(`a cycle: ${[...way.slice(way.indexOf(name)), name].join(" → ")}`);
  if (way.includes(name) || done.has(name)) return;
  done.add(name);
  for (const other of imports.get(name) ?? []) follow(other, [...way, name]);
}
