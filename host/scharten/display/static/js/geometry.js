// Where things are: fields on the schartbord, beds on the dartboard, and the way between two fields. No rule of the
// game.

export const LINES = "oabcdefghi";
export const SIZE = 1116; // the schartbord's own units, rim included; the origin is the centre of the board
// from the outer edge of the double to the inner edge of the little: every field is at least 26 px on a phone of 390 px
export const RING_EDGES = [510, 432, 354, 276, 198];
export const PIECE_SIZES = [78, 76, 74, 67];
export const RIM = 557;
export const BULLS = { bull: 21, outerBull: 46 }; // drawn in the middle of the hub, large enough to be thrown at

const CLOCKWISE = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5];
export const MM = { bull: 6.35, outerBull: 15.9, trebleIn: 99, trebleOut: 107, doubleIn: 162, doubleOut: 170,
  edge: 225.5 };

export const fieldNames = Array.from({ length: 80 }, (_, index) => nameOf(index % 20, Math.floor(index / 20)));
/** @typedef {{s: number, depth: number}} Place sector and ring of a field */
const places = new Map(fieldNames.map((name, index) => [name, { s: index % 20, depth: Math.floor(index / 20) }]));

/** @param {number} s @param {number} depth */
function nameOf(s, depth) {
  return LINES[s % 10] + (s < 10 ? depth + 1 : 8 - depth);
}

// {s, depth} of a field's name.
/** @param {string} name */
export function place(name) {
  return /** @type {Place} */ (places.get(name));
}

/** @param {number} s @param {number} depth */
export function nameAt(s, depth) {
  return nameOf(((s % 20) + 20) % 20, depth);
}

// The screen angle in radians (y down, clockwise from the right) of the middle of sector s: White's left is s = 0.
/** @param {number} s */
export function angleOf(s) {
  return Math.PI - (s * Math.PI) / 10;
}

/** @param {number} radius @param {number} angle */
export function polar(radius, angle) {
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
}

/** @param {number} depth */
export function middleRadius(depth) {
  return (RING_EDGES[depth] + RING_EDGES[depth + 1]) / 2;
}

/** @param {string} name */
export function centre(name) {
  const { s, depth } = place(name);
  return polar(middleRadius(depth), angleOf(s));
}

// The outline of a slice of a ring, as path data.
/** @param {number} outer @param {number} inner @param {number} angle @param {number} halfWidth */
export function slice(outer, inner, angle, halfWidth) {
  const [a, b] = [angle - halfWidth, angle + halfWidth];
  const points = [polar(outer, a), polar(outer, b), polar(inner, b), polar(inner, a)].map(
    (point) => `${point.x.toFixed(2)} ${point.y.toFixed(2)}`,
  );
  return `M${points[0]}A${outer} ${outer} 0 0 1 ${points[1]}L${points[2]}A${inner} ${inner} 0 0 0 ${points[3]}Z`;
}

/** @param {string} name */
export function fieldOutline(name) {
  const { s, depth } = place(name);
  return slice(RING_EDGES[depth], RING_EDGES[depth + 1], angleOf(s), Math.PI / 20);
}

// The dartboard number at sector s, when White sits at `whiteSitsAt` (3 or 20).
/** @param {number} s @param {number} whiteSitsAt */
export function numberOf(s, whiteSitsAt) {
  const turned = whiteSitsAt === 3 ? s : s + 10;
  return CLOCKWISE[(25 + 10 - turned + 20) % 20];
}

// The bed of a field ("T20"), and the field of a bed (undefined for bulls and misses).
/** @param {string} name @param {number} whiteSitsAt */
export function bedOf(name, whiteSitsAt) {
  const { s, depth } = place(name);
  return "DFTL"[depth] + numberOf(s, whiteSitsAt);
}

/** @param {string} bed @param {number} whiteSitsAt */
export function fieldOf(bed, whiteSitsAt) {
  return fieldNames.find((name) => bedOf(name, whiteSitsAt) === bed);
}

export function clockwiseNumbers() {
  return CLOCKWISE;
}

// The colour of a bed of this number in this ring (D, F, T, L): the 20 and every second number from it are dark.
// The host's own is `shade` in dartboard/beds.py.
/** @param {number} number @param {string} ring */
export function shade(number, ring) {
  const dark = CLOCKWISE.indexOf(number) % 2 === 0;
  if (ring === "D" || ring === "T") return dark ? "red" : "green";
  return dark ? "black" : "cream";
}

// The bed at a point in mm (y up).
/** @param {number} x @param {number} y */
export function bedAt(x, y) {
  const radius = Math.hypot(x, y);
  if (radius <= MM.bull) return "BULL";
  if (radius <= MM.outerBull) return "25";
  if (radius > MM.doubleOut) return "MISS";
  const ring = radius > MM.doubleIn ? "D" : radius > MM.trebleOut ? "F" : radius > MM.trebleIn ? "T" : "L";
  return ring + CLOCKWISE[(Math.round((Math.atan2(x, y) * 10) / Math.PI) + 20) % 20];
}

