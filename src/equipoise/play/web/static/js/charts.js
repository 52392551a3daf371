// Small charts, drawn as SVG.
import { h, number } from "./dom.js";

const M = { left: 58, right: 16, top: 14, bottom: 40 };
/** Units across: letters have their own size where a chart is as wide as that. */
const across = (width) => width || (innerWidth < 640 ? 330 : 560);

function ticks(low, high, isLog, most = 5) {
  if (isLog) {
    const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((to - from + 1) / most));
    const found = [];
    for (let k = from; k <= to; k += step) found.push(10 ** k);
    if (found.length > 1) return found;
    const three = [1, 2, 3, 5].flatMap((m) => [10 ** (from - 1) * m, 10 ** from * m]).filter((t) => t >= low && t <= high);
    return three.length ? three : [low, high];
  }
  const rough = (high - low) / most || 1, unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough);
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) found.push(Math.abs(t) < step * 1e-9 ? 0 : t);
  return found;
}

/**
 * Lines over common axes. series: [{ name, points: [[x, y]], kind: "s0" }]; band: [[x, low, high]];
 * marks: [{ y, text }] are horizontal lines.
 */
export function chart({ series, band = null, marks = [], logX = false, logY = false, xLabel, yLabel, height = 280, width, whole = false, zero = false, label }) {
  const H = height, W = across(width);
  const ok = ([x, y]) => Number.isFinite(x) && Number.isFinite(y) && (!logX || x > 0) && (!logY || y > 0);
  const lines = series.map((one) => ({ ...one, points: one.points.filter(ok) }));
  const points = [...lines.flatMap((one) => one.points), ...(band || []).flatMap(([x, a, b]) => [[x, a], [x, b]]).filter(ok)];
  const svg = h("svg.chart", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": label || yLabel });
  if (!points.length) {
    svg.append(h("text", { x: W / 2, y: H / 2, "text-anchor": "middle" }, "nothing measured yet"));
    return svg;
  }
  let [x0, x1] = extent(points.map((p) => p[0])), [y0, y1] = extent([...points.map((p) => p[1]), ...marks.filter((m) => !m.far).map((m) => m.y).filter((y) => !logY || y > 0), ...(zero ? [0] : [])]);
  if (x0 === x1) x1 = logX ? x0 * 10 : x0 + 1;
  if (y0 === y1) [y0, y1] = logY ? [y0 / 3, y1 * 3] : [y0 - 1, y1 + 1];
  // Names stand above the highest line's end and below the others': they need room.
  const grow = (y1 - y0) * (lines.some((one) => one.name) ? 0.16 : 0.06), ends = lines.map((one) => one.points.at(-1)?.[1] ?? -Infinity), top = ends.indexOf(Math.max(...ends));
  if (!logY) [y0, y1] = [y0 - grow, y1 + grow];
  const scale = (low, high, from, to, isLog) => {
    const f = isLog ? Math.log : (v) => v, a = f(low), b = f(high);
    return (v) => from + ((f(v) - a) / (b - a)) * (to - from);
  };
  const X = scale(x0, x1, M.left, W - M.right, logX), Y = scale(y0, y1, H - M.bottom, M.top, logY);
  for (const t of ticks(y0, y1, logY)) {
    svg.append(h("line.grid", { x1: M.left, x2: W - M.right, y1: Y(t), y2: Y(t) }));
    svg.append(h("text", { x: M.left - 8, y: Y(t) + 4, "text-anchor": "end" }, number(t, 3)));
  }
  for (const t of ticks(x0, x1, logX, W < 400 ? 4 : 5).filter((one) => !whole || Number.isInteger(one))) svg.append(h("text", { x: X(t), y: H - M.bottom + 18, "text-anchor": "middle" }, number(t, 3)));
  svg.append(h("line.axis", { x1: M.left, x2: W - M.right, y1: H - M.bottom, y2: H - M.bottom }));
  svg.append(h("text", { x: W - M.right, y: H - 4, "text-anchor": "end" }, xLabel || ""));
  if (band) {
    const good = band.filter(([x, a, b]) => ok([x, a]) && ok([x, b]));
    const way = [...good.map(([x, , b]) => `${X(x)},${Y(b)}`), ...good.reverse().map(([x, a]) => `${X(x)},${Y(a)}`)];
    svg.append(h("polygon.band", { points: way.join(" ") }));
  }
  for (const mark of marks) {
    if (mark.y < y0 || mark.y > y1) continue;
    svg.append(h("line.line.dashed.s2", { x1: M.left, x2: W - M.right, y1: Y(mark.y), y2: Y(mark.y) }));
    svg.append(h("text", { x: W - M.right, y: Y(mark.y) - 6, "text-anchor": "end" }, mark.text));
  }
  for (const one of lines) {
    svg.append(h(`polyline.line.${one.kind || "s0"}${one.dashed ? ".dashed" : ""}`, { points: one.points.map(([x, y]) => `${X(x)},${Y(y)}`).join(" ") }));
    const last = one.points.at(-1);
    if (last) svg.append(h(`circle.${(one.kind || "s0").replace("s", "f")}`, { cx: X(last[0]), cy: Y(last[1]), r: 3.5 }));
    if (last && one.name) svg.append(h("text.strong", { x: Math.min(X(last[0]) - 6, W - M.right), y: Math.max(Y(last[1]) + (lines.indexOf(one) === top ? -9 : 18), 12), "text-anchor": "end" }, one.name));
  }
  return svg;
}
function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
  return [low, high];
}

