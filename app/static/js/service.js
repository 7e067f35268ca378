/** What the service is asked: one function for each question. */

import { ask, Problem } from "./api.js";

const answers = new Map(); // notation -> answer

/** Return the answer to a state in notation, with all its moves, and how long it took. */
export async function answerTo(notation) {
  if (!answers.has(notation)) {
    const path = `/position/${encodeURIComponent(notation)}?moves=true`;
    const { body, ms, serviceMs } = await ask(path);
    answers.set(notation, { ...body, ms, serviceMs });
  }
  return answers.get(notation);
}

/** Return what a move makes of a state: {state, notation, captures, done, score}. */
export async function applyMove(state, { card_id, cell }) {
  return (await ask("/apply", { state, move: { card_id, cell } })).body;
}

/** Return the notation of a state as JSON has it; throw `Problem` when it describes none.
 *
 * A batch of one, because a batch tells what is wrong without being a failed request.
 */
export async function notationOf(state) {
  const [result] = (await ask("/eval/batch", { states: [state] })).body.results;
  if (result.error) throw new Problem(result.error);
  return result.notation;
}

/** Return a freshly sampled opening: {state, notation}. */
export async function deal(wishes) {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  return (await ask(`/deal?${new URLSearchParams({ seed, ...wishes })}`)).body;
}

/** Return all cards by id. */
export async function loadCards() {
  const { cards } = (await ask("/cards")).body;
  return new Map(cards.map((card) => [card.id, card]));
}

/** Return a page of the database's deals: {deals, next}. */
export async function listDeals(wishes) {
  return (await ask(`/database/deals?${new URLSearchParams(wishes)}`)).body;
}

/** Return what the database covers. */
export async function describeDatabase() {
  return (await ask("/database")).body;
}
