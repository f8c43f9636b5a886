// Events with typed details.

/** @template {Record<string, unknown>} Details the detail of each event by its name */
export class Emitter extends EventTarget {
  /**
   * Calls the handler with each event's detail; returns how to stop that.
   * @template {keyof Details & string} Name
   * @param {Name} name
   * @param {(detail: Details[Name]) => unknown} handler
   */
  on(name, handler) {
    /** @param {Event} event */
    const listener = (event) => handler(/** @type {CustomEvent} */ (event).detail);
    this.addEventListener(name, listener);
    return () => this.removeEventListener(name, listener);
  }

  /**
   * @template {keyof Details & string} Name
   * @param {Name} name
   * @param {Details[Name]} detail
   */
  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
