/* Search in the site opened as files: a browser starts no worker from file://, so this runs one in an iframe. */
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      const script = inner.document.createElement("script");
      script.src = url;
      this.ready = new Promise((resolve) => (script.onload = () => resolve(inner)));
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inner.document.head.append(script);
    }

    postMessage(data) {
      this.ready.then((inner) => inner.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
