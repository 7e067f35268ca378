/** After a game: what each move was worth and gave away, and how the margin went. */

import { drawWorth, endOf } from "./board.js";
import { drawOwner } from "./card.js";
import { byId, make } from "./dom.js";
import { drawPlot } from "./plot.js";
import { answerTo } from "./service.js";
import { CELL_NAMES, worth } from "./words.js";

const momentsOf = ({ opening, steps }) => [opening, ...steps];

/** Return what perfect play makes of each moment of a game: margins, A's view. */
async function marginsOf(timeline) {
  const margins = [];
  for (const { notation } of momentsOf(timeline)) margins.push((await answerTo(notation)).margin);
  return margins;
}

export class Review {
  #game = ""; // the notations of the game that is reviewed
  #margins = []; // after each of its moves, when they have come
  #drawn = ""; // game, step on show and who sits near: what the picture depends on

  constructor(game, cards) {
    this.game = game;
    this.cards = cards;
  }

  async draw() {
    const { timeline } = this.game;
    const isOver = timeline.last.done && timeline.steps.length > 0;
    byId("review").hidden = !isOver;
    if (!isOver) return;
    const game = momentsOf(timeline).map(({ notation }) => notation).join();
    if (game !== this.#game) {
      this.#game = game;
      this.#margins = [];
      const margins = await marginsOf(timeline).catch(() => []);
      if (game !== this.#game) return;
      this.#margins = margins;
    }
    const picture = [game, timeline.at, this.game.near].join();
    if (!this.#margins.length || picture === this.#drawn) return;
    this.#drawn = picture;
    this.#drawAll();
  }

  #drawAll() {
    const { timeline, near } = this.game;
    const turns = timeline.steps.map((step, index) => this.#turn(step, index));
    const strip = byId("strip");
    const focused = [...strip.children].findIndex((turn) => turn.contains(document.activeElement));
    strip.replaceChildren(...turns.map((turn) => this.#drawTurn(turn)));
    strip.children[focused]?.firstChild.focus();
    byId("review-summary").textContent = summary(turns);
    const view = this.#margins.map((margin) => worth(margin, near).number);
    byId("plot").replaceChildren(drawPlot(view, timeline.at, near));
  }

  #turn({ move }, index) {
    const player = this.game.timeline.momentAt(index).state.to_move;
    const before = worth(this.#margins[index], player).number;
    const after = this.#margins[index + 1];
    const givenAway = before - worth(after, player).number;
    return { move, index, player, after, givenAway };
  }

  #drawTurn({ move, index, player, after, givenAway }) {
    const { name } = this.cards.get(move.card_id);
    const isShown = this.game.timeline.at === index + 1;
    return make("li", {},
      make("button", {
        type: "button",
        class: "turn",
        "data-end": endOf(this.game, player),
        "data-given-away": givenAway,
        "aria-current": isShown ? "step" : null,
        click: () => this.game.jump(index + 1),
      },
      drawOwner(player),
      make("span", { class: "turn-move" }, make("b", {}, name), ` ${CELL_NAMES[move.cell]}`),
      drawWorth(after, player),
      make("span", { class: "given" }, givenAway ? `gave away ${givenAway}` : "best")));
  }
}

function summary(turns) {
  const parts = ["A", "B"].map((player) => {
    const lost = turns.filter((turn) => turn.player === player)
      .reduce((sum, { givenAway }) => sum + givenAway, 0);
    return `${player} ${lost ? `gave away ${lost}` : "played perfectly"}`;
  });
  return `${parts.join("; ")}.`;
}
