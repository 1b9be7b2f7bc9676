// Dice as drawings.

import { h, svg } from "./dom.js";

const SPOTS = {
  1: [[50, 50]],
  2: [[27, 27], [73, 73]],
  3: [[27, 27], [50, 50], [73, 73]],
  4: [[27, 27], [73, 27], [27, 73], [73, 73]],
  5: [[27, 27], [73, 27], [50, 50], [27, 73], [73, 73]],
  6: [[27, 24], [73, 24], [27, 50], [73, 50], [27, 76], [73, 76]],
};

export function die(face, { counted = false, label = null } = {}) {
  const text = label ?? (face === null ? "a die that could not be read" : `a ${face}`);
  return svg(
    "svg",
    { viewBox: "0 0 100 100", class: counted ? "die counted" : "die", role: "img", "aria-label": text },
    svg("rect", { x: 4, y: 4, width: 92, height: 92, rx: 20, class: "body" }),
    face === null
      ? svg("text", { x: 50, y: 70, "text-anchor": "middle", class: "doubt" }, "?")
      : SPOTS[face].map(([cx, cy]) => svg("circle", { cx, cy, r: 10, class: "pip" })),
  );
}

// All dice of a look: those that count first and ringed, the others after them.
export function diceOf(look) {
  const counted = look.counted ?? [];
  const others = look.dice.map((_, index) => index).filter((index) => !counted.includes(index));
  return [
    ...counted.map((index) => die(look.dice[index].face, { counted: true, label: `a ${look.dice[index].face}, counts` })),
    ...others.map((index) => die(look.dice[index].face)),
  ];
}

// The picture with a box and the face on each die.
export function picture(look) {
  if (!look.frame) return h("p", { class: "empty" }, "No picture: the faces come from simulated dice.");
  const [width, height] = look.size;
  const counted = new Set(look.counted ?? []);
  const marks = look.dice.map((found, index) => {
    const [x, y, w, tall] = found.box;
    const size = Math.max(w * 0.5, tall * 0.5, width / 60);
    return svg(
      "g",
      { class: look.verdict !== "ok" ? "mark refused" : counted.has(index) ? "mark counted" : "mark" },
      svg("rect", { x, y, width: w, height: tall, rx: w / 6, "stroke-width": width / 300 }),
      svg("text", { x: x + w / 2, y: y - size * 0.25, "text-anchor": "middle", "font-size": size }, found.face ?? "?"),
    );
  });
  return h(
    "figure",
    {},
    h("img", { src: `/frames/${look.frame}.jpg`, width, height, alt: `The dice as the camera saw them: ${look.message}` }),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, marks),
  );
}
