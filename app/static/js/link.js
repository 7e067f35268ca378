/** A game as the part of the address behind "#": the opening, the moves, the step on show.
 *
 *     #opening=ff8-esp_9_1.2.3.4.5_6.7.8.9.10_A&moves=3-4.7-0&at=1
 */

import { Problem } from "./api.js";

const MOVE = /^(\d{1,4})-(\d)$/;
const SHOWN = 20; // characters of a part that is none

/** A link that holds no game; `advice` says so in plain words, `errors` as the service does. */
export class LinkProblem extends Problem {
  constructor(advice, errors = []) {
    super({ title: "This link is damaged", detail: advice, errors });
    this.advice = `${advice} Perhaps a part of it was lost when it was copied.`;
  }
}

/** Return the hash of a timeline. */
export function toHash({ opening, moves, at, hasNext }) {
  const parts = [`opening=${opening.notation}`];
  if (moves.length) parts.push(`moves=${moves.map(moveText).join(".")}`);
  if (hasNext) parts.push(`at=${at}`);
  return `#${parts.join("&")}`;
}

const moveText = ({ card_id, cell }) => `${card_id}-${cell}`;

/** Return {opening, moves, at} of a link or its hash; throw `LinkProblem` when it holds no game. */
export function fromLink(text) {
  const parts = new URLSearchParams(text.slice(text.indexOf("#") + 1));
  const opening = parts.get("opening");
  if (!opening) throw new LinkProblem("There is no game in it.");
  const moves = (parts.get("moves") ?? "").split(".").filter(Boolean).map(moveOf);
  return { opening, moves, at: Number(parts.get("at") ?? moves.length) };
}

function moveOf(text, index) {
  const found = MOVE.exec(text);
  if (!found) throw new LinkProblem(`Its move ${index + 1}, “${text.slice(0, SHOWN)}”, is none.`);
  return { card_id: Number(found[1]), cell: Number(found[2]) };
}

/** Put the game of a link on the table; throw `LinkProblem` when it cannot be played. */
export async function openLink(game, linked) {
  try {
    await game.open(linked);
  } catch (problem) {
    throw problem.errors?.length ? damaged(problem, linked) : problem;
  }
}

function damaged({ step, errors }, { moves }) {
  const what = step
    ? `Its move ${step}, ${moveText(moves[step - 1])}, cannot be played.`
    : "The opening in it cannot be played.";
  return new LinkProblem(what, errors);
}
