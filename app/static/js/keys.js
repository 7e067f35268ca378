/** Keys for the whole page; arrows and Enter belong to whatever has the focus. */

import { byId } from "./dom.js";

/** Listen to keys, unless somebody writes or a dialog is open. */
export function listenToKeys(game, board) {
  const actions = {
    u: () => game.undo(),
    r: () => game.redo(),
    f: () => game.flip(),
    h: () => game.showHints(!game.hints),
    b: () => byId("step").click(),
    n: () => byId("deal").click(),
    s: () => byId("open-setup").click(),
    "?": () => byId("open-help").click(),
    Escape: () => game.select(null),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target)) return;
    if (/^[1-5]$/.test(event.key)) {
      game.select(Number(event.key) - 1);
      board.focus();
      return;
    }
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

const isElsewhere = (target) =>
  document.querySelector("dialog[open]") ||
  target.closest('input:not([type="checkbox"]), select, textarea');
