// Cards and suits, drawn.
import { h } from "./dom.js";

const SUITS = {
  s: "M12 2C9 7 4 9.500 4 14a4 4 0 0 0 7 2.600V17c0 2-.8 3.500-2 5h6c-1.200-1.500-2-3-2-5v-.4A4 4 0 0 0 20 14c0-4.500-5-7-8-12z",
  h: "M12 21C5 15.500 2.500 12 2.500 8.500A5 5 0 0 1 12 6.500a5 5 0 0 1 9.500 2C21.500 12 19 15.500 12 21z",
  d: "M12 2l7.500 10L12 22 4.500 12z",
  c: "M12 2a4.300 4.300 0 0 0-3.600 6.700A4.500 4.500 0 1 0 11 16.500V17c0 2-.8 3.500-2 5h6c-1.200-1.500-2-3-2-5v-.5a4.500 4.500 0 1 0 2.600-7.800A4.300 4.300 0 0 0 12 2z",
};
const NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

export const isCard = (text) => /^(10|[2-9TJQKA])[shdc]$/.test(text);

export function suit(letter) {
  return SUITS[letter]
    ? h("svg.suit", { viewBox: "0 0 24 24", role: "img", "aria-label": NAMES[letter] }, h("path", { d: SUITS[letter] }))
    : letter;
}
/** A card face up; a text that is no card is shown as it is. */
export function card(text, kind = "") {
  if (!isCard(text)) return h(`div.card.word${kind}`, null, text);
  const [rank, letter] = [text.slice(0, -1), text.slice(-1)];
  const red = letter === "h" || letter === "d" ? ".red" : "";
  return h(`div.card${red}${kind}`, { role: "img", "aria-label": `${rank} of ${NAMES[letter]}` },
    h("span", { "aria-hidden": "true" }, rank), h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: SUITS[letter] })));
}
export const back = () => h("div.card.back", { role: "img", "aria-label": "a hidden card" });
export const slot = () => h("div.card.slot", { "aria-hidden": "true" });
