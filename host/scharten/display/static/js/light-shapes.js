// The shapes to light on a real dartboard at a state of the game, in millimetres, y up. Pure: no page, no clock.

import { bedMiddle, bedOf, clockwiseNumbers, MM, pointOf } from "./geometry.js";

/** @type {Record<string, [number, number]>} */
const RINGS = { D: [MM.doubleIn, MM.doubleOut], F: [MM.trebleOut, MM.doubleIn], T: [MM.trebleIn, MM.trebleOut],
  L: [MM.outerBull, MM.trebleIn], S: [MM.outerBull, MM.doubleIn] };
/** @typedef {[number, number][]} Points */

/** @type {[number, number]} */
const FOULS = [176, 183]; // mm: outside the double ring
const [SIGN_MM, SIGN_INSIDE_MM] = [34, 112]; // as high and as far from its bed; inwards of beds farther out
const STEP = Math.PI / 90;
const HALF = Math.PI / 20;

// The key of a picture that must not change: while a dart is due or in the board nothing may move. It is null
// otherwise. In a turn that was not announced a person may still ask for an aim, or enter another move.
/** @param {Snapshot} snapshot @param {DartPoint | null} aim @param {FieldAdviceModel[]} [odds] */
export function stillness(snapshot, aim, odds = []) {
  const { match, turns, phase, last, question } = snapshot;
  if (phase === "turn" && due(snapshot)) {
    return JSON.stringify([match, turns, phase, aim, odds.length, snapshot.shown.aim ?? null]);
  }
  if (due(snapshot)) return JSON.stringify([match, turns, phase, question?.code ?? null]);
  return phase === "settling" ? JSON.stringify([match, turns, phase, last]) : null;
}

// Whether a dart would count now: announced, or, where every dart counts, in a turn with a throw.
/** @param {Snapshot} snapshot */
function due({ phase, game, can }) {
  return phase === "throwing" || (phase === "turn" && game.options.arming === "auto" && can.throw);
}

// [{kind, points: [[x, y], ...]}]; kind: zone, odds, legal, target, aim, dart, lost, foul, left; a dart has its `sign`,
// a bed of the odds its `share`.
/**
 * @param {Snapshot} snapshot
 * @param {DartPoint | null} aim
 * @param {(last: Last) => string} signOf
 * @param {FieldAdviceModel[]} [odds]
 */
export function shapes(snapshot, aim, signOf, odds = []) {
  const { phase, shown, practice } = snapshot;
  const onBoard = snapshot.game.layout.form === "schartbord";
  const sits = snapshot.white_sits_at;
  /** @type {Shape[]} */
  const found = [];
  /** @param {string[]} fields */
  const beds = (fields) => fields.map((field) => bedOf(field, sits));
  if (practice && !practice.over) found.push(...outlines("target", practice.targets));
  const throwing = due(snapshot);
  if (throwing && onBoard) {
    found.push(...outlines("zone", beds(shown.zone ?? [])), ...lit(odds), ...outlines("legal", beds(snapshot.drops)));
  }
  if (throwing && !onBoard && shown.aim) found.push(...wanted(shown.aim));
  if (throwing && aim) found.push({ kind: "aim", points: cross(aim.x_mm, aim.y_mm) });
  if (phase === "settling") found.push(...fallen(snapshot, signOf));
  if (throwing || phase === "settling") found.push(...fouls(snapshot));
  return found;
}

/**
 * In a game on squares: the beds that hit the field of the entered move; where each does, the edge of them all.
 * @param {AimModel} aim
 * @returns {Shape[]}
 */
function wanted({ colour, beds }) {
  return colour === "any" ? [{ kind: "legal", points: circle(0, 0, MM.doubleOut) }] : outlines("legal", beds);
}

/**
 * Each free bed as bright as the thrower's chance to hit it.
 * @param {FieldAdviceModel[]} odds
 * @returns {Shape[]}
 */
