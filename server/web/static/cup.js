// The cornet itself, as a drawing that turns while the real one turns: seen along its axle, on its wide floor.

import { die } from "./dice.js";
import { svg } from "./dom.js";

const DICE = [[5, 31, 84, -8], [2, 50, 85, 4], [6, 69, 83, 14]];
const STOPS = { amber: [["0", "#a35a35"], [".45", "#7c4127"], ["1", "#4a2415"]], brass: [["0", "#f3cf86"], [".5", "#e0ab4a"], ["1", "#8d6424"]] };

// A drawing that is hidden lends its colours to nobody, so each has its own.
let drawn = 0;

const gradient = ([id, stops]) => svg("linearGradient", { id }, stops.map(([offset, color]) => svg("stop", { offset, "stop-color": color })));

function loose([face, x, y, turn]) {
  const one = die(face, { label: "" });
  for (const [name, value] of Object.entries({ x, y, width: 16, height: 16 })) one.setAttribute(name, value);
  return svg("g", { transform: `rotate(${turn} ${x + 8} ${y + 8})` }, one);
}

export function cup(label) {
  drawn += 1;
  const [amber, brass] = [`amber-${drawn}`, `brass-${drawn}`];
  return svg(
    "svg",
    { viewBox: "0 0 120 124", class: "cup", role: "img", "aria-label": label },
    svg("defs", {}, gradient([amber, STOPS.amber]), gradient([brass, STOPS.brass])),
    svg("path", { d: "M55 60h10l5 56H50z", class: "post" }),
    svg("path", { d: "M30 116h60a4 4 0 0 1 4 4v1H26v-1a4 4 0 0 1 4-4z", class: "post" }),
    svg(
      "g",
      { class: "turning" },
      svg("path", { d: "M46 20h28l21 78H25z", fill: `url(#${amber})` }),
      svg("path", { d: "M50 24h7L44 96H31z", class: "shine" }),
      svg("g", { class: "inside" }, DICE.map(loose)),
      svg("rect", { x: 43, y: 14, width: 34, height: 9, rx: 4, fill: `url(#${brass})` }),
      svg("rect", { x: 22, y: 97, width: 76, height: 9, rx: 4, fill: `url(#${brass})` }),
    ),
    svg("circle", { cx: 60, cy: 60, r: 5.5, fill: `url(#${brass})` }),
    svg("circle", { cx: 60, cy: 60, r: 1.8, class: "pin" }),
  );
}
