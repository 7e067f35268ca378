/** Cards can be dragged onto the board, by mouse, pen and finger alike. */

import { byId } from "./dom.js";

const THRESHOLD = 6; // pixels a pointer may tremble in a click

/** Watch `table` for cards of hands that are pulled away. */
export function allowDragging(table, game) {
  let drag = null; // {button, x, y, shadow}

  table.addEventListener("pointerdown", (event) => {
    const button = event.target.closest(".hand-card:not(:disabled)");
    if (button && event.button === 0) drag = { button, x: event.clientX, y: event.clientY };
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag) return;
    if (!drag.shadow && hasMoved(drag, event)) begin(drag, game);
    if (drag.shadow) follow(drag, event, game);
  });
  window.addEventListener("pointerup", (event) => {
    const cell = drag?.shadow ? cellUnder(event) : null;
    if (drag?.shadow) end(drag);
    if (cell !== null) game.place(cell);
    drag = null;
  });
  window.addEventListener("pointercancel", () => {
    if (drag?.shadow) end(drag);
    drag = null;
  });
}

const hasMoved = (drag, { clientX, clientY }) =>
  Math.hypot(clientX - drag.x, clientY - drag.y) > THRESHOLD;

function begin(drag, game) {
  game.select(Number(drag.button.dataset.number));
  drag.shadow = drag.button.cloneNode(true);
  drag.shadow.classList.add("dragged");
  drag.shadow.inert = true;
  drag.shadow.style.setProperty("--width", `${drag.button.offsetWidth}px`);
  byId("table").append(drag.shadow);
  drag.button.classList.add("lifted");
}

function follow(drag, event, game) {
  drag.shadow.style.setProperty("--x", `${event.clientX}px`);
  drag.shadow.style.setProperty("--y", `${event.clientY}px`);
  const cell = cellUnder(event);
  game.look(cell === null ? null : game.moveOf(game.selectedCard, cell));
}

function end(drag) {
  drag.shadow.remove();
  drag.button.classList.remove("lifted");
  // The click that ends a drag is no choice of a card.
  const swallow = (event) => event.stopPropagation();
  window.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }));
}

function cellUnder({ clientX, clientY }) {
  const cell = document.elementFromPoint(clientX, clientY)?.closest(".cell.open");
  return cell ? Number(cell.dataset.cell) : null;
}
