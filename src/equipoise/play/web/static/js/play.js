// Play: a table, a coach, a score.
import { chips, colours, fill, h, isLight, number, percent, signed, toast } from "./dom.js";
import { back, card, isCard, slot } from "./cards.js";
import { chart } from "./charts.js";
import { mix } from "./hands.js";
import { get, socket, strategies } from "./api.js";
import { nothingYet, picker, playable } from "./empty.js";

export async function play(view, id) {
  const list = playable(await strategies());
  if (!list.length && !id) { fill(view, nothingYet()); return null; }
  const games = await get("/api/games");
  // Games of which there is no strategy: nobody to coach, but somebody to play.
  const bare = games.playable.map((name) => ({ id: `game:${name}`, name, game: name, isBare: true }));
  const mine = [...list, ...bare].find((one) => one.id === id) || list[0] || bare[0];
  const kept = { opponent: mine.isBare ? games.opponents[0].name : "strategy", seat: 0, coached: true };
  let state = null, line = null, isOver = false, knew = [];

  const felt = h("section.felt", { "aria-label": "Table" }), side = h("aside.stack");
  const rivals = [...(mine.isBare ? [] : [["strategy", `${mine.name} itself`]]),
    ...list.filter((one) => !mine.isBare && one.id !== mine.id && one.game === mine.game).map((one) => [one.id, one.name]),
    ...games.opponents.map((one) => [one.name, `${one.name}: ${one.description}`])];
  const choose = (name, options, change) => h("label.field", null, h("span", null, name), h("select", { "aria-label": name, onchange: (event) => change(event.target.value) }, options.map(([value, text]) => h("option", { value }, text))));
  fill(view,
    h("div.setup", null,
      picker([...list, ...bare], mine.id, (value) => { location.hash = `#/play/${value}`; }, "Game and coach"),
      choose("Opponent", rivals, (value) => { kept.opponent = value; sit(); }),
      choose("Your seat", [[0, "take turns"], [1, "first"], [2, "second"]], (value) => { kept.seat = Number(value); sit(); })),
    h("div.two", null, felt, side));

  function connect() {
    line = socket("/api/play", { message: hear, closed: () => { if (!isOver) toast("The connection is lost; reload the page to go on."); } });
    line.onopen = sit;
  }
  const send = (message) => { if (line?.readyState === 1) line.send(JSON.stringify(message)); };
  const sit = () => { fill(felt, h("p.quiet.wait", null, "Dealing… (the first hand of a large game takes a moment)")); send({ do: "sit", ...(mine.isBare ? { game: mine.name } : { strategy: mine.id }), ...kept }); };
  function hear(told) {
    if (told.type === "error") { toast(told.error); if (!state) fill(felt, h("p.quiet.wait", null, told.error)); return; }
    state = told;
    draw();
  }
  const act = (action) => send({ do: "act", action });
  const deal = () => send({ do: "deal" });

  function draw() {
    const hand = state.hand;
    fill(felt, opponent(hand), middle(hand), you(hand));
    fill(side, coach(hand), score(state.score));
  }
  function opponent(hand) {
    const others = hand.shown.map((own, k) => (k === state.seat ? null : own)).filter(Boolean);
    const hidden = hand.private.length ? hand.private.map(back) : [];
    return h("div.seat", null, h("span.who", null, state.title), h("div.cards", null, others.length ? others.flat().map((c) => card(c)) : hidden));
  }
  function middle(hand) {
    const pot = hand.paid ? hand.paid.reduce((a, b) => a + b, 0) : null;
    // A tree has no cards of its own: what the player was told, and at the end what nature did.
    const dealt = hand.steps.filter((step) => step.player < 0).map((step) => step.word);
    if (!hand.over) knew = parts(hand.infoset);
    const told = hand.private.length ? [] : hand.over && dealt.length ? dealt : knew;
    return h("div.middle", null,
      hand.public.length ? h("div.cards", null, hand.public.map((c) => card(c))) : hand.paid && hand.private.length && isCard(hand.private[0]) ? h("div.cards", null, slot()) : null,
      told.length ? h("div.stack.tight", null, h("span.label", null, !hand.over ? "You know" : dealt.length ? "Nature dealt" : "You knew"), h("div.cards", null, told.map((c) => card(c)))) : null,
      pot ? h("span.pot", null, `Pot ${number(pot, 6)}`) : null,
      h("div.story", { "aria-live": "polite" }, hand.steps.filter((step) => step.player >= 0).map((step) => h("span", null, step.player === state.seat ? "you " : state.players.length > 2 ? `${state.players[step.player]} ` : "they ", h("b", null, step.word)))));
  }
  function you(hand) {
    const words = hand.actions.map((one) => one.word), tints = colours(words);
    const won = hand.over ? hand.payoffs[state.seat] : null;
    return h("div.seat", { css: { width: "100%" } },
      hand.over ? h(`div.outcome${won > 0 ? ".win" : won < 0 ? ".lose" : ""}`, { role: "status" }, won > 0 ? `You win ${number(won, 6)}` : won < 0 ? `You lose ${number(-won, 6)}` : "Even") : null,
      h("div.cards", null, hand.private.map((c) => card(c))),
      h("span.who", null, `You, ${state.players.length > 2 ? state.players[state.seat] : state.seat ? "second to act" : "first to act"}`),
      h("div.actions", null, hand.over
        ? h("button.neutral", { type: "button", onclick: deal }, "Next hand", h("kbd", null, "Enter"))
        : hand.actions.map((one, k) => h(`button${isLight(tints[k]) ? ".dark" : ""}`, { type: "button", css: { "--c": tints[k] }, "data-action": one.action, onclick: () => act(one.action) }, one.word, h("kbd", null, k + 1)))));
  }
  function coach(hand) {
    const title = h("div.bar", null, h("h2", null, "Coach"), h("label.check.push", null, h("input", { type: "checkbox", "aria-label": "Coach", checked: state.coached, onchange: (event) => { kept.coached = event.target.checked; send({ do: "coach", coached: kept.coached }); } }), state.coached ? "on" : "off"));
    if (!state.coachable) return h("section.panel.stack.tight", { "aria-label": "Coach" }, h("h2", null, "No coach"), h("p.quiet", null, "There is no strategy of this game to learn from. Solve it, and there will be: ", h("a", { href: `#/watch?game=${mine.name}` }, "watch a solve"), "."));
    if (!state.coached) return h("section.panel.stack.tight", { "aria-label": "Coach" }, title, h("p.quiet", null, "Your score is still being adjusted for luck."));
    return h("section.panel.stack", { "aria-label": "Coach" }, title, hand.verdict ? verdict(hand.verdict) : null,
      hand.advice ? [mix(hand.actions.map((one) => one.word), hand.advice.probabilities, hand.advice.values), h("p.note", null, "How often equilibrium plays each action with your hand, and what it is worth against this opponent.")]
        : hand.verdict ? null : h("p.quiet", null, "This hand was over before your turn."));
  }
  function verdict(said) {
    const often = `equilibrium does it ${percent(said.probability)} of the time.`;
    if (said.cost === null) return h("p", null, `Your ${said.word}: `, h("span.quiet", null, often));
    if (said.is_best) return h("p", null, `Your ${said.word} was right: `, h("span.quiet", null, often));
    return h("p", null, `Your ${said.word} cost `, h("b.lose", null, number(said.cost)), h("span.quiet", null, ` on average against this opponent; ${often}`));
  }
  function score(s) {
    const rate = s.decisions ? s.best / s.decisions : null;
    return h("section.panel.stack", { "aria-label": "Score" },
      h("h2", null, "Score"),
      h("dl.figures", null,
        fact("Won", chips(s.total), `${s.hands} ${s.hands === 1 ? "hand" : "hands"}`),
        ...(state.coachable ? [] : [fact("A hand", chips(s.mean), s.error === null ? "" : `± ${number(s.error, 3)} (95%)`)]),
        ...(!state.coachable ? [] : [fact("Luck-adjusted", chips(s.adjusted), s.hands ? `${chips(s.adjusted / s.hands)} a hand` : ""),
        fact("Given away", number(s.cost), s.hands ? `${number(s.cost / s.hands, 3)} a hand` : ""),
        fact("Best choices", percent(rate), `${s.best} of ${s.decisions}`)])),
      s.points.length > 1 ? chart({ height: 190, width: 310, zero: true, whole: true, xLabel: "hands", yLabel: "score", label: "Score by hand", series: [
        { name: "won", kind: "s2", points: s.points.map((p, k) => [k + 1, p[0]]) },
        ...(state.coachable ? [{ name: "without luck", kind: "s0", points: s.points.map((p, k) => [k + 1, p[1]]) }] : [])] }) : null,
      !state.coachable ? null : h("p.note", null, s.hands > 1 && s.error !== null ? `Mean ${signed(s.mean, 3)} ± ${number(s.error, 3)} a hand (95%). ` : "", "Luck-adjusted: what your choices were worth, with the luck of the cards taken out. Who follows the coach scores ", number(s.value, 4), " a hand on average."));
  }
  const fact = (name, value, note) => h("div", null, h("dt", null, name), h("dd", null, value, h("br"), h("small", null, note)));

  function keys(event) {
    if (event.target.closest("select, input") || event.metaKey || event.ctrlKey || event.altKey || !state?.hand) return;
    const hand = state.hand, key = event.key.toLowerCase();
    if (hand.over && (key === "enter" || key === "n")) { event.preventDefault(); deal(); return; }
    const k = /^[1-9]$/.test(key) ? Number(key) - 1 : hand.actions.findIndex((one) => one.word[0].toLowerCase() === key);
    if (hand.actions[k]) { event.preventDefault(); act(hand.actions[k].action); }
  }
  addEventListener("keydown", keys);
  connect();
  return () => { isOver = true; removeEventListener("keydown", keys); line?.close(); };
}
const parts = (label) => { if (!label) return []; const found = label.split("|").filter(Boolean); return found.length ? found : [label]; };
