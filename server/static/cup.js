// The cornet itself, as a drawing that turns while the real one turns.

import { svg } from "./dom.js";

const DICE = [[-9, 10, -14], [10, 13, 22], [0, -4, 8]];

export const cup = (label) => svg(
  "svg",
  { viewBox: "0 0 120 120", class: "cup", role: "img", "aria-label": label },
  svg("path", { d: "M10 60h100", class: "axle" }),
  svg(
    "g",
    { class: "turning" },
    svg("path", { d: "M36 20h48a4 4 0 0 1 4 4l-11 70a8 8 0 0 1-8 7H51a8 8 0 0 1-8-7L32 24a4 4 0 0 1 4-4z", class: "glass" }),
    svg("path", { d: "M31 18h58v10H31z", class: "ring" }),
    svg("path", { d: "M44 94h32l-1 7H45z", class: "ring" }),
    svg("g", { class: "inside" }, DICE.map(([x, y, turn]) => svg("rect", { x: 53 + x, y: 60 + y, width: 15, height: 15, rx: 4, transform: `rotate(${turn} ${60 + x} ${67 + y})`, class: "loose" }))),
  ),
  svg("circle", { cx: 60, cy: 60, r: 4, class: "hub" }),
);
