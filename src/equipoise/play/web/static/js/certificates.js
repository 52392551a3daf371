// Certificates: how good a strategy is, and how that is known.
import { fill, gapText, h, number, seconds, toast } from "./dom.js";
import { bracket, chart } from "./charts.js";
import { get, of, post, strategies } from "./api.js";
import { nothingYet } from "./empty.js";

export async function certificates(view, id) {
  const list = await strategies();
  if (!list.length) { fill(view, nothingYet()); return null; }
  const mine = list.find((one) => one.id === id) || list.find((one) => !one.fault) || list[0];
  const main = h("section.stack");
  fill(view, h("div.bar", null, h("h1", null, "Certificates"), h("p.quiet", null, "What a strategy earns, and what the best opponent could still win against it.")),
    h("div.shelf", null, h("nav.list", { "aria-label": "Strategies" }, list.map((one) => h("a.row", { href: `#/certificates/${one.id}`, "aria-current": one.id === mine.id ? "true" : null },
      h("span.cell", null, h("strong", null, one.name), h("small", null, one.game || "")),
      h("span.cell.right", null, one.fault ? h("span.lose", null, "damaged") : h("span", null, gapText(one.gap ?? one.gain)), h("small", null, one.fault ? "" : "gap"))))), main));
  if (mine.fault) { fill(main, h("section.panel", null, h("h2", null, mine.name), h("p.lose", null, mine.fault))); return null; }
  fill(main, h("p.quiet.wait", null, "Opening…"));
  const all = await get(of(mine.id));
  fill(main, proof(all), history(all), sheets(all));
  return null;
}

function proof(all) {
  const value = all.value ?? all.values?.[0], has = all.lower !== undefined && all.lower !== null;
  const anew = h("div.stack.tight", { "aria-live": "polite" });
  const again = h("button", { type: "button", onclick: async () => {
    again.disabled = true;
    fill(anew, h("p.quiet", null, "Recomputing from the rules and the strategy alone…"));
    try {
      const { certificate } = await post(`${of(all.id)}/certify`);
      fill(anew, h("p", null, "Recomputed just now: gap ", h("b", null, gapText(certificate.gap ?? certificate.gain)), certificate.value !== undefined ? [", value ", h("b", null, number(certificate.value, 8))] : null, "."));
    } catch (error) { fill(anew); toast(error.message); }
    again.disabled = false;
  } }, "Check it again");
  return h("section.panel.stack", { "aria-label": "Certificate" },
    h("div.bar", null, h("h2", null, all.name), h("span.push.bar", null, again, h("a.button", { href: `${of(all.id)}/certificate`, download: "" }, "Certificate (JSON)"), h("a.button.primary", { href: `${of(all.id)}/file`, download: "" }, "Strategy (.eqp)"))),
    anew,
    h("div.pair", null,
      h("div.stack", null,
        h("div", null, h("span.label", null, "Gap"), h("p.big", null, gapText(all.gap ?? all.gain))),
        h("p.quiet", null, has ? `If both players keep to this strategy, player 1 gets ${number(value, 6)}. If she alone changed it as well as possible, she could reach ${number(all.upper, 6)}; if player 2 alone did, he could hold her down to ${number(all.lower, 6)}. The distance is the gap: at zero, nobody has anything to gain, and that is an equilibrium.` : "The gap is what the players could gain together if each, alone, changed her play as well as possible. At zero nobody has anything to gain, and that is an equilibrium.")),
      has ? h("figure.stack.tight", null, h("h3", null, "What a gap is"), bracket({ lower: all.lower, value, upper: all.upper })) : players(all)),
    h("dl.facts", null,
      pair("Game", all.game), pair("Status", `${all.status || ""}${all.remedy ? `: ${all.remedy}` : ""}`), pair("How it was found", [all.method || all.algorithm, all.iterations ? `, ${number(all.iterations)} iterations` : "", all.seconds ? `, ${seconds(all.seconds)}` : ""].join("")),
      pair("Because", all.why), pair("Abstraction", all.abstraction ? `${all.abstraction}${all.buckets ? `, ${all.buckets.map((n) => (Array.isArray(n) ? n.join(" and ") : n)).join(" / ")} buckets` : ""}` : null),
      pair("How it was checked", all.family === "zero-sum" || all.family === "general-sum" ? "By the best response of each player in the full game, computed from the rules and the strategy alone: nothing of the solver or its abstraction enters." : `By the certificate of ${all.family} games: nothing of the solver enters.`),
      pair("Size", all.sequences.length ? `${all.sequences.map((n) => number(n, 9)).join(" and ")} sequences, ${number(all.bytes / 1e6, 3)} MB` : `${number(all.bytes / 1e6, 3)} MB`)));
}
const pair = (name, value) => (value ? [h("dt", null, name), h("dd", null, value)] : null);

function players(all) {
  if (!all.values) return null;
  return h("div.scroll", null, h("table.sheet", null, h("tr", null, ["player", "value", "could gain"].map((name) => h("th", null, name))), all.values.map((v, k) => h("tr", null, h("td", null, `player ${k + 1}`), h("td", null, number(v, 6)), h("td", null, number(Math.max(all.gains?.[k] ?? NaN, 0), 3))))));
}
function history(all) {
  if (all.log.length < 3) return null;
  const gaps = all.log.map((r) => [Math.max(r[1], 1e-4), r[4]]);
  return h("section.panel.stack", null, h("h2", null, "How the gap closed"), chart({ logX: true, logY: true, height: 260, width: innerWidth < 640 ? 330 : 800, xLabel: "seconds of solving", yLabel: "gap", label: "Gap against time", series: [{ points: gaps, kind: "s0" }] }));
}
function sheets(all) {
  return all.sheets.map((sheet) => h("section.panel.stack", null, h("h2", null, sheet.title), h("div.scroll", null, h("table.sheet", null, h("tr", null, sheet.header.map((name) => h("th", null, name))), sheet.rows.slice(0, 200).map((row) => h("tr", null, row.map((cell) => h("td", null, typeof cell === "number" ? number(cell) : String(cell)))))))));
}
