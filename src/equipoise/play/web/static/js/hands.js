// The grid of hands: a cell is filled as high as it is reached, and as wide as each action is played.
import { colours, h, number, percent } from "./dom.js";
import { isCard, suit } from "./cards.js";

/** Shades for values: brown below the middle, blue above, white between. */
function shade(value, low, high) {
  if (value === null) return "var(--sunk)";
  const middle = low < 0 && high > 0 ? 0 : (low + high) / 2, most = Math.max(high - middle, middle - low) || 1;
  const part = Math.min(1, Math.abs(value - middle) / most);
  return `color-mix(in srgb, ${value < middle ? "var(--lose)" : "var(--win)"} ${Math.round(15 + part * 85)}%, var(--even))`;
}
function label(text) {
  if (isCard(text)) return h("span", null, text.slice(0, -1), suit(text.slice(-1)));
  return h("span", null, text);
}

/** scene, mode ("strategy", "value", "reach"), the selected label, the found label, what to do when one is chosen. */
export function grid(scene, { mode, selected, found, choose, ranges }) {
  const { rows, columns } = scene;
  const tints = colours(scene.words), few = columns.length <= 6 && rows.length <= 2;
  const names = rows.some(Boolean), heads = rows.length > 1 && columns.some(Boolean);
  const cells = new Map(scene.cells.map((cell) => [`${cell.row},${cell.column}`, cell]));
  const values = scene.cells.map((cell) => cell.value).filter((v) => v !== null);
  const [low, high] = ranges || [Math.min(...values, 0), Math.max(...values, 0)];
  const top = Math.max(...scene.cells.map((cell) => cell.share), 1e-12);
  const board = h(`div.hands${few ? ".few" : ""}${names ? "" : ".plain"}${heads && names && columns.length > 8 ? ".many" : ""}`, { role: "grid", "aria-label": "Hands", css: { "--columns": columns.length, "--shape": rows.length < 3 ? (few ? "auto" : "0.8") : columns.length === 13 && rows.length === 4 ? "0.72" : "1" } });
  if (heads) {
    if (names) board.append(h("div.head"));
    for (const name of columns) board.append(h("div.head", null, name));
  }
  rows.forEach((row, i) => {
    if (names) board.append(h("div.head", null, row.length === 1 ? suit(row) : row));
    columns.forEach((_, j) => {
      const cell = cells.get(`${i},${j}`);
      if (!cell) { board.append(h("div.hand.gone")); return; }
      const css = {};
      if (mode === "strategy") {
        let from = 0;
        const parts = cell.probabilities.map((p, k) => { const a = from; from += 100 * (p || 0); return `${tints[k]} ${a.toFixed(2)}% ${from.toFixed(2)}%`; });
        css["background-image"] = `linear-gradient(to right, ${parts.join(", ")})`;
        css["background-size"] = `100% ${cell.reach > 0 ? Math.max(8, 100 * cell.reach).toFixed(1) : 0}%`;
      } else if (mode === "value") css["background-color"] = shade(cell.value, low, high);
      else css["background-color"] = `color-mix(in srgb, var(--accent) ${Math.round(100 * cell.share / top)}%, var(--sunk))`;
      const told = scene.words.map((word, k) => `${word} ${percent(cell.probabilities[k])}`).join(", ");
      const button = h(`button.hand${found === cell.label ? ".found" : ""}`, { type: "button", role: "gridcell", css, title: `${cell.label}: ${told}`, "aria-label": `${cell.label}: ${told}; worth ${number(cell.value)}`, "aria-selected": String(selected === cell.label), tabindex: selected === cell.label ? 0 : -1, "data-label": cell.label, "data-row": i, "data-column": j, onclick: () => choose(cell.label) }, heads && cell.label.includes("|") ? null : label(cell.label));
      board.append(button);
    });
  });
  if (!board.querySelector('[tabindex="0"]')) board.querySelector("button.hand")?.setAttribute("tabindex", 0);
  board.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const here = event.target.closest("button.hand");
    if (!step || !here) return;
    event.preventDefault();
    let [i, j] = [+here.dataset.row, +here.dataset.column];
    for (let n = 0; n < 30; n++) {
      i += step[0]; j += step[1];
      const next = board.querySelector(`button.hand[data-row="${i}"][data-column="${j}"]`);
      if (next) { choose(next.dataset.label); return; }
      if (i < 0 || j < 0 || i >= rows.length || j >= columns.length) return;
    }
  });
  return board;
}

/** All hands together: how often each action is played, weighted by how often play comes here with each hand. */
export function together(scene) {
  const tints = colours(scene.words);
  const total = scene.words.map((_, k) => scene.cells.reduce((sum, cell) => sum + cell.share * (cell.probabilities[k] || 0), 0));
  const all = total.reduce((a, b) => a + b, 0) || 1;
  return h("div.stack.tight", null,
    h("div.sum", { role: "img", "aria-label": "All hands together" }, total.map((t, k) => h("span", { css: { "--c": tints[k], width: `${(100 * t) / all}%` } }, t / all > 0.12 ? percent(t / all) : ""))),
    h("ul.legend", null, scene.words.map((word, k) => h("li", null, h("span.dot", { css: { "--c": tints[k] } }), `${word} `, h("span.quiet", null, percent(total[k] / all))))));
}

/** One decision: how often each action is played, with a bar, and what it is worth; the best in bold. */
export function mix(words, probabilities, values) {
  const tints = colours(words), known = values.filter((v) => v !== null);
  const best = Math.max(...known), near = 1e-6 * Math.max(1, Math.abs(best));
  return h("ul.mix", null,
    h("li.head", null, h("span", null, "action"), h("span.num", null, "how often"), h("span.num", null, "worth")),
    words.map((word, k) => h("li", null, h("span", null, word),
      h("span.num", null, percent(probabilities[k])),
      h(`span.num${known.length && values[k] !== null && values[k] >= best - near ? ".best" : ".quiet"}`, null, number(values[k])),
      h("div.track", null, h("div.fill", { css: { "--c": tints[k], width: `${100 * (probabilities[k] || 0)}%` } })))));
}
