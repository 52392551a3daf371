// Watch: start a solve and see the gap close.
import { fill, gapText, h, number, seconds, toast } from "./dom.js";
import { chart } from "./charts.js";
import { get, post, socket } from "./api.js";

const STATES = { starting: "Starting", running: "Running", paused: "Paused", certifying: "Certifying", stopping: "Stopping", done: "Done", failed: "Failed" };

export async function watch(view, id, query) {
  const [known, { solves }] = await Promise.all([get("/api/games"), get("/api/solves")]);
  const wanted = query.get("game") || solves.find((one) => one.id === id)?.game || "leduc";
  const game = h("input", { type: "text", list: "games", value: wanted, "aria-label": "Game", autocomplete: "off", spellcheck: "false" });
  const method = h("select", { "aria-label": "Method" }, h("option", { value: "" }, "auto"), known.methods.map((one) => h("option", { value: one.name, title: one.why }, one.name)));
  const gap = h("input", { type: "text", placeholder: "what suits it", "aria-label": "Gap" });
  const limit = h("input", { type: "number", min: "1", placeholder: "no limit", "aria-label": "Seconds" });
  const form = h("form.panel", { onsubmit: start }, h("div.form", null,
    h("label.field.wide", null, h("span", null, "Game"), game), h("label.field.wide", null, h("span", null, "Method"), method),
    h("label.field", null, h("span", null, "Until the gap is"), gap), h("label.field", null, h("span", null, "Seconds at most"), limit),
    h("button.primary.wide", null, "Solve")),
    h("datalist", { id: "games" }, [...known.games.map((one) => h("option", { value: one.name.replaceAll("_", "-") }, one.description)), ...known.files.map((name) => h("option", { value: name }))]));
  const main = h("section.stack"), rest = h("section.stack");
  fill(view, h("div.bar", null, h("h1", null, "Watch a solve"), h("p.quiet", null, "The gap is what both players together could still win by playing better. A solve closes it.")), form, main, rest);

  const bar = h("div.bar"), body = h("div.stack");
  let line = null, job = null, painted = null;
  async function start(event) {
    event.preventDefault();
    try {
      const wish = { game: game.value.trim(), method: method.value || null, gap: gap.value.trim() || null, time: limit.value ? Number(limit.value) : null };
      const made = await post("/api/solves", wish);
      location.hash = `#/watch/${made.id}`;
    } catch (error) { toast(error.message); }
  }
  async function tell(command) {
    try { await post(`/api/solves/${job.id}`, { command }); } catch (error) { toast(error.message); }
  }
  function hear(told) {
    if (told.type === "error") { toast(told.error); return; }
    const rows = told.fresh && job ? [...job.rows, ...told.fresh] : told.rows;
    job = { ...told, rows };
    draw();
  }
  let due = 0;
  function draw() {
    if (due) return;
    due = requestAnimationFrame(() => { due = 0; paint(); });
  }
  function paint() {
    const last = job.rows.at(-1), best = job.rows.reduce((m, r) => Math.min(m, r[4]), Infinity);
    const isOn = !["done", "failed"].includes(job.state);
    const gaps = job.rows.map((r) => [Math.max(r[1], 1e-4), r[4]]);
    const cut = job.rows.slice(Math.floor(job.rows.length / 6)), tail = cut.length > 2 ? cut : job.rows;
    const done = job.summary;
    // Buttons are made anew when they change and not with every point, lest a click fall between two of them.
    const mark = `${job.state} ${Boolean(done)}`;
    if (mark !== painted) { painted = mark; head(isOn, done); }
    fill(body,
      job.error ? h("p.lose", null, job.error) : null,
      h("dl.figures", null,
        fact("Gap", Number.isFinite(best) ? gapText(done?.gap ?? best) : "–", job.target ? `target ${number(job.target, 3)}` : ""),
        fact("Value to player 1", done ? number(done.value ?? done.values?.[0], 6) : last ? `about ${number((last[2] + last[3]) / 2, 5)}` : "–", done ? "certified in the full game" : last ? `between ${number(last[2], 5)} and ${number(last[3], 5)}` : ""),
        fact("Iterations", number(job.iterations || last?.[0] || 0), ""),
        fact("Time", seconds(last ? last[1] : 0), done ? done.status : "")),
      h("div.pair", null,
        h("figure.stack.tight", null, h("h3", null, "The gap against time (seconds)"), chart({ logY: true, logX: gaps.length > 8, xLabel: "seconds", yLabel: "gap", label: "Gap against time", series: [{ points: gaps, kind: "s0" }], marks: job.target ? [{ y: job.target, text: "target", far: gaps.length && job.target < Math.min(...gaps.map((g) => g[1])) / 1e3 }] : [] })),
        h("figure.stack.tight", null, h("h3", null, "What player 1 can be sure of, and what she can hope for"), chart({ logX: tail.length > 8, xLabel: "seconds", yLabel: "value", label: "Bounds against time", band: tail.map((r) => [Math.max(r[1], 1e-4), r[2], r[3]]), series: [{ name: "hope", kind: "s0", points: tail.map((r) => [Math.max(r[1], 1e-4), r[3]]) }, { name: "sure", kind: "s0", points: tail.map((r) => [Math.max(r[1], 1e-4), r[2]]) }] }))),
      h("p.note", null, "The shaded band is the gap: the true value of the game lies inside it. It has closed when neither player can gain by changing what she does."));
  }
  function head(isOn, done) {
    if (!bar.isConnected) fill(main, h("section.panel.stack", { "aria-label": "Solve" }, bar, body));
    fill(bar, h("h2", null, job.game), h(`span.state.${job.state}`, { role: "status" }, h("span.dot", { css: { "--c": job.state === "failed" ? "var(--a1)" : job.state === "done" ? "var(--a0)" : job.state === "paused" ? "var(--a3)" : "var(--accent)" } }), STATES[job.state] || job.state),
      h("span.push.bar", null,
        isOn && job.state === "paused" ? h("button", { type: "button", onclick: () => tell("resume") }, "Resume") : null,
        isOn && job.state !== "paused" ? h("button", { type: "button", disabled: job.state !== "running", onclick: () => tell("pause") }, "Pause") : null,
        isOn ? h("button", { type: "button", disabled: job.state === "certifying", onclick: () => tell("stop") }, "Stop and save") : null,
        done ? saved(job) : null));
  }
  const saved = (one) => [h("a.button", { href: `#/play/${one.strategy}` }, "Play it"), h("a.button", { href: `#/explore/${one.strategy}` }, "Explore it"), h("a.button", { href: `#/certificates/${one.strategy}` }, "Certificate"), h("span.quiet.small", null, `saved as ${one.name}.eqp`)];
  const fact = (name, value, note) => h("div", null, h("dt", null, name), h("dd", null, value, h("br"), h("small", null, note)));

  const shown = id || solves[0]?.id;
  if (shown) {
    line = socket(`/api/solves/${encodeURIComponent(shown)}/live`, { message: hear });
  } else fill(main, teaser());
  const others = solves.filter((one) => one.id !== shown);
  if (others.length) fill(rest, h("h2", null, "Other solves"), h("div.list", null, others.map((one) => h("a.row", { href: `#/watch/${one.id}` }, h("strong", null, one.game), h("span", null, STATES[one.state] || one.state), h("span.quiet.wide", null, one.summary ? `gap ${gapText(one.summary.gap)}` : ""), h("span.quiet.wide", null, `${one.name}.eqp`)))));
  return () => { line?.close(); cancelAnimationFrame(due); };
}
/** What a solve looks like, before there is any: a gap that closes like one over the iterations. */
function teaser() {
  const points = Array.from({ length: 60 }, (_, k) => [k + 1, 1 / (k + 1)]);
  return h("section.panel.stack", null, h("h2", null, "What you will see"),
    chart({ height: 240, width: innerWidth < 640 ? 330 : 1100, xLabel: "time", yLabel: "value", label: "An example", band: points.map(([x, g]) => [x, -0.6 * g, 0.4 * g]), series: [{ name: "what player 1 can hope for", kind: "s0", points: points.map(([x, g]) => [x, 0.4 * g]) }, { name: "what she can be sure of", kind: "s0", points: points.map(([x, g]) => [x, -0.6 * g]) }] }),
    h("p.quiet", null, "Two bounds that come together: the distance between them is the gap. Choose a game above and press Solve. Kuhn and Leduc take a blink, Rhode Island hold'em about a minute."));
}
