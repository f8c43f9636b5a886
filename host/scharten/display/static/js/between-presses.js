// Drawing a page again without taking a control away from under a finger or a mouse button.

const LONGEST_MS = 1500; // a longer press is no click, or its end was not reported
const CLICK_MS = 100; // a touch gives its click a moment after it ends

// Returns `draw`, put off while a control of a place is pressed: a button that is replaced meanwhile gets no click.
/** @param {HTMLElement} place @param {() => void} draw */
export function betweenPresses(place, draw) {
  let until = 0;
  let timer = 0;
  const drawn = () => {
    clearTimeout(timer);
    const left = until - performance.now();
    timer = left > 0 ? setTimeout(drawn, left) : 0;
    if (!timer) draw();
  };
  place.addEventListener("pointerdown", ({ target }) => {
    // A list that opens reports no end; it is not drawn again while it has the focus.
    if (target instanceof Element && !target.closest("select")) until = performance.now() + LONGEST_MS;
  });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => {
    until = Math.min(until, performance.now() + CLICK_MS);
    if (timer) drawn();
  });
  return drawn;
}
