// The steps of calibration: what to do, the picture while it is done, what came of it, and the way back.

import { ask, heard, leads } from "./ask.js";
import { by, h, show } from "./dom.js";
import { newest, reach } from "./reach.js";
import { date, number, say, t, tn } from "./words.js";

const AGAIN_MS = 500;

const STEPS = {
  lens: [t("Lens"), t("Print the board at 100 %, glue it onto something flat, and hold board or camera so that it is seen near and far, slanted this way and that, in every corner. A picture is taken every three seconds, the first at once. The floor must be calibrated again afterwards.")],
  focus: [t("Focus"), t("Put dice on the floor. The edges must be sharp.")],
  light: [t("Light"), t("Take all dice out and shut the lid. The floor must be lit evenly, without flicker and glare.")],
  floor: [t("Floor"), t("Take all dice out and shut the lid. The floor’s outline says where every place is in millimetres.")],
  dice: [t("Dice"), t("Put the whole set in; the cornet throws it three times. Dice of different colours may have names: lay them in a row, in that order from left to right, before you begin.")],
  motor: [t("Motor"), t("Keep your hands off: the cone turns some times, then throws once. Lay a level across the window ring; where it leans, give its degrees, above nought where the cone turned too far, and do the step again.")],
};

const FIGURES = {
  focal_px: [t("focal length"), t("px")],
  error_px: [t("error"), t("px")],
  bend_px: [t("bend at the corners"), t("px")],
  edge_px: [t("width of edges"), t("px")],
  darkest: [t("darkest place"), "%"],
  brightest: [t("brightest place"), "%"],
  glare: [t("glare"), "%"],
  flicker: [t("flicker"), "%"],
  mm_a_pixel: [t("a pixel"), t("mm")],
  tilt_deg: [t("tilt"), "°"],
  above_mm: [t("height of the camera"), t("mm")],
  level: [t("grey level"), ""],
  sharpness: [t("sharpness"), ""],
  side_mm: [t("side of a die"), t("mm")],
  edges_per_turn: [t("encoder edges a turn"), ""],
  running_a: [t("running current"), t("A")],
  jam_a: [t("current that means a jam"), t("A")],
  turn_s: [t("time of a turn"), t("s")],
  park_deg: [t("level behind the home mark"), "°"],
};

const FIELDS = {
  dice: [["set", t("Name of the set"), {}], ["names", t("Names of the dice, separated by commas"), {}], ["axes", t("Callipers: three axes of each die in mm"), { placeholder: t("16.01 16.00 15.99") }]],
  motor: [["level", t("What the level shows, in degrees"), { inputmode: "text" }]],
};

const telling = newest();

let standing = null;
let looked = 0;
const typed = {}; // what stands in the fields: a card is drawn anew while somebody writes in it

const done = (step) => step.came?.done ?? Boolean(step.at);

const title = (step) => STEPS[step][0];

function figure([name, value]) {
  const [text, unit] = FIGURES[name] ?? [name, ""];
  const shown = unit === "%" ? number(value, { style: "percent", maximumFractionDigits: 1 }) : `${number(value, { maximumSignificantDigits: Number.isInteger(value) ? 6 : 3 })}${unit && `\u202f${unit}`}`;
  return h("div", {}, h("dt", {}, text), h("dd", {}, shown));
}

function verdict({ at, came }) {
  if (came) return [h("p", { class: came.done ? "came good" : "came bad" }, say(came.message)), !came.done && at && h("p", { class: "dim" }, t("What was done on {date} is still in force.", { date: date(at) }))];
  return h("p", { class: at ? "came good" : "came" }, at ? t("Done on {date}.", { date: date(at) }) : t("Not done yet."));
}

const asked = (todo) => (todo ? say(todo) : t("Looking…"));

function progress({ taken, of, do: todo }) {
  return [
    h("p", { class: "came" }, asked(todo)),
    of ? h("progress", { value: taken, max: of, "aria-label": tn("{n} picture of {of}", "{n} pictures of {of}", taken, { of }) }) : h("progress", {}),
    h("button", { class: "stop", type: "button", onclick: () => request("DELETE", "/api/calibration/current") }, t("Stop this step")),
  ];
}

