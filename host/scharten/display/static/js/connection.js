// The page's one WebSocket: names its role, passes messages on, and reconnects by itself. It queues nothing while it
// is disconnected: a stale command must never arrive. The server sends something every 10 s, so a silent line is lost.

import { Emitter } from "./events.js";

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5000;
const ANSWER_MS = 6000;
const SILENT_MS = 20_000; // a line on which nothing came for this long passes nothing any more
const FINAL = new Set(["wrong_secret", "unknown_role", "needs_tls", "too_many_guesses"]);

/** @typedef {"connecting" | "open" | "lost" | "refused"} Status */

/** @extends {Emitter<{topic: Message, status: {status: Status, code: string | null}}>} */
export class Connection extends Emitter {
  /** @type {Status} */ status = "connecting";
  /** @type {string | null} */ code = null; // why the server refused the page, or closed the connection
  /** @type {Map<string, {resolve: (reply: Reply) => void, timer: number}>} */ asked = new Map(); // by the command's id
  /** @type {WebSocket | null} */ socket = null;
  wait = FIRST_WAIT_MS; // until the next attempt
  silence = 0; // the timer that ends a silent line
  retry = 0; // the timer of the next attempt

  /**
   * @param {string} url
   * @param {string} role
   * @param {string | null} secret
   * @param {{club?: boolean, follow?: boolean}} more
   */
  constructor(url, role, secret, more = {}) {
    super();
    this.url = url;
    this.role = role;
    this.secret = secret;
    this.more = more;
  }

  open() {
    if (!this.socket) addEventListener("offline", () => this.#drop("offline"));
    if (!this.socket) addEventListener("online", () => this.status === "lost" && this.#connect());
    this.#setStatus("connecting");
    this.#connect();
  }

  #connect() {
    clearTimeout(this.retry);
    this.#abandon();
    const socket = new WebSocket(this.url);
    this.socket = socket;
    const { role, secret, more } = this;
    this.#listen();
    socket.onopen = () => socket.send(JSON.stringify({ v: 1, role, secret: secret ?? undefined, ...more }));
    socket.onmessage = (event) => {
      this.#listen();
      this.#receive(JSON.parse(event.data));
    };
    socket.onclose = () => this.#lost();
  }

  // Waits for the next sign of life.
  #listen() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.#drop("silent"), SILENT_MS);
  }

  // Gives up a line that may never report its own end.
  /** @param {string} code */
  #drop(code) {
    if (this.status === "refused") return;
    this.#abandon();
    this.code = code;
    this.#lost();
  }

  #abandon() {
    if (!this.socket) return;
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
  }

  /**
   * @param {Status} status
   * @param {string | null} code
   */
  #setStatus(status, code = null) {
    if (this.status === "refused" && status !== "open") return;
    [this.status, this.code] = [status, code];
    this.emit("status", { status, code });
  }

  /** @param {Message} message */
  #receive(message) {
    const { topic, payload } = message;
    if (topic === "alive") return;
    if (topic === "refused" && payload.code === "wrong_secret") sessionStorage.removeItem(secretKey(this.role));
    if (topic === "refused") return this.#setStatus(FINAL.has(payload.code) ? "refused" : "lost", payload.code);
    if (topic === "welcome") {
      this.wait = FIRST_WAIT_MS;
      this.status = "connecting";
      this.#setStatus("open");
    }
    if (topic === "answer") this.#answer(payload);
    this.emit("topic", message);
  }

  /** @param {Reply} answer */
  #answer(answer) {
    const id = answer?.id ?? "";
    const waiting = this.asked.get(id);
    if (!waiting) return;
    this.asked.delete(id);
    clearTimeout(waiting.timer);
    waiting.resolve(answer);
  }

  #lost() {
    clearTimeout(this.silence);
    for (const [id, waiting] of this.asked) {
      clearTimeout(waiting.timer);
      waiting.resolve({ id, accepted: false, code: "connection_lost" });
    }
    this.asked.clear();
    if (this.status === "refused") return;
    this.#setStatus("lost", this.code);
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.#connect(), this.wait * (0.7 + 0.6 * Math.random()));
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 1.7);
  }

  /**
   * Sends a message; false where the connection is not open.
   * @param {string} topic
   * @param {object} payload
   */
  send(topic, payload) {
    if (this.status !== "open" || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ topic, payload }));
    return true;
  }

  /**
   * Sends a command; resolves to its answer, or to one of our own when none can come.
   * @param {object} fields
   */
  command(fields) {
    return this.ask("command", fields);
  }

  /**
   * The same for anything else that the server answers, such as a request about players.
   * @param {string} topic
   * @param {object} fields
   * @returns {Promise<Reply>}
   */
  ask(topic, fields, patience = ANSWER_MS) {
    const id = randomId();
    return new Promise((resolve) => {
      if (!this.send(topic, { v: 1, id, ...fields })) return resolve({ id, accepted: false,
        code: "connection_lost" });
      const timer = setTimeout(() => {
        this.asked.delete(id);
        resolve({ id, accepted: false, code: "no_answer" });
      }, patience);
      this.asked.set(id, { resolve, timer });
    });
  }
}

function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} role */
function secretKey(role) {
  return `scharten.secret.${role}`;
}

// The role from the address and the secret from its fragment, which is taken out of the address bar and kept for
// reloads.
export function credentials(fallback = "table") {
  const role = new URLSearchParams(location.search).get("role") ?? fallback;
  const key = secretKey(role);
  const fragment = location.hash.replace(/^#(secret=)?/, "");
  if (fragment) {
    sessionStorage.setItem(key, fragment);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return { role, secret: sessionStorage.getItem(key) };
}

/**
 * Saves a role's secret for reloads, as if it had stood in the address; returns it.
 * @param {string} role
 * @param {string} secret
 */
export function keepSecret(role, secret) {
  sessionStorage.setItem(secretKey(role), secret);
  return secret;
}

// Relative to the page, so that it is found beneath a proxy's path too.
export function socketAddress() {
  return new URL("ws", location.href).href.replace(/^http/, "ws");
}
