// What the page says, in its language: the catalogue is the server's, English is what the code says.

import { reach } from "./reach.js";

const language = document.documentElement.lang;
// The page names it in its head, so that it comes at once with the modules; in English there is none.
const words = document.getElementById("words");
const catalogue = words ? await (await reach(words.href)).json() : {};
// The page works: what it says of browsers in which it does not is not wanted.
document.getElementById("late")?.remove();
const plural = new Intl.PluralRules(language);
// A fraction goes with the form of few where there is one: 8,92 жетона.
const FORM = { one: 0, few: 1, ...(language === "ru" && { other: 1 }) };

// A name that is written from right to left would turn what stands beside it around, a number above all.
const TURNED = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const apart = (value) => (TURNED.test(value) ? `\u2068${value}\u2069` : value);

// A name that ends in a full stop ends a sentence as well.
const fill = (text, values) => text.replace(/\{(\w+)\}(\.?)/g, (gap, name, stop) => {
  const value = apart(values[name] ?? `{${name}}`);
  return /\.\u2069?$/.test(value) ? value : value + stop;
});

// A text with its gaps filled.
export const t = (text, values = {}) => fill(catalogue[text] ?? text, values);

// The form that goes with a number, which fills the gap {n}.
export function tn(one, many, n, values = {}) {
  const forms = catalogue[one] ?? [one, many];
  return fill(forms[FORM[plural.select(n)] ?? forms.length - 1], { n, ...values });
}

// A text whose gaps are filled with elements.
export const tx = (text, values) => (catalogue[text] ?? text).split(/\{(\w+)\}/).map((part, index) => (index % 2 ? values[part] : part));

// What fills a gap of a sentence of the engine: a figure with the marks of the language, what was given as it was
// given, or what it says there.
const FIGURE = /^-?\d+(\.\d+)?%?$/;
const GIVEN = /^"([^"\\]|\\.)*"$/s;
const filled = (value) => (FIGURE.test(value) ? value.replace(".", ",").replace("%", "\u202f%") : GIVEN.test(value) ? value : say(value));

let patterns = null;

// A sentence of the engine: found whole, or by the pattern that it fills.
export function say(sentence) {
  if (language === "en" || !sentence) return sentence;
  if (typeof catalogue[sentence] === "string") return catalogue[sentence];
  patterns ??= Object.keys(catalogue)
    .filter((text) => text.includes("{0}"))
    .sort((one, other) => other.length - one.length)
    .map((text) => [new RegExp(`^${text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\d\}/g, "(.*?)")}$`, "s"), catalogue[text]]);
  for (const [pattern, text] of patterns) {
    const found = sentence.match(pattern);
    if (found) return text.replace(/\{(\d)\}/g, (gap, place) => filled(found[Number(place) + 1]));
  }
  return sentence;
}

// The faces of one hand, which stay in one line.
export const row = (faces) => faces.join("\u00a0");

export const list = (items) => new Intl.ListFormat(language).format(items.map(apart));

export const date = (text) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(text));

export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);
