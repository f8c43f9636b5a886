// A panel whose script is fetched when there is first something to show in it: the first page stays light.

/**
 * @param {() => boolean} needed whether the panel has something to show
 * @param {() => Promise<Panel>} fetched
 * @returns {Panel}
 */
export function lazy(needed, fetched) {
  /** @type {Panel | null} */
  let panel = null;
  let coming = false;
  return {
    update(news) {
      if (panel) return panel.update(news);
      if (coming || !needed()) return;
      coming = true;
      fetched().then((made) => {
        panel = made;
        panel.update(news);
      }).catch(() => (coming = false)); // the line broke: the next change tries again
    },
  };
}
