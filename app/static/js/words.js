/** Words and signs for what the service says in numbers. */

export const CELL_NAMES = [
  "top left", "top", "top right",
  "left", "centre", "right",
  "bottom left", "bottom", "bottom right",
];
export const RULE_NAMES = {
  elemental: "Elemental",
  same: "Same",
  plus: "Plus",
  same_wall: "Same Wall",
  basic: "rank",
  combo: "Combo",
};
export const SWITCHES = ["elemental", "same", "plus", "same_wall"];
export const VARIANT_NAMES = { ff8: "FF8", triplecargo: "Triplecargo" };

const OUTCOMES = {
  1: { word: "win", verb: "wins", sign: "▲" },
  0: { word: "draw", verb: "draws", sign: "=" },
  [-1]: { word: "loss", verb: "loses", sign: "▼" },
};

/** Return a rank as cards show it. */
export const rankText = (rank) => (rank === 10 ? "A" : String(rank));

/** Return a number with its sign, zero without. */
export const signed = (number) =>
  number === 0 ? "0" : `${number > 0 ? "+" : "−"}${Math.abs(number)}`;

/** Return a margin, which is A's view, as a player sees it: number, words and sign. */
export function worth(margin, player) {
  const number = player === "A" ? margin : 0 - margin;
  const outcome = OUTCOMES[Math.sign(number)];
  const cards = number === 0 ? "" : ` by ${Math.abs(number)}`;
  return {
    ...outcome,
    number,
    text: `${outcome.word} ${signed(number)}`,
    phrase: `${outcome.verb}${cards}`,
  };
}

/** Return rules as a line: "FF8 · Elemental · Same". */
export function rulesText(rules) {
  const names = SWITCHES.filter((name) => rules[name]).map((name) => RULE_NAMES[name]);
  return [VARIANT_NAMES[rules.variant], ...(names.length ? names : ["no extra rules"])].join(" · ");
}

/** Return a card in words: "Ifrit, 9 top, 6 right, 2 bottom, 8 left, Fire". */
export function cardText({ name, top, right, bottom, left, element }) {
  const ranks = `${rankText(top)} top, ${rankText(right)} right, ${rankText(bottom)} bottom, `;
  return `${name}, ${ranks}${rankText(left)} left${element ? `, ${element}` : ""}`;
}

/** Return what a move took, by which rule: "takes Bomb by Same, Cactuar by Combo". */
export function capturesText(captures, cards) {
  if (!captures.length) return "takes nothing";
  const parts = captures.map(({ card_id, cell, rule }) =>
    `${cards.get(card_id).name} (${CELL_NAMES[cell]}) by ${RULE_NAMES[rule]}`);
  return `takes ${parts.join(", ")}`;
}

/** Return a count with its noun. */
export const counted = (count, noun) =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** Return milliseconds as people read them. */
export const msText = (ms) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);
