// One line of lights: tower, camera, light, disk, watchers; and what the doctor finds behind them.

import { leads } from "./ask.js";
import { by, h, pick, show } from "./dom.js";
import { reach } from "./reach.js";
import { FAULTS } from "./view.js";
import { number, say, t, tn } from "./words.js";

const TOWERS = { gpio: t("Tower: ready"), sim: t("Tower: simulated"), twin: t("Tower: simulated") };
const CAMERAS = { pi: t("Camera: ready"), usb: t("Camera: ready"), rendered: t("Camera: drawn pictures"), frames: t("Camera: recorded pictures"), none: t("Camera: none") };
const LITTLE_MB = 1024;
const EVERY_MS = 30_000;
const GUESSED = 5; // wrong PINs in an hour: more than somebody's slips

let health = null;
let state = null;

const light = (kind, text) => h("li", { class: `light ${kind}` }, text);

function lights({ tower, camera: kind, machine, last, warnings, health }) {
  const broken = machine.fault?.part;
  const dark = last?.verdict === "bad-light";
  const hazy = last?.warning;
  const free = health?.free_mb ?? null;
  const full = broken === "disk" || free === null ? "bad" : free < LITTLE_MB ? "warn" : "";
  return [
    broken === "tower" ? light("bad", t("Tower: out of order")) : light("", TOWERS[tower]),
    broken === "camera" ? light("bad", t("Camera: out of order")) : light("", CAMERAS[kind]),
    light(dark || hazy ? "warn" : "", dark ? t("Light: bad") : hazy ? say(hazy) : t("Light: good")),
    light(health ? full : "", free === null ? t("Disk") : t("Disk: {room} GB free", { room: number(free / 1024, { maximumFractionDigits: free < 10_240 ? 1 : 0 }) })),
    light("", t("Watchers: {n}", { n: health?.watchers ?? 1 })),
    health?.wrong_pins >= GUESSED && light("warn", tn("{n} wrong PIN in the last hour: somebody may be guessing", "{n} wrong PINs in the last hour: somebody may be guessing", health.wrong_pins)),
    warnings.map((sentence) => light("warn", say(sentence))),
  ];
}

const draw = () => show(by("lights"), { ...pick(state, "tower", "camera", "machine", "last", "warnings"), health }, lights);

async function ask() {
  if (document.hidden) return;
  health = await fetch("/healthz").then((answer) => answer.json()).catch(() => null);
  draw();
}

export function showLights(next) {
  const changed = JSON.stringify(state?.machine.fault) !== JSON.stringify(next.machine.fault) || state?.seats.list.length !== next.seats.list.length;
  state = next;
  draw();
  if (changed) ask();
}

setInterval(() => state && ask(), EVERY_MS);

const STATES = { ok: t("well"), warning: t("look after it"), failed: t("fails"), absent: t("not tried") };
const PARTS = { tower: t("tower"), camera: t("camera") };

// Every part with what was seen of it; what needs a hand comes first.
export async function callDoctor() {
  by("doctor").setAttribute("aria-busy", "true");
  by("doctor").replaceChildren(h("p", { class: "dim" }, t("The doctor looks at every part.")));
  const answer = await reach("/api/doctor");
  leads(answer);
  const told = await answer.json();
  const order = ["failed", "warning", "ok", "absent"];
  by("doctor").removeAttribute("aria-busy");
  by("doctor").replaceChildren(...(answer.ok ? [...told.findings].sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state)).map(finding) : [h("p", { class: "answer" }, say(told.error))]));
}

const finding = ({ part, state: is, saw, do: next }) => h(
  "li",
  { class: `finding ${is}` },
  h("b", {}, PARTS[part] ?? say(part)),
  h("em", {}, STATES[is]),
  h("p", {}, FAULTS[saw] ?? say(saw)),
  next && h("p", { class: "next" }, say(next)),
);
