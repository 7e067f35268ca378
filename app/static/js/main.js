/** The page: one game, drawn by its views after every change. */

import { Advice } from "./advice.js";
import { Board } from "./board.js";
import { byId, showProblem } from "./dom.js";
import { allowDragging } from "./drag.js";
import { Game } from "./game.js";
import { Hand } from "./hand.js";
import { listenToKeys } from "./keys.js";
import { fromLink, openLink, toHash } from "./link.js";
import { Review } from "./review.js";
import { deal, loadCards } from "./service.js";
import { SetUp } from "./setup.js";
import { openShare } from "./share.js";
import { drawStatus, whileTold } from "./status.js";

const FIRST_RULES = { variant: "ff8", elemental: true, same: true, plus: true, same_wall: false };

const game = new Game();
let toldProblem = null;

/** Deal new hands under the rules of the game on the table. */
async function dealAgain() {
  const rules = game.timeline?.now.state.rules ?? FIRST_RULES;
  const { notation } = await deal({ ...rules, strategy: "stratified", elements: "ff8" });
  await game.open({ opening: notation });
}

/** Open the game of the address, or deal one. Where that fails, the address stays as it is. */
async function begin() {
  try {
    await (location.hash ? openLink(game, fromLink(location.hash)) : dealAgain());
  } catch (problem) {
    failToBegin(problem);
  }
}

/** Tell why there is no new game on the table, and offer one; an old one stays. */
function failToBegin(problem) {
  problem.keepsAddress = true;
  if (game.timeline) game.fail(problem);
  else drawProblem(problem);
}

function drawProblem(problem) {
  if (problem === toldProblem) return; // said once
  toldProblem = problem;
  showProblem(byId("problem"), problem);
  byId("no-game").hidden = !problem?.keepsAddress;
}

function drawWith(views, cards) {
  for (const view of views) view.draw();
  drawStatus(game, cards);
  drawProblem(game.problem);
  if (game.problem?.keepsAddress) return;
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
}

async function prepare() {
  const cards = await loadCards();
  const board = new Board(game, cards);
  const hands = ["near", "far"].map((end) => new Hand(game, cards, end, board));
  const views = [board, ...hands, new Advice(game, cards), new Review(game, cards)];
  game.addEventListener("change", () => drawWith(views, cards));
  game.addEventListener("change", () => { // until then there is no game
    listen(board, new SetUp(game, cards));
    for (const id of ["table", "advice"]) byId(id).inert = false;
  }, { once: true });
  byId("deal-instead").addEventListener("click", () => dealAgain().catch(failToBegin));
  window.addEventListener("hashchange", begin);
  await begin();
}

whileTold(prepare);
