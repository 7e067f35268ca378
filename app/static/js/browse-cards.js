/** The table of all cards: sorted by a click on a column, narrowed by a search. */

import { drawElement, elementLetter } from "./elements.js";
import { byId, make } from "./dom.js";
import { loadCards } from "./service.js";
import { whileTold } from "./status.js";
import { counted, rankText } from "./words.js";

const RANKS = ["top", "right", "bottom", "left"];
let cards = [];
let order = { column: "id", isAscending: true };

const valueOf = (card, column) =>
  column === "sum" ? RANKS.reduce((sum, side) => sum + card[side], 0) : card[column] ?? "";

function compare(one, other) {
  const [a, b] = [valueOf(one, order.column), valueOf(other, order.column)];
  const difference = typeof a === "number" ? a - b : a.localeCompare(b);
  return (order.isAscending ? difference : -difference) || one.id - other.id;
}

function draw() {
  const wanted = byId("search").value.trim().toLowerCase();
  const found = cards.filter((card) => matches(card, wanted)).sort(compare);
  byId("rows").replaceChildren(...found.map(drawRow));
  byId("count").textContent = counted(found.length, "card");
  for (const head of document.querySelectorAll("th[data-column]")) {
    const isSorted = head.dataset.column === order.column;
    const direction = order.isAscending ? "ascending" : "descending";
    head.setAttribute("aria-sort", isSorted ? direction : "none");
  }
}

const matches = ({ name, type, element }, wanted) =>
  [name, type, element ?? ""].some((text) => text.toLowerCase().includes(wanted));

function drawRow(card) {
  const element = card.element
    ? [drawElement(elementLetter(card.element)), ` ${card.element}`]
    : ["–"];
  return make("tr", {},
    make("td", { class: "number" }, String(card.id)),
    make("th", { scope: "row" }, card.name),
    make("td", { class: "number" }, String(card.level)),
    ...RANKS.map((side) => make("td", { class: "number" }, rankText(card[side]))),
    make("td", { class: "number" }, String(valueOf(card, "sum"))),
    make("td", {}, ...element),
    make("td", {}, card.type));
}

/** Sort by a column; by the same again, the other way round. */
function sortBy(column) {
  order = { column, isAscending: order.column === column ? !order.isAscending : true };
  draw();
}

for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => sortBy(button.closest("th").dataset.column));
}
byId("search").addEventListener("input", draw);
await whileTold(async () => {
  cards = [...(await loadCards()).values()];
  draw();
});
