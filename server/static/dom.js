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

// Replaces what an element shows, and only where it changed: focus and animations of the rest stay.
export function show(element, key, make) {
  if (!element || element.dataset.shown === key) return;
  element.dataset.shown = key;
  element.replaceChildren(...[make()].flat(Infinity).filter(Boolean));
}
