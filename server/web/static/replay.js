// One game, step by step, as the log has it.

import { TINY, chosen, worth } from "./choices.js";
import { by, h } from "./dom.js";
import { picture } from "./dice.js";
import { newest, reach } from "./reach.js";
import { lines, title } from "./sheets/index.js";
import { tell } from "./tell.js";
import { FAULTS, caption, mended, outcome, verdict, why } from "./view.js";
import { variant } from "./variant.js";
import { date, list, say, t } from "./words.js";

const AGAIN_MS = 5000;

const number = by("replay").dataset.game;
const ask = () => reach(`/api/history/${number}`);
let game = await (await ask()).json();
const last = () => game.steps.length - 1;
let at = Math.max(0, last());
const stepping = newest();
const UNGRADED = { grades: [], cost: {} };
let graded = UNGRADED;
let seen = null; // the machine's newest snapshot when the game was asked for

function head() {
  by("head").replaceChildren(h("h1", {}, title(game.game)), game.simulated ? h("strong", { class: "simulated" }, t("Simulated dice")) : "", h("p", { class: "dim" }, [date(game.at), list(game.players), game.steps.length ? variant(game) : "", game.void ? t("void") : ""].filter(Boolean).join(" · ")));
}

const WHO = { console: t("somebody at the device"), operator: t("the bartender") };

// What a step was, in the words of the game's own log where it has any.
function told(step, state, before) {
  const said = state.game.log.slice(before).map(tell).join(" ");
  switch (step.kind) {
    case "refused": return t("{verdict}: not counted, thrown again.", { verdict: verdict(step) });
    case "correction": return t("Corrected by {who}: {reason}", { who: WHO[step.by] ?? step.by, reason: why(step.reason) });
    case "undo": return t("The last action was undone.");
    case "dispute": return t("A guest said that a reading was wrong.");
    case "fault": return t("Out of order: {fault}", { fault: FAULTS[step.fault] ?? step.fault });
    case "clear": return t("The fault was cleared.");
    // A game that was over before stays won.
    case "abandon": return state.game.finished ? "" : t("The game was voided.");
    case "entry": return `${said} ${t("Thrown by hand and entered by {who}.", { who: WHO[step.by] ?? step.by })}`;
    // Not every choice leaves a line in the log, nor does every throw.
    default: return said || (step.player ? t("{player}: {choice}.", { player: step.player, choice: step.action ? chosen(step.action) : step.faces.join(" ") }) : "");
  }
}

// What the choice of a step cost, once the game is over and its choices were graded.
function grade(step) {
  const found = graded.grades.find((each) => each.event === step.seq);
  if (!found) return "";
  if (found.cost < TINY) return h("span", { class: "grade" }, t("The best choice."));
  return h("span", { class: "grade" }, t("Cost {cost}: better was to {choice}.", { cost: worth(found.cost, found.unit), choice: chosen(found.best) }));
}

function costs() {
  const lines = Object.entries(graded.cost).map(([player, units]) => [player, Object.entries(units).filter(([, cost]) => cost >= TINY)]);
  if (!graded.grades.length) return [];
  return [h("h2", {}, t("What the choices cost")), h("ul", { class: "costs" }, lines.map(([player, units]) => h("li", {}, h("bdi", {}, player), h("b", {}, units.length ? list(units.map(([unit, cost]) => worth(cost, unit))) : t("nothing")))))];
}

// Where this step is among those that there are.
function range() {
  by("place").max = Math.max(0, last());
  by("place").value = at;
  by("place").setAttribute("aria-valuetext", t("{n} of {of}", { n: at + 1, of: last() + 1 }));
  by("nth").textContent = `${at + 1} / ${last() + 1}`;
  for (const id of ["first", "back"]) by(id).disabled = at <= 0;
  for (const id of ["forward", "end"]) by(id).disabled = at >= last();
}

async function go(place) {
  at = Math.min(Math.max(0, place), last());
  const isNewest = stepping();
  const step = game.steps[at];
  if (!step) {
    range();
    by("told").textContent = game.void ? t("The game was voided.") : t("Nothing has happened in this game yet.");
    return;
  }
  const answer = await reach(`/api/history/${number}/steps/${at}`);
  // Whoever taps fast sees the last step asked for, not the last one to arrive.
  if (!isNewest()) return;
  range();
  const state = { ...(await answer.json()), machine: { phase: "ready" } };
  if (!answer.ok) { by("told").textContent = say(state.error); return; }
  by("told").replaceChildren(told(step, state, at ? game.steps[at - 1].log : 0), state.game.finished ? ` ${outcome(state.game)}.` : "", " ", grade(step));
  by("sheet").replaceChildren(h("h2", { class: "hush" }, t("Score sheet")), ...lines(state).filter(Boolean));
  by("picture").replaceChildren(...(state.last ? [picture(state.last), caption(state.last, state), mended(state.last) ? h("p", { class: "dim" }, t("The camera read {before}; it was corrected to {after}: {reason}", { before: state.last.faces.join(" "), after: state.last.corrected.faces.join(" ") || "–", reason: why(state.last.corrected.reason) })) : ""] : [h("p", { class: "empty" }, t("No throw yet."))]));
}

by("first").addEventListener("click", () => go(0));
by("back").addEventListener("click", () => go(at - 1));
by("forward").addEventListener("click", () => go(at + 1));
by("end").addEventListener("click", () => go(last()));
by("place").addEventListener("input", (event) => go(Number(event.target.value)));
document.addEventListener("keydown", (event) => {
  // With a key held beside it an arrow is the browser's: Alt+← leads back a page.
  if (event.target.tagName === "INPUT" || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key === "ArrowLeft") go(at - 1);
  if (event.key === "ArrowRight") go(at + 1);
});

async function follow() {
  const { seq } = await (await reach("/healthz")).json();
  if (seq !== seen) {
    const answer = await ask();
    // What cannot be told for a while, as by a broken log, leaves what is shown.
    if (answer.ok) {
      seen = seq;
      await take(await answer.json());
    }
  }
  setTimeout(follow, AGAIN_MS);
}

// A game that is played meanwhile goes on behind the step that is looked at. Whoever looks at the end of one that is
// over, or was voided, sees what became of it.
async function take(newer) {
  if (JSON.stringify(newer) === JSON.stringify(game)) return;
  const [begins, over, stood] = [!game.steps.length, game.finished, at >= last()];
  game = newer;
  head();
  if (begins) go(0);
  else if (stood && (over || game.void)) go(last());
  else range();
  await weigh();
}

async function weigh() {
  const before = graded;
  const answer = game.finished && !game.void ? await reach(`/api/history/${number}/grades`) : null;
  graded = answer?.ok ? await answer.json() : UNGRADED;
  by("costs").replaceChildren(...costs());
  if (graded !== before) go(at);
}

head();
go(at);
await weigh();
setTimeout(follow, AGAIN_MS);
