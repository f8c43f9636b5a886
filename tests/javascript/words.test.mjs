import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { addWords, bedName, known, loserOf, notation, t, tell } = await script("words");
const { clockText, timeLeft } = await script("clock");
const { change, language } = await script("settings");

test("places are filled in, and an unknown key gives itself", () => {
  assert.equal(t("bed.T", { number: 20 }).includes("20"), true);
  assert.equal(t("no.such.key"), "no.such.key");
  assert.equal(known("no.such.key"), false);
});

test("a place without a value stays as it is", () => {
  assert.match(t("bed.T"), /\{number\}/);
});

test("a number chooses between one and many", async () => {
  await addWords("pages");
  assert.deepEqual([0, 1, 2].map((turns) => t("archive.turns", { turns })), ["0 turns", "1 turn", "2 turns"]);
});

test("a code of the host without words gives the fallback, or itself", () => {
  assert.equal(tell("refusal", "no_such_code", {}, "as the host says"), "as the host says");
  assert.equal(tell("refusal", "no_such_code"), "no_such_code");
});

test("colours and beds among the arguments are put into words", () => {
  assert.equal(bedName(null), t("bed.none"));
  assert.equal(bedName("BULL"), t("bed.BULL"));
  assert.equal(bedName("D20"), t("bed.D", { number: 20 }));
});

test("English notation keeps its letters; another language has its own; a bed between braces is left alone", () => {
  assert.equal(notation("Qd1 {T20}", "white"), "Qd1 {T20}");
  change("letters", "nl");
  assert.equal(notation("Qd1xRe5 {BULL}", "white"), "Dd1xTe5 {BULL}");
  change("letters", "figurine");
  assert.equal(notation("Qd1", "white"), "♕d1");
  assert.equal(notation("Qd1", "black"), "♛d1");
  assert.equal(notation(null, "white"), "");
  change("letters", "auto");
});

test("the language is one that the host offers, and English otherwise", () => {
  assert.equal(language(), "en");
  change("language", "nl");
  assert.equal(language(), "nl");
  change("language", "xx");
  assert.equal(language(), "en");
});

test("a result names the side that lost", () => {
  assert.deepEqual(["1-0", "0-1", "½-½", null].map(loserOf), ["black", "white", null, null]);
});

test("a clock shows hours, minutes and, near its end, tenths", () => {
  assert.equal(clockText(3_723_000), "1:02:03");
  assert.equal(clockText(65_900), "1:05");
  assert.equal(clockText(19_950), "0:19.9");
  assert.equal(clockText(-1500), "-0:01");
});

test("only the running clock loses time, and none from a host that is ahead", () => {
  const clock = { white_ms: 5000, black_ms: 7000, running: "white", since_ms: 1000 };
  assert.equal(timeLeft(clock, "white", 3000), 3000);
  assert.equal(timeLeft(clock, "black", 3000), 7000);
  assert.equal(timeLeft(clock, "white", 500), 5000);
  assert.equal(timeLeft(null, "white", 0), null);
});
