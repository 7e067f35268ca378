/** The page: one game, drawn by its views after every change. */

import { Advice } from "./advice.js";
import { Board } from "./board.js";
import { byId } from "./dom.js";
import { allowDragging } from "./drag.js";
import { Game } from "./game.js";
import { Hand } from "./hand.js";
import { listenToKeys } from "./keys.js";
import { fromLink, toHash } from "./link.js";
import { Review } from "./review.js";
import { deal, loadCards } from "./service.js";
import { SetUp } from "./setup.js";
import { openShare } from "./share.js";
import { drawStatus, watchOutages } from "./status.js";

const FIRST_RULES = { variant: "ff8", elemental: true, same: true, plus: true, same_wall: false };

const game = new Game();

/** Deal new hands under the rules of the game on the table. */
async function dealAgain() {
  const rules = game.timeline?.now.state.rules ?? FIRST_RULES;
  const { notation } = await deal({ ...rules, strategy: "stratified", elements: "ff8" });
  await game.open({ opening: notation });
}

/** Open the game of the address, or deal one; a link that holds none is told. */
async function begin() {
  const linked = fromLink(location.hash);
  try {
    if (linked) await game.open(linked);
    else await dealAgain();
  } catch (problem) {
    if (!game.timeline) await dealAgain();
    game.fail(problem);
  }
}

function drawWith(views, cards) {
  for (const view of views) view.draw();
  drawStatus(game, cards);
  const hash = toHash(game.timeline);
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

function listen(board, setUp) {
  const clicks = {
    deal: () => dealAgain().catch((problem) => game.fail(problem)),
    undo: () => game.undo(),
    redo: () => game.redo(),
    flip: () => game.flip(),
    "open-setup": () => setUp.open(),
    "open-share": () => openShare(game),
    "open-help": () => byId("help").showModal(),
  };
  for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", act);
  for (const button of document.querySelectorAll("dialog .close")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  allowDragging(byId("table"), game);
  listenToKeys(game, board);
  window.addEventListener("hashchange", begin);
}

async function main() {
  watchOutages();
  const cards = await loadCards();
  const board = new Board(game, cards);
  const hands = ["near", "far"].map((end) => new Hand(game, cards, end, board));
  const views = [board, ...hands, new Advice(game, cards), new Review(game, cards)];
  game.addEventListener("change", () => drawWith(views, cards));
  await begin();
  listen(board, new SetUp(game, cards));
  for (const id of ["table", "advice"]) byId(id).inert = false; // until now there was no game
  document.body.dataset.ready = "";
}

main();
