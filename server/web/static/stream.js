// The one stream of a page: newest state first, and a word when the connection is gone.

import { by } from "./dom.js";
import { t } from "./words.js";

const SILENCE_MS = 30_000;
const GONE_MS = 8_000;

// `gone` is called when the machine has not answered for a while.
export function watch(render, gone = () => {}) {
  let source = null;
  let boot = null;
  let heard = Date.now();
  let missing = null;

  function open() {
    close();
    source = new EventSource("/api/events");
    source.onmessage = (event) => {
      heard = Date.now();
      const state = JSON.parse(event.data);
      if (boot !== null && boot !== state.boot) {
        // Another start of the machine may have brought other pages.
        location.reload();
        return;
      }
      boot = state.boot;
      by("connection").hidden = true;
      clearTimeout(missing);
      missing = null;
      document.body.dataset.seq = state.seq;
      document.body.dataset.turned = state.turned;
      document.body.dataset.boot = state.boot;
      render(state);
    };
    source.onerror = () => {
      lost();
      if (source && source.readyState === EventSource.CLOSED) setTimeout(open, 500 + 1000 * Math.random());
    };
    source.addEventListener("open", () => { heard = Date.now(); });
  }

  function close() {
    if (source) source.close();
    source = null;
  }

  function lost() {
    const line = by("connection");
    line.textContent = t("Reconnecting: the machine does not answer.");
    line.hidden = false;
    missing ??= setTimeout(gone, GONE_MS);
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  setInterval(() => {
    // The heartbeat is a comment that a page cannot hear; an idle hour is told from a dead server by asking.
    if (document.hidden || Date.now() - heard < SILENCE_MS) return;
    fetch("/healthz", { cache: "no-store" }).then(() => { heard = Date.now(); }, () => { lost(); open(); });
  }, 10_000);
  open();
}
