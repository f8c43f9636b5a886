// Keeps the screen awake while the page is looked at. Browsers give that to secure pages only.

/** @param {() => void} refused */
export function keepAwake(refused) {
  if (!navigator.wakeLock) return refused();
  const ask = () => {
    if (document.visibilityState === "visible") navigator.wakeLock.request("screen").catch(() => {}); // a low battery
  };
  document.addEventListener("visibilitychange", ask);
  ask();
}
