// Requests that change something: who asks, the token, one key for each request, and a sentence where it was refused.

import { reach, within } from "./reach.js";
import { say, t } from "./words.js";

const PATIENCE_MS = 15_000;

let me = null;

// Asked through `reach` where the page cannot do without the answer.
export async function whoAmI(through = fetch) {
  me = await (await through("/api/me")).json();
  return me;
}

// A page of the bartender's whose session has ended, as with a new PIN, gives way to the one that asks for the PIN. That
// something was refused may have other reasons.
export async function leads({ status }) {
  if (status === 403 && (await whoAmI(reach)).role === "guest") location.reload();
}

// A key for each request, so that one sent twice is taken once; plain HTTP has no crypto.randomUUID.
export const key = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("-");

// What stands in the way of whoever must be known again by the next request; empty where nothing does.
export const unknowable = () => (navigator.cookieEnabled ? "" : t("This browser keeps no cookies: allow them for this page, then load it again."));

const underway = new Map();

// Two taps on one thing are one request: who asks it again before it is answered is given the same answer.
export function ask(method, path, body) {
  const asked = JSON.stringify([method, path, { ...body, key: null }]);
  if (!underway.has(asked)) underway.set(asked, send(method, path, body).finally(() => underway.delete(asked)));
  return underway.get(asked);
}

// What came of it: the answer's body and `ok`, with `error` a sentence in the page's language.
async function send(method, path, body) {
  // In a network that is gone without a word no answer comes at all, and the next tap would wait with this one.
  const signal = within(PATIENCE_MS);
  const know = () => whoAmI((question) => fetch(question, { signal })).catch(() => null);
  const put = () => fetch(path, {
    method,
    signal,
    headers: { "Content-Type": "application/json", "X-Cornet-Token": me?.token ?? "" },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => null);
  if (!me) await know();
  const token = me?.token;
  let answer = await put();
  if (answer?.status === 403) {
    // After a restart, and at another address, the token is another.
    await know();
    if (me?.token !== token) answer = await put();
  }
  if (answer === null) return { ok: false, error: t("The machine does not answer; try again.") };
  const said = await answer.json().catch(() => ({}));
  return { ok: answer.ok, status: answer.status, ...said, error: answer.ok ? "" : say(said.error ?? "") || t("That did not work; load the page again.") };
}

// What is asked, with the sentence of its refusal shown in `place` until something is asked again: what was asked before
// and is granted late hides no refusal.
export async function heard(place, asked) {
  place.textContent = "";
  const answer = await asked;
  if (answer.ok) return answer;
  place.textContent = answer.error;
  bringOut(place);
  // The browser may yet make up for the room that the sentence takes, and move the page by it.
  requestAnimationFrame(() => requestAnimationFrame(() => bringOut(place)));
  return answer;
}

// Where a sentence has come to lie over what was pressed, or has pushed a part of it off the screen, that is brought out;
// also when the page was drawn anew since.
export function bringOut(place) {
  if (!place.textContent) return;
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  const covered = bottom > 0 && top < place.getBoundingClientRect().bottom;
  if (covered || (top < innerHeight && bottom > innerHeight)) document.activeElement.scrollIntoView({ block: "nearest" });
}

// By when game or turn last changed: what stands on the screen for the same turn may be pressed, however old it is.
export const act = ({ turned }, action) => ask("POST", "/api/actions", { action, expected_seq: turned, key: key() });

export const press = ({ turned }) => ask("POST", "/api/throw", { expected_seq: turned, key: key() });
