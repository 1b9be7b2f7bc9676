// Dice as drawings.

import { h, svg } from "./dom.js";
import { say, t } from "./words.js";

const SPOTS = {
  1: [[50, 50]],
  2: [[28, 28], [72, 72]],
  3: [[27, 27], [50, 50], [73, 73]],
  4: [[28, 28], [72, 28], [28, 72], [72, 72]],
  5: [[27, 27], [73, 27], [50, 50], [27, 73], [73, 73]],
  6: [[28, 24], [72, 24], [28, 50], [72, 50], [28, 76], [72, 76]],
};

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

// Every die of a look with its face as it holds; null where there is none.
const holding = (look) => (look.corrected?.dice ?? look.dice).map((found) => (Number.isInteger(found) ? found : found?.face ?? null));

// The dice of a look that count, in their order; where a number was called, those that miss it stand back.
export const counting = (look, called = null) => faces(look).map((face) => die(face, { kind: called === null ? "counted" : face === called ? "counted hit" : "counted miss", label: t("a {face}, counts", { face }) }));

// The dice of a look that do not count; all of them where it was refused.
export function others(look) {
  const counted = new Set(look.corrected?.counted ?? look.counted ?? []);
  const gone = (index) => look.corrected?.dice && look.corrected.dice[index] === null;
  return holding(look).map((face, index) => (counted.has(index) || gone(index) ? null : die(face, { kind: "other" }))).filter(Boolean);
}

// The picture with a box and the face on each die; `tap` is told the index of a die that was tapped.
export function picture(look, tap = null) {
  if (!look.frame) return h("p", { class: "empty" }, look.by_hand ? say(look.message) : t("No picture: the faces come from simulated dice."));
  const [width, height] = look.size;
  const counted = new Set(look.counted ?? []);
  const marks = look.dice.map((found, index) => mark(found, width, look.verdict !== "ok" ? "refused" : counted.has(index) ? "counted" : "", corrected(look, index)));
  const buttons = tap && look.dice.map((found, index) => h("button", { class: "spot", "data-at": places(found.box, width, height), "aria-label": t("This {face} is wrong", { face: found.face ?? "?" }), onclick: () => tap(index) }));
  return h(
    "figure",
    { class: "seen" },
    h("img", { src: `/frames/${look.frame}.jpg`, width, height, alt: t("The dice as the camera saw them: {message}", { message: say(look.message) }) }),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, marks),
    buttons && placed(buttons),
  );
}

// What holds of a die that was read otherwise; both are drawn on the picture.
function corrected(look, index) {
  const now = look.corrected?.dice?.length ? look.corrected.dice[index] : look.dice[index].face;
  return now === look.dice[index].face ? "" : `→${now ?? "–"}`;
}

function mark({ box: [x, y, w, tall], face }, width, kind, now) {
  const size = Math.max(w * 0.5, tall * 0.5, width / 30);
  // Above a die at the upper edge nothing would be seen of it.
  const line = y < size ? y + tall + size * 0.95 : y - size * 0.22;
  return svg(
    "g",
    { class: `mark ${kind}` },
    svg("rect", { x, y, width: w, height: tall, rx: w / 5, "stroke-width": width / 260 }),
    svg("text", { x: x + w / 2, y: line, "text-anchor": "middle", "font-size": size }, `${face ?? "?"}${now}`),
  );
}

const places = ([x, y, w, tall], width, height) => [x / width, y / height, w / width, tall / height].map((share) => `${(100 * share).toFixed(2)}%`).join(" ");

// The policy of the page allows no style in markup; an element's own style object is no markup.
function placed(buttons) {
  for (const button of buttons) [button.style.left, button.style.top, button.style.width, button.style.height] = button.dataset.at.split(" ");
  return buttons;
}