function lit(odds) {
  return odds.flatMap(({ bed, hit }) => outlines("odds", [bed]).map((shape) => ({ ...shape, share: hit })));
}

/**
 * @param {string} kind
 * @param {string[]} beds
 * @returns {Shape[]}
 */
function outlines(kind, beds) {
  return beds.flatMap((bed) => {
    const points = outline(bed);
    return points ? [{ kind, bed, points }] : [];
  });
}

/**
 * The outline of a bed, fine enough to be bent; null for what is no bed.
 * @param {string | null} bed
 */
export function outline(bed) {
  if (bed === "BULL") return circle(0, 0, MM.bull);
  if (bed === "25") return circle(0, 0, MM.outerBull);
  const match = /^([DFTLS])(\d+)$/.exec(bed ?? "");
  if (!match) return null;
  const middle = (clockwiseNumbers().indexOf(Number(match[2])) * Math.PI) / 10;
  return slice(...RINGS[match[1]], middle - HALF, middle + HALF);
}

/** @param {number} inner @param {number} outer @param {number} start @param {number} end */
function slice(inner, outer, start, end) {
  const steps = Math.max(2, Math.ceil((end - start) / STEP));
  const angles = Array.from({ length: steps + 1 }, (_, step) => start + ((end - start) * step) / steps);
  return [...angles.map((angle) => at(outer, angle)), ...angles.reverse().map((angle) => at(inner, angle))];
}

/**
 * @param {number} radius
 * @param {number} angle
 * @returns {[number, number]}
 */
export function at(radius, angle) {
  return [radius * Math.sin(angle), radius * Math.cos(angle)];
}

/** @param {number} x @param {number} y @param {number} radius @returns {Points} */
function circle(x, y, radius) {
  return Array.from({ length: 48 }, (_, step) => {
    const [dx, dy] = at(radius, (step * Math.PI) / 24);
    return [x + dx, y + dy];
  });
}

/** @param {number} x @param {number} y @returns {Points} */
function cross(x, y) {
  return [...circle(x, y, 9), [x, y + 9], [x, y - 9], [x, y], [x + 9, y], [x - 9, y]];
}

/** @param {Snapshot} snapshot @param {(last: Last) => string} signOf */
function fallen({ last }, signOf) {
  if (!last?.dart || !last.bed) return [];
  const placed = pointOf(last);
  const middle = placed ?? bedMiddle(last.bed);
  const kind = last.foul ? "lost" : "dart";
  const found = outlines(kind, [last.bed]);
  if (placed) found.push({ kind, points: circle(placed.x, placed.y, 8) });
  const sign = last.foul ? "" : signOf(last);
  if (middle && sign) found.push({ kind: "sign", sign, points: upright(bedMiddle(last.bed) ?? middle) });
  return found;
}

// Where a sign stands, and how high: its middle, beside the dart and not on it, and a point above it.
/** @param {Point} middle @returns {Points} */
function upright({ x, y }) {
  const radius = Math.max(Math.hypot(x, y), 1);
  const by = radius > SIGN_INSIDE_MM ? -SIGN_MM : SIGN_MM;
  const [left, up] = [x * (1 + by / radius), y * (1 + by / radius)];
  return [[left, up], [left, up + SIGN_MM / 2]];
}

// A ring in as many parts as a player may have fouls, those that are there lit.
/** @param {Snapshot} snapshot */
function fouls({ shown, game, side, phase, last }) {
  const whose = phase === "settling" && last ? last.by : side;
  const [count, limit] = [shown.fouls?.[whose], game.options.foul_limit?.[whose]];
  if (!count || !limit) return [];
  const wide = (2 * Math.PI) / limit;
  return Array.from({ length: Math.min(limit, 60) }, (_, part) => ({ kind: part < count ? "foul" : "left",
    points: slice(...FOULS, part * wide + 0.04, (part + 1) * wide - 0.04) }));
}
