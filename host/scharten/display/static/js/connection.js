// The page's one WebSocket: says who it is, hands on what comes, and comes back by itself. While it is away nothing is
// kept for later: a stale command must never arrive.

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5000;
const ANSWER_MS = 6000;
const FINAL = new Set(["wrong_secret", "unknown_role", "needs_tls", "too_many_guesses"]);

export class Connection extends EventTarget {
  // Events: "topic" {topic, payload}; "status" {status: "connecting" | "open" | "lost" | "refused", code}.
  constructor(url, role, secret, more = {}) {
    super();
    this.url = url;
    this.role = role;
    this.secret = secret;
    this.more = more;
    this.status = "connecting";
    this.code = null;
    this.wait = FIRST_WAIT_MS;
    this.asked = new Map();
  }

  open() {
    this.#tell("connecting");
    this.socket = new WebSocket(this.url);
    this.socket.onopen = () => this.socket.send(JSON.stringify({ v: 1, role: this.role, secret: this.secret
      ?? undefined, ...this.more }));
    this.socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    this.socket.onclose = () => this.#lost();
  }

  #tell(status, code = null) {
    if (this.status === "refused" && status !== "open") return;
    [this.status, this.code] = [status, code];
    this.dispatchEvent(new CustomEvent("status", { detail: { status, code } }));
  }

  #receive({ topic, payload }) {
    if (topic === "refused" && payload.code === "wrong_secret") sessionStorage.removeItem(secretKey(this.role));
    if (topic === "refused") return this.#tell(FINAL.has(payload.code) ? "refused" : "lost", payload.code);
    if (topic === "welcome") {
      this.wait = FIRST_WAIT_MS;
      this.status = "connecting";
      this.#tell("open");
    }
    if (topic === "answer") this.#answer(payload);
    this.dispatchEvent(new CustomEvent("topic", { detail: { topic, payload } }));
  }

  #answer(payload) {
    const waiting = this.asked.get(payload?.id);
    if (!waiting) return;
    this.asked.delete(payload.id);
    clearTimeout(waiting.timer);
    waiting.resolve(payload);
  }

  #lost() {
    for (const [id, waiting] of this.asked) {
      clearTimeout(waiting.timer);
      waiting.resolve({ id, accepted: false, code: "connection_lost" });
    }
    this.asked.clear();
    if (this.status === "refused") return;
    this.#tell("lost", this.code);
    setTimeout(() => this.open(), this.wait * (0.7 + 0.6 * Math.random()));
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 1.7);
  }

  send(topic, payload) {
    if (this.status !== "open" || this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ topic, payload }));
    return true;
  }

  // Sends a command; resolves to its answer, or to one of our own when none can come.
  command(fields) {
    return this.ask("command", fields);
  }

  // The same for anything else that the server answers, such as a wish about players.
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

// Keeps a role's secret for reloads, as if it had stood in the address; gives it back.
export function keepSecret(role, secret) {
  sessionStorage.setItem(secretKey(role), secret);
  return secret;
}

// Beside the page, so that it is found beneath a proxy's path too.
export function socketAddress() {
  return new URL("ws", location.href).href.replace(/^http/, "ws");
}
