/** The board: nine cells that are drawn once and then kept up to date, so that focus stays. */

import { drawCard, drawOwner } from "./card.js";
import { byId, make, setAttribute } from "./dom.js";
import { drawElement, elementName } from "./elements.js";
import { CELL_NAMES, cardText, worth } from "./words.js";

const STEPS = { ArrowUp: -3, ArrowRight: 1, ArrowDown: 3, ArrowLeft: -1 };
const WIDTH = 3;
const rowOf = (cell) => Math.floor(cell / WIDTH);

export class Board {
  #cells;
  #current = 4; // the one cell that the Tab key reaches

  constructor(game, cards) {
    this.game = game;
    this.cards = cards;
    this.#cells = CELL_NAMES.map((_, cell) => this.#makeCell(cell));
    const root = byId("board");
    root.replaceChildren(...this.#cells.map(({ button }) => button));
    root.addEventListener("keydown", (event) => this.#step(event));
  }

  #makeCell(cell) {
    const look = () => this.#look(cell);
    const away = () => this.game.look(null);
    const button = make("button", {
      type: "button",
      class: "cell",
      "data-cell": cell,
      click: () => this.#choose(cell),
      focus: () => {
        this.#reach(cell);
        look();
      },
      blur: away,
      pointerenter: look,
      pointerleave: away,
    });
    return { button, key: "", card_id: null };
  }

  /** Give the focus to the board. */
  focus() {
    this.#cells[this.#current].button.focus();
    this.#look(this.#current);
  }

  #look(cell) {
    this.game.look(this.game.moveOf(this.game.selectedCard, cell));
  }

  async #choose(cell) {
    if (this.game.now.state.board[cell].card_id === null) await this.game.place(cell);
  }

  #reach(cell) {
    this.#current = cell;
    this.#cells.forEach(({ button }, other) => { button.tabIndex = other === cell ? 0 : -1; });
  }

  #step(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const cell = this.#current + step;
    const isVertical = Math.abs(step) === WIDTH;
    if (isVertical || rowOf(cell) === rowOf(this.#current)) this.#cells[cell]?.button.focus();
  }

  draw() {
    const { game } = this;
    game.now.state.board.forEach((content, cell) => this.#drawCell(this.#cells[cell], content));
    this.#reach(this.#current);
  }

  #drawCell(drawn, content) {
    const { game } = this;
    const { button } = drawn;
    const move = game.moveOf(game.selectedCard, content.cell);
    this.#drawContent(drawn, content);
    button.querySelector(".worth")?.remove();
    button.querySelector(".ghost")?.remove();
    if (move && game.hints) button.append(drawWorth(move.margin, game.mover));
    if (game.preview?.cell === content.cell) button.append(this.#ghost(game.preview));
    const isOpen = game.selected !== null && content.card_id === null;
    button.classList.toggle("open", isOpen);
    button.classList.toggle("threatened", Boolean(game.preview?.captures.includes(content.cell)));
    button.classList.toggle("last", game.now.move?.cell === content.cell);
    setAttribute(button, "data-end", endOf(game, content.owner));
    button.setAttribute("aria-label", this.#label(content, move));
  }

  /** Draw card and element anew when they changed; a card whose owner changed turns over. */
  #drawContent(drawn, { cell, card_id, owner, element }) {
    const key = [card_id, owner, element].join();
    if (drawn.key === key) return;
    const { button } = drawn;
    const isTurned = card_id !== null && drawn.card_id === card_id;
    const isPlaced = card_id !== null && !isTurned;
    Object.assign(drawn, { key, card_id });
    button.replaceChildren();
    if (element) button.append(drawElement(element, "ground"));
    if (card_id === null) return;
    const card = drawCard(this.cards.get(card_id));
    card.append(drawOwner(owner));
    card.classList.toggle("turned", isTurned);
    card.classList.toggle("placed", isPlaced);
    const order = this.game.now.captures.findIndex((capture) => capture.cell === cell);
    card.style.setProperty("--order", Math.max(0, order));
    button.append(card);
  }

  #ghost({ card_id }) {
    const ghost = drawCard(this.cards.get(card_id));
    ghost.classList.add("ghost");
    ghost.dataset.end = endOf(this.game, this.game.mover);
    return ghost;
  }

  #label({ cell, card_id, owner, element }, move) {
    const parts = [CELL_NAMES[cell]];
    if (card_id === null) parts.push("empty");
    else parts.push(cardText(this.cards.get(card_id)), `owned by ${owner}`);
    if (element) parts.push(`on ${elementName(element)}`);
    if (move) {
      const taken = move.captures.map((other) => CELL_NAMES[other]).join(" and ");
      if (this.game.hints) parts.push(worth(move.margin, this.game.mover).text);
      parts.push(taken ? `takes ${taken}` : "takes nothing");
    }
    return parts.join(", ");
  }
}

/** Return where an owner sits: near or far, which is their colour. */
export const endOf = (game, owner) => owner && (owner === game.near ? "near" : "far");

/** Return what a move is worth to a player as a chip: colour, sign and number. */
export function drawWorth(margin, player) {
  const { word, sign, number, text } = worth(margin, player);
  return make(
    "span",
    { class: "worth", "data-outcome": word, role: "img", "aria-label": text },
    make("span", {}, sign),
    make("span", {}, String(Math.abs(number))),
  );
}
