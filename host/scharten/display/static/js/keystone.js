// The arithmetic of a bent picture: four corners give a projective map, a map gives a CSS matrix and its way back.

// Solves the n equations a·x = b; null where they have no single answer.
/** @param {number[][]} a @param {number[]} b */
export function solve(a, b) {
  const n = b.length;
  const rows = a.map((row, index) => [...row, b[index]]);
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let row = column + 1; row < n; row++) {
      if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row;
    }
    if (Math.abs(rows[pivot][column]) < 1e-12) return null;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (let row = 0; row < n; row++) {
      if (row === column) continue;
      const factor = rows[row][column] / rows[column][column];
      for (let k = column; k <= n; k++) rows[row][k] -= factor * rows[column][k];
    }
  }
  return rows.map((row, index) => row[n] / row[index]);
}

// The map [a, b, c, d, e, f, g, h] with x' = (ax + by + c) / (gx + hy + 1), y' = (dx + ey + f) / (gx + hy + 1), that
// takes each of four points to its target; points are {x, y}.
/** @param {Point[]} from @param {Point[]} to */
export function mapping(from, to) {
  /** @type {number[][]} */
  const rows = [];
  /** @type {number[]} */
  const right = [];
  from.forEach(({ x, y }, index) => {
    const target = to[index];
    rows.push([x, y, 1, 0, 0, 0, -x * target.x, -y * target.x], [0, 0, 0, x, y, 1, -x * target.y, -y * target.y]);
    right.push(target.x, target.y);
  });
  return solve(rows, right);
}

/** @param {number[]} map @param {Point} point */
export function apply([a, b, c, d, e, f, g, h], { x, y }) {
  const w = g * x + h * y + 1;
  return { x: (a * x + b * y + c) / w, y: (d * x + e * y + f) / w };
}

/** @param {number[]} map */
export function matrix3d([a, b, c, d, e, f, g, h]) {
  const cells = [a, d, 0, g, b, e, 0, h, 0, 0, 1, 0, c, f, 0, 1];
  return `matrix3d(${cells.map((value) => Number(value.toPrecision(12))).join(",")})`;
}

/** @param {number} size */
export function square(size) {
  return [{ x: 0, y: 0 }, { x: size, y: 0 }, { x: size, y: size }, { x: 0, y: size }];
}

// Whether the corners, in order round the picture, make a shape that a flat picture can take: convex, either way round.
/** @param {Point[]} corners */
export function convex(corners) {
  const turns = corners.map((corner, index) => {
    const [next, after] = [corners[(index + 1) % 4], corners[(index + 2) % 4]];
    return (next.x - corner.x) * (after.y - next.y) - (next.y - corner.y) * (after.x - next.x);
  });
  return turns.every((turn) => turn > 1e-4) || turns.every((turn) => turn < -1e-4);
}

// Board mm through the measured map: a homography and one radial term, in pixels of a window of this size.
/**
 * @param {ProjectorMap} map
 * @param {number} x
 * @param {number} y
 * @param {{width: number, height: number}} size
 */
export function fitted({ width, height, homography, k1 }, x, y, size) {
  const [a, b, c, d, e, f, g, i, j] = homography;
  const w = g * x + i * y + j;
  const [dx, dy] = [(a * x + b * y + c) / w - (width - 1) / 2, (d * x + e * y + f) / w - (height - 1) / 2];
  const wanted = Math.hypot(dx, dy) / (width / 2);
  let r = wanted;
  for (let step = 0; step < 3; step++) r = (2 * k1 * r ** 3 + wanted) / Math.max(1 + 3 * k1 * r * r, 0.1);
  const by = r / Math.max(wanted, 1e-12);
  return { x: (width / 2 + dx * by) * (size.width / width), y: (height / 2 + dy * by) * (size.height / height) };
}

/**
 * The map as it was measured; null where numbers are missing.
 * @param {Partial<ProjectorMap> | null | undefined} fit
 * @returns {ProjectorMap | null}
 */
export function soundMap(fit) {
  const numbers = [fit?.width, fit?.height, fit?.k1, ...(Array.isArray(fit?.homography) ? fit.homography : [])];
  const { width, height, homography, k1 } = /** @type {ProjectorMap} */ (fit ?? {});
  const whole = numbers.length === 12 && numbers.every(Number.isFinite) && width > 0 && height > 0;
  return whole ? { width, height, homography, k1 } : null;
}
