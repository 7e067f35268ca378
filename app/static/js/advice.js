/** What the service says of the state on show: its worth, the best line, every move ranked. */

import { drawWorth } from "./board.js";
import { byId, make } from "./dom.js";
import { CELL_NAMES, counted, msText, worth } from "./words.js";

export class Advice {
  #shown = null; // the answer that the lists were drawn for
  #focused = null; // the list that has, or should get back, the focus

  constructor(game, cards) {
    this.game = game;
    this.cards = cards;
    byId("step").addEventListener("click", () => this.#step());
    byId("hints").addEventListener("change", (event) => game.showHints(event.target.checked));
  }

  #step() {
    const line = this.game.answer?.pv ?? [];
    if (line.length) this.game.play(line.slice(0, 1));
  }

  draw() {
    const { game } = this;
    const { answer } = game;
    byId("hints").checked = game.hints;
    byId("verdict").replaceChildren(...this.#verdict());
    const without = game.problem ? "No answer." : "Asking …";
    byId("source").textContent = answer ? sourceText(answer) : without;
    byId("step").hidden = !game.mover;
    byId("step").disabled = !answer?.pv.length;
    this.#noteFocus();
    byId("advice-body").hidden = !game.hints || !game.mover;
    byId("advice-body").inert = !answer; // what is listed is of another state
    if (answer && answer !== this.#shown) this.#drawLists(answer);
    this.#mark();
  }

  /** Remember which list a keyboard is in, because drawing it anew takes the focus away. */
  #noteFocus() {
    const { activeElement, body } = document;
    if (activeElement === body) return;
    const isByKeyboard = activeElement.matches(":focus-visible");
    this.#focused = isByKeyboard ? activeElement.closest("#moves, #line") : null;
  }

  #verdict() {
    const { mover, answer, hints } = this.game;
    if (!answer) return [make("span", {}, mover ? `${mover} to move` : "The game is over")];
    if (!mover) return [finalText(answer.margin)];
    if (!hints) return [make("span", {}, `${mover} to move`)];
    const { phrase } = worth(answer.margin, mover);
    return [
      drawWorth(answer.margin, mover),
      make("span", {}, ` ${mover} to move: ${phrase} with perfect play`),
    ];
  }

  #drawLists(answer) {
    this.#shown = answer;
    const { mover } = this.game;
    const line = answer.pv;
    byId("line").replaceChildren(...line.map((move, index) => this.#lineItem(move, line, index)));
    const moves = mover ? answer.moves : [];
    byId("moves").replaceChildren(...moves.map((move) => this.#row(move, mover)));
    byId("moves-count").textContent = moves.length;
    this.#focused?.querySelector("button")?.focus();
  }

  #lineItem(move, line, index) {
    const text = `${this.cards.get(move.card_id).name} ${CELL_NAMES[move.cell]}`;
    const click = () => this.game.play(line.slice(0, index + 1));
    const title = "Play the line as far as here";
    return make("li", {}, make("button", { type: "button", click, title }, text));
  }

  #row(move, mover) {
    const { game } = this;
    const look = () => game.look(move);
    const away = () => game.look(null);
    const button = make(
      "button",
      {
        type: "button",
        class: "move",
        click: () => game.play([move]),
        focus: look,
        blur: away,
        pointerenter: look,
        pointerleave: away,
      },
      drawWorth(move.margin, mover),
      make("span", { class: "move-text" },
        make("b", {}, this.cards.get(move.card_id).name), ` ${CELL_NAMES[move.cell]}`),
      make("span", { class: "takes" },
        move.captures.length ? `takes ${move.captures.length}` : ""),
    );
    button.dataset.card = move.card_id;
    button.dataset.cell = move.cell;
    return make("li", {}, button);
  }

  /** Set off the moves of the chosen card. */
  #mark() {
    const chosen = String(this.game.selectedCard);
    for (const button of byId("moves").querySelectorAll(".move")) {
      button.classList.toggle("chosen", button.dataset.card === chosen);
    }
  }
}

function finalText(margin) {
  const winner = margin > 0 ? "A" : "B";
  const won = `${winner} wins by ${counted(Math.abs(margin), "card")}`;
  return make("span", { class: "final" }, margin === 0 ? "The game is drawn" : won);
}

function sourceText({ source, nodes, ms, serviceMs }) {
  const from = source === "database" ? "From the database" : `Searched ${counted(nodes, "state")}`;
  const within = serviceMs === null ? "" : `, ${msText(serviceMs)} of it in the service`;
  return `${from} · ${msText(ms)}${within}`;
}
