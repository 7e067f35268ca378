/** A game from its opening on: every step, and which of them is on show. */

import { answerTo, applyMove } from "./service.js";

/** A moment is {state, notation, captures, done, score}, and `move` but for the opening. */
export class Timeline {
  constructor(opening) {
    this.opening = opening;
    this.steps = [];
    this.at = 0; // how many steps are on show
  }

  /** Return a timeline with these moves played; the service says what they lead to.
   *
   * A problem with a move says which `step` it is.
   */
  static async load(notation, moves = []) {
    const { state, score, best_move } = await answerTo(notation);
    const done = !best_move;
    const timeline = new Timeline({ state, notation, captures: [], done, score });
    for (const [index, move] of moves.entries()) {
      try {
        timeline.add(move, await applyMove(timeline.now.state, move));
      } catch (problem) {
        throw Object.assign(problem, { step: index + 1 });
      }
    }
    return timeline;
  }

  /** The moment on show. */
  get now() {
    return this.momentAt(this.at);
  }

  get last() {
    return this.momentAt(this.steps.length);
  }

  get hasNext() {
    return this.at < this.steps.length;
  }

  get moves() {
    return this.steps.map(({ move }) => move);
  }

  momentAt(at) {
    return at ? this.steps[at - 1] : this.opening;
  }

  /** Add what a move leads to; steps ahead go, unless it is the move they begin with. */
  add(move, result) {
    if (this.hasNext && this.steps[this.at].notation === result.notation) {
      this.at += 1;
      return;
    }
    this.forget();
    this.steps.push({ move, ...result });
    this.at += 1;
  }

  /** Drop the steps ahead. */
  forget() {
    this.steps.length = this.at;
  }

  /** Show the moment after `at` steps, or the nearest there is. */
  jump(at) {
    this.at = Math.max(0, Math.min(Number(at) || 0, this.steps.length));
  }
}
