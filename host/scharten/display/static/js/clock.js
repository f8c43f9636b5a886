// Chess clocks: what is left now, and as a text.

/**
 * Milliseconds left on a side's clock; null without a clock.
 * @param {ClockModel | null | undefined} clock
 * @param {Side} side
 * @param {number} now on the host, in ms
 */
export function timeLeft(clock, side, now) {
  if (!clock) return null;
  const left = side === "white" ? clock.white_ms : clock.black_ms;
  return clock.running === side ? left - Math.max(0, now - (clock.since_ms ?? now)) : left;
}

/** @param {number} ms */
export function clockText(ms) {
  const negative = ms < 0;
  const tenths = Math.floor(Math.abs(ms) / 100);
  const seconds = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  /** @param {number} n */
  const two = (n) => String(n).padStart(2, "0");
  const small = seconds < 20 && !negative ? `.${tenths % 10}` : "";
  const text = hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}${small}`;
  return negative ? `-${text}` : text;
}
