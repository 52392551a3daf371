// Explore: walk the betting tree and see every hand.
import { colours, fill, h, number, percent, toast } from "./dom.js";
import { card, isCard } from "./cards.js";
import { get, of, strategies } from "./api.js";
import { grid, mix, together } from "./hands.js";
import { nothingYet, picker } from "./empty.js";

export async function explore(view, id, query) {
  const list = (await strategies()).filter((one) => !one.fault);
  if (!list.length) { fill(view, nothingYet()); return null; }
  const mine = list.find((one) => one.id === id) || list[0];
  const at = { path: query.getAll("path"), board: query.get("board") || "", other: query.get("with") || "", mode: query.get("mode") || "strategy", hand: query.get("hand") || "", found: query.get("found") || "" };
  const others = list.filter((one) => one.id !== mine.id && one.game === mine.game);

  const head = h("div.bar", null,
    picker(list, mine.id, (value) => { location.hash = `#/explore/${value}`; }, "Strategy"),
    others.length ? picker([{ id: "", name: "nothing", game: "nothing" }, ...others], at.other, (value) => { at.other = value; go(); }, "Compare with") : null,
    h("div.field.push", null, h("span", null, "Cells show"), h("div.switch", { role: "group", "aria-label": "Cells show" }, ["strategy", "value", "reach"].map((mode) => h("button", { type: "button", "aria-pressed": String(at.mode === mode), onclick: () => { at.mode = mode; for (const b of head.querySelectorAll(".switch button")) b.setAttribute("aria-pressed", String(b.textContent === mode)); draw(); remember(); } }, mode)))));
  const way = h("nav.path", { "aria-label": "Moves" }), main = h("section.stack"), side = h("aside.stack");
  const finder = search(mine.id, (one) => { at.path = one.path; at.board = ""; at.found = one.label || ""; at.hand = ""; go(); });
  fill(view, head, way, h("div.two", null, main, side));
  fill(main, h("p.quiet.wait", null, "Opening… (a large strategy takes a moment the first time)"));

  let scenes = [], ticket = 0;
  async function go() {
    const own = ++ticket;
    const question = new URLSearchParams(at.path.map((move) => ["path", move]));
    if (at.board) question.set("board", at.board);
    try {
      const found = await Promise.all([mine.id, at.other].filter(Boolean).map((one) => get(`${of(one)}/scene?${question}`)));
      if (own !== ticket) return;
      scenes = found;
      at.board = found[0].board.join("");
      if (found[0].cells.length === 1) at.hand = found[0].cells[0].label;
      if (at.found && !at.hand) at.hand = nearest(found[0], at.found);
      draw();
      remember();
    } catch (error) {
      if (scenes.length) toast(error.message);
      else fill(main, h("div.empty", null, h("h1", null, "Nothing to walk through"), h("p.quiet", null, error.message), h("a.button", { href: `#/certificates/${mine.id}` }, "See its certificate")));
    }
  }
  function remember() {
    const kept = new URLSearchParams(at.path.map((move) => ["path", move]));
    if (at.board) kept.set("board", at.board);
    if (at.other) kept.set("with", at.other);
    if (at.mode !== "strategy") kept.set("mode", at.mode);
    if (at.hand) kept.set("hand", at.hand);
    history.replaceState(null, "", `#/explore/${mine.id}${kept.size ? `?${kept}` : ""}`);
  }
  const step = (action) => { at.path = [...at.path, action]; at.hand = at.found = ""; go(); };
  const choose = (label) => { at.hand = label; draw(); remember(); main.querySelector(`[data-label="${CSS.escape(label)}"]`)?.focus(); };

  function draw() {
    if (!scenes.length) return;
    const scene = scenes[0];
    fill(way, h("button.chip", { type: "button", "aria-current": at.path.length ? null : "step", onclick: () => { at.path = []; at.hand = at.found = ""; go(); } }, "Start"),
      scene.steps.map((one, k) => [h("span.quiet", { "aria-hidden": "true" }, "›"), h("button.chip", { type: "button", "aria-current": k === scene.steps.length - 1 ? "step" : null, onclick: () => { at.path = at.path.slice(0, k + 1); at.hand = at.found = ""; go(); } }, h("span", null, `${one.player + 1}:`), one.word)]));
    const values = scenes.flatMap((s) => s.cells.map((c) => c.value)).filter((v) => v !== null);
    const ranges = [Math.min(...values, 0), Math.max(...values, 0)];
    const one = (s, k) => h("section.panel.stack", { "aria-label": k ? "Other strategy" : "Strategy" },
      scenes.length > 1 ? h("h3", null, list.find((x) => x.id === (k ? at.other : mine.id)).name) : null,
      together(s), grid(s, { mode: at.mode, selected: at.hand, found: at.found && nearest(s, at.found), choose, ranges }),
      at.mode === "value" ? h("p.note", null, `Worth to player ${s.player + 1}, from ${number(ranges[0])} (brown) to ${number(ranges[1])} (blue).`) : at.mode === "reach" ? h("p.note", null, "The darker, the more often play comes here with that hand.") : h("p.note", null, "Width: how often each action is played. Height: how often this player gets here with that hand."));
    fill(main,
      h("div.bar", null, h("h1", null, `Player ${scene.player + 1} to act`), scene.paid ? h("span.quiet", null, `pot ${number(scene.paid[0] + scene.paid[1], 6)}`) : null, board(scene)),
      h("div.next", { "aria-label": "Next move" }, scene.actions.map((action, k) => h("button", { type: "button", "data-action": action, disabled: scene.ends[k], onclick: () => step(action) }, h("span.dot", { css: { "--c": colours(scene.words)[k] } }), scene.words[k], h("small", null, scene.ends[k] ? "ends the game" : h("kbd", null, k + 1))))),
      scenes.length > 1 ? h("div.pair", null, scenes.map(one)) : one(scene, 0));
    fill(side, detail(), difference(), finder);
  }
  function board(scene) {
    if (!scene.board.length) return null;
    return h("div.bar", null, h("span.label", null, "Board"), scene.board.map((name, k) => h("button.ghost", { type: "button", title: "Change this card", "aria-label": `Change ${name}`, onclick: (event) => pick(event.currentTarget, scene, k) }, card(name, ".tiny"))));
  }
  function pick(button, scene, place) {
    const open = main.querySelector(".picker");
    if (open) { open.parentElement.remove(); return; }
    const ranks = [...new Set(cards(scene).map((c) => c[0]))];
    const panel = h("div.panel.stack.tight", null, h("span.label", null, "Another card"), h("div.picker", { css: { "grid-template-columns": `repeat(${ranks.length}, minmax(0, 1fr))` } }, cards(scene).map((name) => h("button.ghost", { type: "button", disabled: scene.board.includes(name), "aria-label": name, css: { padding: 0 }, onclick: () => { const next = [...scene.board]; next[place] = name; at.board = next.join(""); go(); } }, card(name, ".tiny")))));
    button.closest(".bar").parentElement.after(panel);
  }
  function detail() {
    const scene = scenes[0], cell = scene.cells.find((c) => c.label === at.hand);
    if (!cell) return h("section.panel.stack.tight", null, h("h2", null, "A hand"), h("p.quiet", null, "Choose a cell to see what is done with it and what each action is worth. Arrow keys move between cells, digits take an action, Backspace goes back."));
    return h("section.panel.stack", { "aria-label": "Hand" },
      h("div.bar", null, isCard(cell.label) ? card(cell.label, ".tiny") : null, h("h2", null, cell.label), h("span.quiet.push", null, `worth ${number(cell.value)}`)),
      mix(scene.words, cell.probabilities, cell.values),
      h("p.note", null, `Player ${scene.player + 1} gets here with ${percent(cell.reach)} of these hands; they are ${percent(cell.share)} of what comes here.`));
  }
  function difference() {
    if (scenes.length < 2) return null;
    const other = new Map(scenes[1].cells.map((cell) => [cell.label, cell]));
    const apart = scenes[0].cells.map((cell) => ({ label: cell.label, share: cell.share, far: cell.probabilities.reduce((sum, p, k) => sum + Math.abs((p || 0) - (other.get(cell.label)?.probabilities[k] || 0)), 0) / 2 }));
    const mean = apart.reduce((sum, one) => sum + one.share * one.far, 0);
    apart.sort((a, b) => b.far * (b.share + 1e-6) - a.far * (a.share + 1e-6));
    const cell = other.get(at.hand);
    return h("section.panel.stack.tight", { "aria-label": "Difference" }, h("h2", null, "Difference"),
      h("p", null, `They differ in ${percent(mean)} of the play here. Most:`),
      h("div.results", null, apart.slice(0, 5).map((one) => h("button", { type: "button", onclick: () => choose(one.label) }, one.label, h("span.quiet", null, percent(one.far))))),
      cell ? [h("h3", null, `${at.hand} in the other`), mix(scenes[1].words, cell.probabilities, cell.values)] : null);
  }
  function keys(event) {
    if (event.target.closest("select, input") || event.metaKey || event.ctrlKey || event.altKey || !scenes.length) return;
    const k = Number(event.key) - 1;
    if (event.key === "Backspace" && at.path.length) { event.preventDefault(); at.path = at.path.slice(0, -1); at.hand = at.found = ""; go(); }
    else if (event.key === "/") { event.preventDefault(); finder.querySelector("input").focus(); }
    else if (scenes[0].actions[k] && !scenes[0].ends[k]) step(scenes[0].actions[k]);
  }
  addEventListener("keydown", keys);
  await go();
  return () => { ticket = -1; removeEventListener("keydown", keys); };
}
/** The cards of the deck: the grid's cells and the board. */
function cards(scene) {
  if (scene.rows.length > 1 && scene.rows.every((row) => row.length === 1) && scene.rows.length !== scene.columns.length) return scene.rows.flatMap((row) => scene.columns.map((column) => column + row));
  return [..."shdc"].flatMap((s) => scene.columns.map((rank) => rank + s));
}
/** The cell that a label of a search means: the longest that it begins with. */
function nearest(scene, label) {
  return scene.cells.map((cell) => cell.label).filter((one) => label.startsWith(one)).sort((a, b) => b.length - a.length)[0] || "";
}
function search(id, choose) {
  const results = h("div.results", { "aria-live": "polite" });
  let timer;
  const look = async (text) => {
    if (!text.trim()) { fill(results); return; }
    const { found } = await get(`${of(id)}/search?q=${encodeURIComponent(text)}`);
    fill(results, found.length ? found.map((one) => h("button", { type: "button", onclick: () => choose(one) }, h("span.small", null, one.text), one.label ? h("span.quiet.small", null, one.label) : null)) : h("p.quiet.small", null, "Nothing of that kind."));
  };
  return h("section.panel.stack.tight", { "aria-label": "Search" }, h("h2", null, "Find a situation"),
    h("input", { type: "search", placeholder: "raise Kh, kB/, …", "aria-label": "Find a situation", oninput: (event) => { clearTimeout(timer); timer = setTimeout(() => look(event.target.value), 180); } }), results);
}
