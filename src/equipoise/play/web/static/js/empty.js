// What a folder without strategies says.
import { h } from "./dom.js";

export function nothingYet() {
  const games = [["kuhn", "three cards, one bet"], ["leduc", "six cards, two rounds"], ["rhode-island", "all 52 cards; a minute"]];
  return h("div.empty", null,
    h("h1", null, "No strategies here yet"),
    h("p.quiet", null, "This folder has no .eqp files. Solve a game now, and it can be played, explored and checked:"),
    h("div.bar", null, games.map(([game, what]) => h("a.button", { href: `#/watch?game=${game}` }, h("strong", null, game), h("span.quiet", null, what)))));
}
export function picker(list, id, change, name) {
  return h("label.field", null, h("span", null, name),
    h("select", { onchange: (event) => change(event.target.value), "aria-label": name },
      list.filter((one) => !one.isBare).map(choice), list.some((one) => one.isBare) ? h("optgroup", { label: "without a coach" }, list.filter((one) => one.isBare).map(choice)) : null));
  function choice(one) {
    return h("option", { value: one.id, selected: one.id === id }, one.name === one.game ? one.name : `${one.name} (${one.game})`);
  }
}
export const playable = (list) => list.filter((one) => !one.fault && ["zero-sum", "general-sum"].includes(one.family));