function begin(step) {
  return (event) => {
    event.preventDefault();
    const given = Object.fromEntries([...event.target.querySelectorAll("input")].map((field) => [field.name, field.value.trim()]).filter(([, value]) => value));
    if (given.names) given.names = given.names.split(",").map((name) => name.trim()).filter(Boolean);
    request("POST", `/api/calibration/${step}`, given);
  };
}

const field = (set) => ([name, text, how]) => {
  // The same dice are calibrated again, unless somebody says that they are others.
  const value = typed[name] ?? (name === "set" ? set : null) ?? "";
  return h("label", {}, h("span", {}, text), h("input", { name, autocomplete: "off", value, oninput: (event) => { typed[name] = event.target.value; }, ...how }));
};

function stage({ step, running, waits, looked, set }) {
  const pictured = running ? running.looks > 0 : step.picture && (step.came || step.at);
  const source = `/api/calibration/${step.step}/picture.jpg?${running ? `${running.looks}-${looked}` : step.came ? `came-${looked}` : step.at ?? ""}`;
  return [
    h("h2", {}, title(step.step)),
    h("p", { class: "dim" }, STEPS[step.step][1], " ", step.step === "lens" && h("a", { href: "/operator/board.svg", target: "_blank" }, t("The board to print"))),
    running ? progress(running) : verdict(step),
    pictured && h("img", { src: source, alt: t("What the step saw") }),
    !running && step.came?.done && h("dl", {}, Object.entries(step.came.figures).map(figure)),
    !running && h("form", { onsubmit: begin(step.step) }, (FIELDS[step.step] ?? []).map(field(set)), h("button", { class: done(step) ? "" : "main", disabled: waits }, done(step) ? t("Do it again") : t("Begin"))),
  ];
}

// What is asked for, and what came of it, for whoever cannot see it: a step is drawn anew too often to be listened to.
function speak({ running, steps }, over) {
  const ended = !running && steps.find(({ step }) => step === over);
  if (running) by("said").textContent = asked(running.do);
  else if (ended) by("said").textContent = ended.came ? say(ended.came.message) : "";
}

// Which step has ended since the last look; one that fails at once is never seen to run.
function ended(next) {
  if (standing?.running && !next.running) return standing.running.step;
  return standing && next.results !== standing.results ? next.ended : null;
}

function render(next) {
  const over = ended(next);
  speak(next, over);
  if (over) {
    looked += 1;
    if (next.steps.some(({ step, came }) => step === over && came?.done)) for (const [name] of FIELDS[over] ?? []) delete typed[name];
    // What was refused while it ran may be asked now.
    by("answer").textContent = "";
  }
  standing = next;
  if (!by("steps").childElementCount) by("steps").replaceChildren(...next.steps.map(({ step }) => h("li", { id: step, class: "card" })));
  for (const step of next.steps) {
    const running = next.running?.step === step.step ? next.running : null;
    by(step.step).classList.toggle("running", Boolean(running));
    show(by(step.step), { step, running, waits: Boolean(next.running), looked, set: next.set }, stage);
  }
  by("undo").hidden = !next.undo || Boolean(next.running);
  by("undo").textContent = next.undo ? t("Undo: {step}", { step: title(next.undo) }) : "";
}

async function request(...asked) {
  const answer = await heard(by("answer"), ask(...asked));
  leads(answer);
  if (!answer.ok) return;
  // What was asked before this came may be older, and is not listened to.
  telling();
  render(answer);
}

async function follow() {
  const isNewest = telling();
  const answer = await reach("/api/calibration");
  leads(answer);
  const said = await answer.json();
  if (isNewest()) {
    if (answer.ok) render(said);
    else by("answer").textContent = say(said.error);
  }
  setTimeout(follow, standing?.running ? AGAIN_MS : 4 * AGAIN_MS);
}

by("undo").addEventListener("click", () => request("DELETE", "/api/calibration/last"));
follow();
