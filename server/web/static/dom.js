// Elements, made without markup in texts, so that no name can become a tag.

export const by = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

let shown = new WeakMap();

// Shows what `make` makes of what it is given, anew only where that is not what it was given before: focus and
// animations of the rest stay. Whatever `make` draws by must be in `given`, or it would grow stale.
export function show(element, given, make) {
  const key = JSON.stringify(given);
  if (shown.get(element) === key) return;
  shown.set(element, key);
  const { activeElement } = document;
  const held = element.contains(activeElement) ? sign(activeElement) : null;
  const { selectionStart, selectionEnd } = activeElement;
  element.replaceChildren(...[make(given)].flat(Infinity).filter(Boolean));
  // Whoever came by keys stays where he was, as long as that is still there; but a move is never made twice by a held key.
  if (!held) return;
  const again = [...element.querySelectorAll("button:not(.main), input, select, summary")].find((each) => sign(each) === held);
  again?.focus();
  // So does the mark at which he is about to write.
  if (typeof selectionStart === "number") again?.setSelectionRange(selectionStart, selectionEnd);
  if (!element.contains(document.activeElement)) stand(element);
}

let adrift = false; // a part of the page is not shown any more, and the keys stood in it

// Puts whoever came by keys before a part of the page: Enter does nothing there, Tab leads to the first thing in it.
export function stand(part) {
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
  adrift = document.activeElement !== part;
}

// The same, at the end of a drawing, where that on which he stood is not shown any more.
export function regain(part) {
  const at = document.activeElement;
  if (adrift || (at && at !== document.body && !at.getClientRects().length)) stand(part);
}

// What a control is known by when it is drawn anew.
const sign = ({ tagName, id, name, value, ariaLabel, textContent }) => `${tagName} ${id || ariaLabel || (name ? `${name} ${value}` : textContent)}`;

// Has everything drawn anew: after a refusal nothing may stand as somebody's tap left it.
export function forget() {
  shown = new WeakMap();
}

export const pick = (from, ...names) => Object.fromEntries(names.map((name) => [name, from[name]]));
