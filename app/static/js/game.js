/** The game on the table: its timeline, the answer to the state on show, what people chose.
 *
 * Views draw it after every "change"; whatever they do to it goes through its methods.
 */

import { answerTo, applyMove } from "./service.js";
import { Timeline } from "./timeline.js";

const THINKING = 500; // milliseconds the perfect player lets people look
const OTHER = { A: "B", B: "A" };

export class Game extends EventTarget {
  timeline = null;
  answer = null; // to the state on show, when it has come
  selected = null; // number of the chosen card in the mover's hand
  preview = null; // a move whose captures are shown
  problem = null;
  near = "A"; // who sits near, in blue
  hints = true;
  perfect = { A: false, B: false };
  #isMoving = false;
  #opened = 0; // how many games were asked for
  #timer = 0;

  /** Put a game on the table, as far as `at`. */
  async open({ opening, moves = [], at = moves.length }) {
    this.#opened += 1;
    const ticket = this.#opened;
    const timeline = await Timeline.load(opening, moves);
    if (ticket !== this.#opened) return; // another was asked for since
    timeline.jump(at);
    this.timeline = timeline;
    this.#show();
  }

  get now() {
    return this.timeline.now;
  }

  get mover() {
    return this.now.done ? null : this.now.state.to_move;
  }

  get far() {
    return OTHER[this.near];
  }

  /** The id of the chosen card, or null. */
  get selectedCard() {
    return this.selected === null ? null : this.now.state.hands[this.mover][this.selected];
  }

  /** Return the legal move with this card on this cell, once the service has told. */
  moveOf(cardId, cell) {
    return this.answer?.moves.find((move) => move.card_id === cardId && move.cell === cell);
  }

  /** Choose a card of the mover's hand by its number; none by null. */
  select(number) {
    const hand = this.mover && this.now.state.hands[this.mover];
    this.selected = hand && number !== null && number < hand.length ? number : null;
    this.preview = null;
    this.#changed();
  }

  /** Show what a legal move would capture; nothing by null. */
  look(move) {
    if (this.preview === (move ?? null)) return;
    this.preview = move ?? null;
    this.#changed();
  }

  /** Put the chosen card on a cell. */
  async place(cell) {
    if (this.selected !== null) await this.play([{ card_id: this.selectedCard, cell }]);
  }

  /** Play moves, one after the other. */
  async play(moves) {
    if (this.#isMoving) return;
    this.#isMoving = true;
    clearTimeout(this.#timer);
    const { timeline } = this;
    try {
      for (const move of moves) {
        const result = await applyMove(timeline.now.state, move);
        if (timeline !== this.timeline) return; // another game lies on the table by now
        timeline.add({ card_id: move.card_id, cell: move.cell }, result);
      }
      this.#show();
    } catch (problem) {
      if (timeline === this.timeline) this.#show(); // as far as it went
      this.fail(problem);
    } finally {
      this.#isMoving = false;
    }
  }

  /** Take a move back; against the perfect player, its reply as well. */
  undo() {
    let at = this.timeline.at - 1;
    const isReply = () => this.perfect[this.timeline.momentAt(at).state.to_move];
    if (this.perfect.A !== this.perfect.B && at > 0 && isReply()) at -= 1;
    this.jump(at);
  }

  redo() {
    this.jump(this.timeline.at + 1);
  }

  /** Show another moment of the game. */
  jump(at) {
    if (this.#isMoving) return;
    this.timeline.jump(at);
    this.#show();
  }

  /** Change ends and colours. */
  flip() {
    this.near = this.far;
    this.#changed();
  }

  showHints(wanted) {
    this.hints = wanted;
    this.#changed();
  }

  /** Let the perfect player play a side, from the state on show on. */
  setPerfect(player, wanted) {
    this.perfect[player] = wanted;
    if (wanted) this.timeline.forget();
    this.#show();
  }

  /** Tell what went wrong. */
  fail(problem) {
    this.problem = problem;
    this.#changed();
  }

  #show() {
    clearTimeout(this.#timer);
    Object.assign(this, { selected: null, preview: null, answer: null, problem: null });
    this.#changed();
    this.#ask();
  }

  async #ask() {
    const { notation } = this.now;
    try {
      const answer = await answerTo(notation);
      if (notation !== this.now.notation) return;
      this.answer = answer;
      this.#changed();
      this.#letPerfectPlay();
    } catch (problem) {
      if (notation === this.now.notation) this.fail(problem);
    }
  }

  /** The perfect player moves at the end of the timeline only, so that undo stays undone. */
  #letPerfectPlay() {
    clearTimeout(this.#timer);
    if (!this.perfect[this.mover] || this.timeline.hasNext) return;
    const { best_move } = this.answer;
    this.#timer = setTimeout(() => this.play([best_move]), THINKING);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