/** The picture of a gap: what each player could still force, on one line, and the value between. */
export function bracket({ lower, value, upper }) {
  // What only rounding leaves between the bounds is drawn as what it is: nothing.
  const isClosed = upper - lower <= 1e-9 * Math.max(1, Math.abs(value));
  const W = across(innerWidth < 640 ? 330 : 420), H = 168, left = 24, right = W - 24, spread = upper - lower;
  const X = (v) => left + 60 + ((v - lower) / spread) * (right - left - 120);
  const svg = h("svg.chart", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `The value lies between ${number(lower, 7)} and ${number(upper, 7)}` });
  const y = 92;
  svg.append(h("line.grid", { x1: left - 30, x2: right + 30, y1: y, y2: y }));
  if (isClosed) {
    svg.append(h("line.line.s0", { x1: W / 2, x2: W / 2, y1: y - 22, y2: y + 22 }), h("circle.f1", { cx: W / 2, cy: y, r: 6 }));
    svg.append(h("text", { x: W / 2, y: y - 32, "text-anchor": "middle" }, "held down to, gets and could reach"), h("text.strong", { x: W / 2, y: y + 46, "text-anchor": "middle" }, number(value, 7)), h("text", { x: W / 2, y: y + 62, "text-anchor": "middle" }, "the gap has closed"));
    return svg;
  }
  const a = X(lower), b = X(upper), v = X(value);
  svg.append(h("rect.band", { x: a, y: y - 22, width: Math.max(b - a, 2), height: 44, rx: 4 }));
  for (const x of [a, b]) svg.append(h("line.line.s0", { x1: x, x2: x, y1: y - 22, y2: y + 22 }));
  svg.append(h("circle.f1", { cx: v, cy: y, r: 6 }));
  svg.append(h("text.strong", { x: a, y: y - 48, "text-anchor": "middle" }, number(lower, 7)), h("text", { x: a, y: y - 32, "text-anchor": "middle" }, "held down to"));
  svg.append(h("text.strong", { x: b, y: y - 48, "text-anchor": "middle" }, number(upper, 7)), h("text", { x: b, y: y - 32, "text-anchor": "middle" }, "could reach"));
  svg.append(h("text.strong", { x: v, y: y + 46, "text-anchor": "middle" }, number(value, 7)), h("text", { x: v, y: y + 62, "text-anchor": "middle" }, "player 1 gets"));
  return svg;
}
