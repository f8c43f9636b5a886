// The learn page: lessons with a live board. What may be done, and why not, comes from /lessons.json, which the host's
// rules have worked out; nothing here knows a rule.

import { button, byId, fill, h } from "../dom.js";
import { setUpPage } from "../side-page.js";
import { addWords, t } from "../words.js";
import { Exercise } from "./exercise.js";
import { theEnd } from "./end.js";

/** @type {string[]} */
const games = await (await fetch("lessons/games.json")).json(); // the games besides Scharten that have lessons
const wanted = new URLSearchParams(location.search).get("game");
const game = wanted && games.includes(wanted) ? wanted : null; // null: Scharten's own lessons
await addWords("learn", ...(game ? ["learn_games"] : []));
setUpPage("learn.title");

byId("lessons").before(h("p", { class: "other-games" }, [null, ...games].map(pageOf)));

const KEY = game ? `scharten.learnt.${game}` : "scharten.learnt";
const END = "set.1";
const answer = await fetch(game ? `lessons/${game}.json` : "lessons.json");
/** @type {Lessons} */
const data = await answer.json();
const keys = [...data.exercises.map(({ key }) => key), END];
const lessons = [...new Set(keys.map(lessonOf))];
const learnt = new Set(remembered());
const exercise = new Exercise(data, byId("board"), {
  done(key) {
    learnt.add(key);
    remember();
    drawLessons(key);
  },
  next: (key) => go(keys[keys.indexOf(key) + 1]),
  back: (key) => (keys.indexOf(key) ? () => go(keys[keys.indexOf(key) - 1]) : null),
});

// The game of these lessons, or a link to those of another, in the same language.
/** @param {string | null} key */
function pageOf(key) {
  if (key === game) return h("strong", {}, t(`game.${key ?? "scharten"}`));
  const query = new URLSearchParams(location.search);
  query.delete("game");
  if (key) query.set("game", key);
  return h("a", { class: "other-game", href: `learn?${query}` }, t(`game.${key ?? "scharten"}`));
}

/** @param {string} key */
function lessonOf(key) {
  return key.split(".")[0];
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

function remember() {
  try {
    localStorage.setItem(KEY, JSON.stringify([...learnt]));
  } catch {
    // Without storage the ticks last as long as the page.
  }
}

/** @param {string} present */
function drawLessons(present) {
  byId("lessons").setAttribute("aria-label", t("learn.lessons"));
  byId("lessons").replaceChildren(...lessons.map((lesson, index) => {
    const own = keys.filter((key) => lessonOf(key) === lesson);
    const done = own.every((key) => learnt.has(key));
    const here = lessonOf(present) === lesson;
    return button(`${done ? "✓" : index + 1} ${t(`learn.${lesson}.title`)}`, () => go(own[0]), {
      class: `lesson-tab${done ? " done" : ""}`, "aria-current": here ? "step" : null,
    });
  }));
  byId("lessons").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

/** @param {string} key */
function go(key) {
  if (location.hash !== `#${key}`) history.pushState(null, "", `#${key}`);
  show();
}

function show() {
  const asked = location.hash.slice(1);
  const key = keys.includes(asked) ? asked : keys[0];
  if (key === END) {
    learnt.add(key);
    remember();
  }
  drawLessons(key);
  const own = keys.filter((other) => lessonOf(other) === lessonOf(key));
  const steps = own.length > 1 ? h("p", { class: "lesson-steps" },
    t("learn.step", { n: own.indexOf(key) + 1, of: own.length })) : null;
  const title = h("h2", { tabindex: "-1" }, t(`learn.${lessonOf(key)}.title`));
  document.body.dataset.lesson = key;
  fill(byId("lesson"), h("div", { class: "lesson-head" }, title, steps),
    ...(key === END ? theEnd(() => go(keys[0]), game) : exercise.open(key)));
  if (key === END) exercise.close();
  title.focus({ preventScroll: true });
}

addEventListener("popstate", show);
show();
