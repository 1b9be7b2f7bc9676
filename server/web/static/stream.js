// The one stream of a page: newest state first, and a word when the connection is gone.

import { by } from "./dom.js";
import { within } from "./reach.js";
import { t } from "./words.js";

const SILENCE_MS = 30_000;
const GONE_MS = 8_000;
const ANSWER_MS = 5_000;

// What somebody may have filled in; what stands in no form is asked for as soon as it is chosen.
const FIELDS = "input:not([type=radio], [type=checkbox], [type=password]), form :is([type=radio], [type=checkbox], select)";

function isTouched(field) {
  if (field.matches("select")) return field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  return field.matches("[type=radio], [type=checkbox]") ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

// Whether loading the page anew would sweep away what somebody has written or chosen.
const typing = () => [...document.querySelectorAll(FIELDS)].some((field) => isTouched(field) && field.getClientRects().length);

// `gone` is called when the machine has not answered for a while. What it gives opens the stream anew, for whoever asks
// by now.
export function watch(render, gone = () => {}) {
  let source = null;
  let boot = null;
  let heard = Date.now();
  let missing = null;
  let opening = null;

  function open() {
    close();
    source = new EventSource("/api/events");
    source.onmessage = (event) => show(JSON.parse(event.data));
    source.onerror = () => {
      if (source && source.readyState === EventSource.CLOSED) askInstead();
      else lost();
    };
    source.addEventListener("open", () => { heard = Date.now(); });
  }

  function close() {
    clearTimeout(opening);
    if (source) source.close();
    source = null;
  }

  function show(state) {
    heard = Date.now();
    boot ??= state.boot;
    if (boot !== state.boot && !typing()) {
      // Another start of the machine may have brought other pages.
      location.reload();
      return;
    }
    by("connection").hidden = true;
    clearTimeout(missing);
    missing = null;
    document.body.dataset.seq = state.seq;
    document.body.dataset.turned = state.turned;
    document.body.dataset.boot = state.boot;
    render(state);
  }

  // Whom the machine gives no stream, because too many of its address or in all have one, asks every second or so.
  async function askInstead() {
    const refused = source;
    const answer = await fetch("/api/state", { cache: "no-store", signal: within(ANSWER_MS) }).catch(() => null);
    const state = answer?.ok ? await answer.json().catch(() => null) : null;
    if (source !== refused) return;
    if (state) show(state);
    else lost();
    opening = setTimeout(open, 500 + 1000 * Math.random());
  }

  function lost() {
    const line = by("connection");
    line.textContent = t("Reconnecting: the machine does not answer.");
    line.hidden = false;
    missing ??= setTimeout(gone, GONE_MS);
  }

  // The heartbeat is a comment that a page cannot hear; an idle hour is told from a dead server by asking. Where a
  // network is gone without a word, no answer comes at all; where it came back, the stream may still be dead.
  async function check() {
    if (document.hidden) return;
    try {
      const answer = await fetch("/healthz", { cache: "no-store", signal: within(ANSWER_MS) });
      const { boot: now, seq } = await answer.json();
      heard = Date.now();
      const { dataset } = document.body;
      if (by("connection").hidden && dataset.boot === now && dataset.seq === String(seq)) return;
    } catch {
      lost();
    }
    open();
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  setInterval(() => {
    if (Date.now() - heard >= SILENCE_MS) check();
  }, 10_000);
  // A device that knows it is not asked to wait; that it is in no network says nothing of a server on itself.
  for (const news of ["offline", "online"]) window.addEventListener(news, check);
  open();
  return () => { if (source) open(); };
}
