/** What happens, in words: the last move, problems, outages. */

import { outages } from "./api.js";
import { byId, showProblem } from "./dom.js";
import { CELL_NAMES, capturesText, rulesText } from "./words.js";

/** Say when the service is away, and when it is back. */
function watchOutages() {
  const notes = document.querySelectorAll(".outage"); // a dialog covers the page's own
  outages.addEventListener("outage", ({ detail: { why, wait } }) => {
    for (const note of notes) {
      note.hidden = false;
      note.textContent = `${why}. Trying again in ${wait / 1000} s; the page goes on by itself.`;
    }
  });
  outages.addEventListener("over", () => {
    for (const note of notes) note.hidden = true;
  });
}

/** Make a page ready; what goes wrong on the way is told on it. */
export async function whileTold(prepare) {
  watchOutages();
  try {
    await prepare();
  } catch (problem) {
    showProblem(byId("problem"), problem);
  }
  document.body.dataset.ready = "";
}

/** Say which move led to the state on show, and what it took. */
export function drawStatus(game, cards) {
  const { now, timeline } = game;
  byId("rules").textContent = rulesText(now.state.rules);
  byId("table").setAttribute("aria-busy", String(!game.answer && !game.problem));
  byId("undo").disabled = timeline.at === 0;
  byId("redo").disabled = !timeline.hasNext;
  const told = toldOf(game, cards);
  if (byId("told").textContent !== told) byId("told").textContent = told; // said once
}

function toldOf({ now, timeline, mover }, cards) {
  const ending = `The game is over, ${now.score.A} to ${now.score.B}.`;
  if (!now.move) return mover ? `${mover} starts from here.` : ending;
  const before = timeline.momentAt(timeline.at - 1).state.to_move;
  const { card_id, cell } = now.move;
  const what = `${before} plays ${cards.get(card_id).name} ${CELL_NAMES[cell]}`;
  return `${what}: ${capturesText(now.captures, cards)}.${now.done ? ` ${ending}` : ""}`;
}
