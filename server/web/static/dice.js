// Dice as drawings.

import { h, svg } from "./dom.js";
import { say, t } from "./words.js";

// Of what was measured in pictures of dice of every sort: saturation below which there is no colour, brightness below
// which a die without one is black, and any die is.
const PALE = 0.3;
const GREY = 0.5;
const DARK = 0.2;
const REACH_PX = 40;

const SPOTS = {
  1: [[50, 50]],
  2: [[28, 28], [72, 72]],
  3: [[27, 27], [50, 50], [73, 73]],
  4: [[28, 28], [72, 28], [28, 72], [72, 72]],
  5: [[27, 27], [73, 27], [50, 50], [27, 73], [73, 73]],
  6: [[28, 24], [72, 24], [28, 50], [72, 50], [28, 76], [72, 76]],
};

// The colours in which dice are drawn, by the hue of the real ones in degrees, from the one to the next.
const DYES = [["red", 18], ["orange", 42], ["yellow", 68], ["green", 170], ["blue", 255], ["purple", 310], ["red", 360]];

// Which of them a measured colour is; none for what is bright and pale, which is drawn as ivory.
function dye(body) {
  if (!body) return "";
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(body.slice(at, at + 2), 16) / 255);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const pale = most - least < PALE * most;
  if (most < (pale ? GREY : DARK)) return "black";
  if (pale) return "";
  const sixth = most === red ? (green - blue) / (most - least) : most === green ? 2 + (blue - red) / (most - least) : 4 + (red - green) / (most - least);
  return DYES.find(([, end]) => (60 * sixth + 360) % 360 <= end)[0];
}

// The colour of a whole set: where its dice differ, only those that were read are known by theirs.
export function setDye(look) {
  const found = new Set((look?.dice ?? []).map(({ body }) => dye(body)));
  return found.size === 1 ? [...found][0] : "";
}

export function die(face, { kind = "", label = null } = {}) {
  const text = label ?? (face === null ? t("a die that could not be read") : t("a {face}", { face }));
  return svg(
    "svg",
    { viewBox: "0 0 100 100", class: `die ${kind}`, ...(text ? { role: "img", "aria-label": text } : { "aria-hidden": "true" }) },
    svg("rect", { x: 3, y: 3, width: 94, height: 94, rx: 24, class: "rim" }),
    svg("rect", { x: 7, y: 6, width: 86, height: 85, rx: 20, class: "body" }),
    face === null
      ? svg("text", { x: 50, y: 68, "text-anchor": "middle", class: "doubt" }, "?")
      : SPOTS[face].map(([cx, cy]) => svg("circle", { cx, cy: cy - 2, r: 9.5, class: "pip" })),
  );
}

// The faces that count, as they hold: as a person saw them where the reading was corrected.
export const faces = (look) => look.corrected?.faces ?? look.faces ?? [];

// Every die of a look as it holds: its face, null where there is none, and after them those that somebody added.
export function held(look) {
  if (look.corrected?.dice) return look.corrected.dice;
  const read = look.dice.map((found) => found.face);
  // It may also have been said of those alone that count.
  look.corrected?.faces.forEach((face, place) => { read[look.counted[place]] = face; });
  return read;
}

// The same with the faces of those that were added.
const holding = (look) => held(look).map((found) => found?.face ?? found);

const counted = (look) => look.corrected?.counted ?? look.counted ?? [];

// The dice of a look that count, in their order; where a number was called, those that miss it stand back.
export const counting = (look, called = null) => faces(look).map((face, place) => die(face, { kind: `counted ${called === null ? "" : face === called ? "hit" : "miss"} ${dye(look.dice[counted(look)[place]]?.body)}`, label: t("a {face}, counts", { face }) }));

// The dice of a look that do not count, each after its place; all of them where it was refused.
function resting(look) {
  const counts = new Set(counted(look));
  const gone = (index) => look.corrected?.dice && look.corrected.dice[index] === null;
  return holding(look).map((face, index) => (counts.has(index) || gone(index) ? null : [index, die(face, { kind: `other ${dye(look.dice[index]?.body)}` })])).filter(Boolean);
}

export const others = (look) => resting(look).map(([, one]) => one);

// Every die after its place in the reading, or after null if somebody added it: those that count, then the others.
export const placed = (look) => [...counting(look).map((one, place) => [counted(look)[place], one]), ...resting(look)].map(([index, one]) => [index < look.dice.length ? index : null, one]);

// The picture with a box and the face on each die; `tap` is told the index of a die that was tapped.
export function picture(look, tap = null) {
  if (!look.picture) return h("p", { class: "empty" }, look.by_hand ? say(look.message) : t("No picture: the faces come from simulated dice."));
  const [width, height] = look.size;
  const counts = new Set(look.counted ?? []);
  const marks = look.dice.map((found, index) => mark(found, width, look.verdict !== "ok" ? (look.amiss?.includes(index) ? "refused amiss" : "refused") : counts.has(index) ? "counted" : "", afterwards(look, index)));
  return h(
    "figure",
    { class: tap ? "seen tapped" : "seen", onclick: (event) => tap && near(event, look, tap) },
    h("img", { src: look.picture, width, height, alt: t("The dice as the camera saw them: {message}", { message: say(look.message) }) }),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, marks),
  );
}

// A finger is larger than a die in the picture: what it touches is the die whose middle is nearest.
function near(event, look, tap) {
  const { left, top, width } = event.currentTarget.getBoundingClientRect();
  const scale = width / look.size[0];
  const away = look.dice.map(({ box: [x, y, w, tall] }) => Math.hypot(event.clientX - left - scale * (x + w / 2), event.clientY - top - scale * (y + tall / 2)));
  const nearest = away.indexOf(Math.min(...away));
  if (away[nearest] < REACH_PX) tap(nearest);
}

// What was said of a die since it was read, drawn on the picture behind its face: what holds instead, or a doubt.
function afterwards(look, index) {
  const dice = held(look);
  const now = dice.length ? dice[index] : look.dice[index].face;
  if (now !== look.dice[index].face) return `→${now ?? "–"}`;
  return look.doubted.includes(index) && !look.corrected ? "?" : "";
}

function mark({ box: [x, y, w, tall], face }, width, kind, now) {
  const size = Math.max(w * 0.5, tall * 0.5, width / 30);
  // Above a die at the upper edge nothing would be seen of it.
  const line = y < size ? y + tall + size * 0.95 : y - size * 0.22;
  return svg(
    "g",
    { class: `mark ${kind}` },
    svg("rect", { x, y, width: w, height: tall, rx: w / 5, "stroke-width": width / (kind.endsWith("amiss") ? 100 : 260) }),
    svg("text", { x: x + w / 2, y: line, "text-anchor": "middle", "font-size": size }, `${face ?? "?"}${now}`),
  );
}