/** @typedef {[mm: number, drawn: number]} Stop */
// Radii in mm, and where they are drawn on the schartbord; radii between them are stretched evenly. Between the outer
// bull and the little ring is the hub, which is not on the dartboard.
/** @type {Stop[]} */
const STOPS = [[0, 0], [MM.bull, BULLS.bull], [MM.outerBull, BULLS.outerBull], [MM.outerBull, RING_EDGES[4]],
  [MM.trebleIn, RING_EDGES[3]], [MM.trebleOut, RING_EDGES[2]], [MM.doubleIn, RING_EDGES[1]],
  [MM.doubleOut, RING_EDGES[0]], [MM.edge, RIM]];

/** @param {number} value @param {0 | 1} from @param {0 | 1} to */
function stretched(value, from, to) {
  const above = Math.max(1, STOPS.findIndex((stop) => stop[from] >= value));
  const [low, high] = [STOPS[above - 1], STOPS[above]];
  if (value >= STOPS[STOPS.length - 1][from]) return STOPS[STOPS.length - 1][to];
  return low[to] + ((value - low[from]) / (high[from] - low[from] || 1)) * (high[to] - low[to]);
}

// A point of the schartbord (White below) as mm on the dartboard, y up as seen from the oche.
/** @param {Point} point @param {number} whiteSitsAt */
export function onDartboard({ x, y }, whiteSitsAt) {
  const radius = stretched(Math.hypot(x, y), 1, 0);
  const angle = Math.atan2(-y, x) + (whiteSitsAt === 3 ? 0 : Math.PI);
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
}

// A point of the dartboard (mm, y up, as seen from the oche) as a point on the schartbord: same angle, ring for ring.
/** @param {number} x_mm @param {number} y_mm @param {number} whiteSitsAt */
export function onSchartbord(x_mm, y_mm, whiteSitsAt) {
  const angle = Math.atan2(-y_mm, x_mm) + (whiteSitsAt === 3 ? 0 : Math.PI);
  return polar(stretched(Math.hypot(x_mm, y_mm), 0, 1), angle);
}

/** @type {Record<string, number>} */
const MIDDLES = { D: 166, F: 134.5, T: 103, L: 57.5, S: 134.5 };

// The middle of a bed in mm (y up); null for MISS.
/** @param {string | null | undefined} bed */
export function bedMiddle(bed) {
  if (bed === "BULL") return { x: 0, y: 0 };
  if (bed === "25") return { x: 0, y: 11 };
  const match = /^([DFTLS])(\d+)$/.exec(bed ?? "");
  if (!match) return null;
  const radius = MIDDLES[match[1]];
  const angle = Math.PI / 2 - (CLOCKWISE.indexOf(Number(match[2])) * Math.PI) / 10;
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
}

// The way from one field to another for the eye: points to pass, first and last included.
// Along the ring where both lie on one, straight through the centre on a line, bent along a diagonal, else straight.
/** @param {string} from @param {string} to @param {(name: string) => boolean} [isFree] */
export function wayBetween(from, to, isFree = () => true) {
  const [a, b] = [place(from), place(to)];
  if (a.depth === b.depth) {
    const turns = ringTurns(a, b, isFree);
    if (turns) return sampleRing(a, turns);
  }
  if (a.s % 10 === b.s % 10) return [centre(from), centre(to)];
  return diagonal(a, b, 1) ?? diagonal(a, b, -1) ?? [centre(from), centre(to)];
}

/** @param {Place} a @param {Place} b @param {(name: string) => boolean} isFree */
function ringTurns(a, b, isFree) {
  const forward = (b.s - a.s + 20) % 20;
  const options = [forward, forward - 20].sort((p, q) => Math.abs(p) - Math.abs(q));
  /** @param {number} turns */
  const clear = (turns) => {
    for (let k = 1; k < Math.abs(turns); k++) if (!isFree(nameAt(a.s + k * Math.sign(turns), a.depth))) return false;
    return true;
  };
  return options.find(clear);
}

/** @param {Place} a @param {number} turns */
function sampleRing(a, turns) {
  const steps = Math.abs(turns) * 2;
  const radius = middleRadius(a.depth);
  return Array.from({ length: steps + 1 }, (_, k) => polar(radius, angleOf(a.s + (turns * k) / steps)));
}

/** @param {Place} a @param {Place} b @param {number} turn */
function diagonal(a, b, turn) {
  /** @param {Place} start @param {number} direction */
  const heading = (start, direction) => {
    const points = [polar(middleRadius(start.depth), angleOf(start.s))];
    let { s, depth } = start;
    let [step, t] = [direction, turn];
    for (let k = 0; k < 8; k++) {
      if (step > 0 && depth === 3) [s, step, t] = [s + 10 - t, -1, -t];
      else [s, depth] = [s + t, depth + step];
      if (depth < 0) return null;
      points.push(polar(middleRadius(depth), angleOf(s)));
      if (((s - b.s) % 20 + 20) % 20 === 0 && depth === b.depth) return points;
    }
    return null;
  };
  return heading(a, 1) ?? heading(a, -1);
}

/**
 * The point that a sensor measured for a dart, in mm; null without a measurement.
 * @param {{x_mm: number | null, y_mm: number | null}} dart
 */
export function pointOf({ x_mm: x, y_mm: y }) {
  return x === null || y === null || !Number.isFinite(x) || !Number.isFinite(y) ? null : { x, y };
}
