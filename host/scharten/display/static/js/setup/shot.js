// A camera's picture in which a person points: with a click, or with the arrows and Enter.

import { pointUnder, svg } from "../svg.js";
import { t } from "../words.js";

const STEP_PX = 4;

/**
 * Draws the picture; `take` gets each point, in pixels of the camera.
 * @param {Reply} shown what is drawn: the picture as it was taken, or with the board found in it
 * @param {Reply} shot
 * @param {{aim: Point | undefined, marks: Point[]}} points where the cross stands, and what was pointed at before
 * @param {(x: number, y: number) => void} take
 */
export function drawShot({ picture: source }, { width, height, name }, { aim: at, marks }, take) {
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "shot", role: "application", tabindex: "0" });
  drawn.setAttribute("aria-label", t("setup.cameras.picture", { name }));
  svg("image", { href: source, width, height }, drawn);
  for (const mark of marks) svg("circle", { cx: mark.x, cy: mark.y, r: width / 100, class: "mark" }, drawn);
  const cross = svg("path", { d: "M-16 0H-5M16 0H5M0-16V-5M0 16V5", class: "cross" }, drawn);
  const aim = at ? { ...at } : { x: width / 2, y: height / 4 };
  const move = () => cross.setAttribute("transform", `translate(${aim.x} ${aim.y})`);
  move();
  drawn.addEventListener("click", (event) => {
    const where = pointUnder(drawn, event);
    take(Math.round(where.x * 10) / 10, Math.round(where.y * 10) / 10);
  });
  drawn.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) {
      aim.x = Math.max(0, Math.min(width - 1, aim.x + STEP_PX * way[0]));
      aim.y = Math.max(0, Math.min(height - 1, aim.y + STEP_PX * way[1]));
      move();
    } else if (event.key === "Enter") take(aim.x, aim.y);
    else return;
    event.preventDefault();
  });
  return drawn;
}
