// What is lit on a real dartboard at a state of the game: shapes in millimetres, y up. Pure: no page, no clock.

import { bedMiddle, bedOf, clockwiseNumbers, MM } from "./geometry.js";

const RINGS = { D: [MM.doubleIn, MM.doubleOut], F: [MM.trebleOut, MM.doubleIn], T: [MM.trebleIn, MM.trebleOut],
  L: [MM.outerBull, MM.trebleIn], S: [MM.outerBull, MM.doubleIn] };
const FOULS = [176, 183]; // mm: outside the double ring
const [SIGN_MM, SIGN_INSIDE_MM] = [34, 112]; // as high and as far from its bed; inwards of beds farther out
const STEP = Math.PI / 90;
const HALF = Math.PI / 20;

// What stays as it is until another throw: while a dart is due or in the board nothing may move. In a turn that was not
// announced a person may still ask for an aim, or enter another move.
export function stillness(snapshot, aim) {
  const { match, turns, phase, last, question } = snapshot;
  if (phase === "turn" && due(snapshot)) return JSON.stringify([match, turns, phase, aim, snapshot.shown.aim ?? null]);
  if (due(snapshot)) return JSON.stringify([match, turns, phase, question?.code ?? null]);
  return phase === "settling" ? JSON.stringify([match, turns, phase, last]) : null;
}

// Whether a dart would count now: announced, or, where every dart counts, in the turn of whoever may throw.
function due({ phase, game, can }) {
  return phase === "throwing" || (phase === "turn" && game.options.arming === "auto" && can.throw);
}

// [{kind, points: [[x, y], ...]}]; kind: zone, legal, target, aim, dart, lost, foul, left; a dart has its `sign`.
export function shapes(snapshot, aim, signOf) {
  const { phase, shown, practice } = snapshot;
  const onBoard = snapshot.game.layout.form === "schartbord";
  const sits = snapshot.white_sits_at;
  const found = [];
  const beds = (fields) => fields.map((field) => bedOf(field, sits));
  if (practice && !practice.over) found.push(...outlines("target", practice.targets));
  const throwing = due(snapshot);
  if (throwing && onBoard) {
    found.push(...outlines("zone", beds(shown.zone ?? [])), ...outlines("legal", beds(snapshot.drops)));
  }
  if (throwing && !onBoard && shown.aim) found.push(...wanted(shown.aim));
  if (throwing && aim) found.push({ kind: "aim", points: cross(aim.x_mm, aim.y_mm) });
  if (phase === "settling") found.push(...fallen(snapshot, signOf));
  if (throwing || phase === "settling") found.push(...fouls(snapshot));
  return found;
}

// In a game on squares: the beds that hit the field of the entered move; where each does, the edge of them all.
function wanted({ colour, beds }) {
  return colour === "any" ? [{ kind: "legal", points: circle(0, 0, MM.doubleOut) }] : outlines("legal", beds);
}

function outlines(kind, beds) {
  return beds.map((bed) => ({ kind, bed, points: outline(bed) })).filter(({ points }) => points);
}

// The outline of a bed, fine enough to be bent; null for what is no bed.
export function outline(bed) {
  if (bed === "BULL") return circle(0, 0, MM.bull);
  if (bed === "25") return circle(0, 0, MM.outerBull);
  const match = /^([DFTLS])(\d+)$/.exec(bed ?? "");
  if (!match) return null;
  const middle = (clockwiseNumbers().indexOf(Number(match[2])) * Math.PI) / 10;
  return slice(...RINGS[match[1]], middle - HALF, middle + HALF);
}

function slice(inner, outer, start, end) {
  const steps = Math.max(2, Math.ceil((end - start) / STEP));
  const angles = Array.from({ length: steps + 1 }, (_, step) => start + ((end - start) * step) / steps);
  return [...angles.map((angle) => at(outer, angle)), ...angles.reverse().map((angle) => at(inner, angle))];
}

export function at(radius, angle) {
  return [radius * Math.sin(angle), radius * Math.cos(angle)];
}

function circle(x, y, radius) {
  return Array.from({ length: 48 }, (_, step) => {
    const [dx, dy] = at(radius, (step * Math.PI) / 24);
    return [x + dx, y + dy];
  });
}

function cross(x, y) {
  return [...circle(x, y, 9), [x, y + 9], [x, y - 9], [x, y], [x + 9, y], [x - 9, y]];
}

function fallen({ last }, signOf) {
  if (!last?.dart || !last.bed) return [];
  const placed = Number.isFinite(last.x_mm) && Number.isFinite(last.y_mm);
  const middle = placed ? { x: last.x_mm, y: last.y_mm } : bedMiddle(last.bed);
  const kind = last.foul ? "lost" : "dart";
  const found = outlines(kind, [last.bed]);
  if (middle && placed) found.push({ kind, points: circle(middle.x, middle.y, 8) });
  const sign = last.foul ? "" : signOf(last);
  if (middle && sign) found.push({ kind: "sign", sign, points: upright(bedMiddle(last.bed) ?? middle) });
  return found;
}

// Where a sign stands, and how high: its middle, beside the dart and not on it, and a point above it.
function upright({ x, y }) {
  const radius = Math.max(Math.hypot(x, y), 1);
  const by = radius > SIGN_INSIDE_MM ? -SIGN_MM : SIGN_MM;
  const [left, up] = [x * (1 + by / radius), y * (1 + by / radius)];
  return [[left, up], [left, up + SIGN_MM / 2]];
}

// A ring in as many parts as a player may have fouls, those that are there lit.
function fouls({ shown, game, side, phase, last }) {
  const whose = phase === "settling" && last ? last.by : side;
  const [count, limit] = [shown.fouls?.[whose], game.options.foul_limit?.[whose]];
  if (!count || !limit) return [];
  const wide = (2 * Math.PI) / limit;
  return Array.from({ length: Math.min(limit, 60) }, (_, part) => ({ kind: part < count ? "foul" : "left",
    points: slice(...FOULS, part * wide + 0.04, (part + 1) * wide - 0.04) }));
}
