// Making elements, and saying numbers.

/** Make an element: h("button.primary", { onclick }, "Text", child). */
export function h(kind, props, ...children) {
  const [tag, ...classes] = kind.split(".");
  const isSvg = SVG.has(tag);
  const node = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "css") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else if (name === "value" && !isSvg) node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
const SVG = new Set(["svg", "path", "line", "circle", "rect", "text", "g", "polyline", "polygon", "title", "use"]);

export const $ = (selector, root = document) => root.querySelector(selector);

/** Put children in the place of what a node has. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const MINUS = "\u2212";
/** A number for people: four significant digits, thousands apart. */
export function number(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const size = Math.abs(x) < 1e-12 ? 0 : Math.abs(x);
  let text;
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) text = Number(size.toPrecision(3)).toExponential().replace("e-", "e" + MINUS).replace("e+", "e");
  else if (size >= 1000) text = Math.round(size).toLocaleString("en-US");
  else text = String(Number(size.toPrecision(digits)));
  return (x < 0 && size !== 0 ? MINUS : "") + text;
}
/** A gap: never below zero, and what only rounding leaves is said to be that. */
export function gapText(gap) {
  if (gap === null || gap === undefined || Number.isNaN(gap)) return "–";
  return gap < 1e-12 ? "0" : number(gap, 3);
}
/** The same with a plus sign. */
export const signed = (x, digits = 4) => (x > 0 ? "+" : "") + number(x, digits);
/** What is won or lost in a few hands: at most two places. */
export const chips = (x) => (x === null || x === undefined ? "–" : signed(Math.round(x * 100) / 100, 5));
export const percent = (p) => (p === null || p === undefined ? "–" : p > 0 && p < 0.005 ? "<1%" : `${Math.round(p * 100)}%`);
export function seconds(s) {
  if (s < 1) return `${number(s, 2)} s`;
  if (s < 120) return `${number(s, 3)} s`;
  return s < 7200 ? `${Math.round(s / 60)} min` : `${number(s / 3600, 2)} h`;
}

let timer;
/** Say something at the foot of the page for a while. */
export function toast(text) {
  const place = $("#toast");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => place.classList.remove("shown"), 4200);
}

const KINDS = [["fold", 2], ["check", 0], ["call", 0], ["pass", 0], ["bet", 1], ["raise", 1], ["all-in", 3]];
/** The colours of actions: folds, calls and bets have their own; other actions take the palette in order. */
export function colours(words) {
  const found = words.map((word) => KINDS.find(([kind]) => word.toLowerCase().startsWith(kind))?.[1]);
  if (found.some((c) => c === undefined)) return words.map((_, k) => `var(--a${k % 8})`);
  const taken = new Set();
  return found.map((c) => {
    const free = [c, 3, 4, 6, 5, 7].find((one) => !taken.has(one)) ?? 7;
    taken.add(free);
    return `var(--a${free})`;
  });
}
/** Whether a colour of the palette needs dark letters on it. */
export const isLight = (colour) => ["var(--a2)", "var(--a3)", "var(--a6)", "var(--a4)"].includes(colour);
