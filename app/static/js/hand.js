/** A hand: who sits there, how many cards they own, and the cards left to play. */

import { endOf } from "./board.js";
import { drawCard, drawOwner } from "./card.js";
import { byId, make, setAttribute } from "./dom.js";
import { cardText } from "./words.js";

const HAND_SIZE = 5;
const STEPS = { ArrowUp: -1, ArrowLeft: -1, ArrowRight: 1, ArrowDown: 1 };

export class Hand {
  #slots;

  constructor(game, cards, end, board) {
    Object.assign(this, { game, cards, end, board });
    const root = byId(`hand-${end}`);
    this.root = root;
    this.head = root.querySelector("h2");
    this.score = root.querySelector(".score");
    this.perfect = root.querySelector(".perfect");
    this.perfect.addEventListener("click", () =>
      game.setPerfect(this.player, !game.perfect[this.player]));
    this.#slots = Array.from({ length: HAND_SIZE }, (_, number) => this.#makeSlot(number));
    const list = root.querySelector(".cards");
    list.replaceChildren(...this.#slots.map(({ button }) => button));
    list.addEventListener("keydown", (event) => this.#step(event));
  }

  get player() {
    return this.game[this.end];
  }

  #makeSlot(number) {
    const click = (event) => {
      this.game.select(this.game.selected === number ? null : number);
      if (event.detail === 0) this.board.focus(); // by keyboard, the next step is a cell
    };
    const attributes = { type: "button", class: "hand-card", "data-number": number, click };
    return { button: make("button", attributes), card_id: null };
  }

  #step(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const focused = this.#slots.findIndex(({ button }) => button === document.activeElement);
    this.#slots[focused + step]?.button.focus();
  }

  draw() {
    const { game, player } = this;
    const isMover = game.mover === player;
    const score = game.now.score[player];
    this.root.classList.toggle("to-move", isMover);
    const title = make("span", { class: "title" }, `Player ${player}`);
    this.head.replaceChildren(drawOwner(player), title);
    this.score.textContent = score;
    this.score.setAttribute("aria-label", `score ${score}`);
    this.perfect.setAttribute("aria-pressed", game.perfect[player]);
    this.perfect.setAttribute("aria-label", `Perfect player plays ${player}`);
    const hand = game.now.state.hands[player];
    this.#slots.forEach((slot, number) => this.#drawSlot(slot, hand[number] ?? null, isMover));
  }

  #drawSlot(slot, cardId, isMover) {
    const { button } = slot;
    const number = Number(button.dataset.number);
    const isSelected = isMover && this.game.selected === number;
    if (slot.card_id !== cardId) {
      slot.card_id = cardId;
      button.replaceChildren(...(cardId === null ? [] : [drawCard(this.cards.get(cardId))]));
    }
    button.hidden = cardId === null;
    button.disabled = !isMover;
    button.setAttribute("aria-pressed", isSelected);
    setAttribute(button, "data-end", endOf(this.game, this.player));
    if (cardId !== null) button.setAttribute("aria-label", cardText(this.cards.get(cardId)));
  }
}
