/** A card, drawn: four ranks in a cross, element, name. */

import { make } from "./dom.js";
import { drawElement, elementLetter } from "./elements.js";
import { rankText } from "./words.js";

const SIDES = ["top", "right", "bottom", "left"];

/** Return a card for eyes only: what holds it must say `cardText`. */
export function drawCard(card) {
  const ranks = SIDES.map((side) =>
    make("span", { class: `rank-${side}` }, rankText(card[side])));
  return make(
    "span",
    { class: "card", "aria-hidden": "true", "data-card": card.id },
    make("span", { class: "cross" }, ...ranks),
    card.element ? drawElement(elementLetter(card.element)) : null,
    make("span", { class: "name" }, card.name),
  );
}

/** Return the sign of a player: a letter in a shape of its own. */
export const drawOwner = (player) =>
  make("span", { class: "owner", "data-player": player, "aria-hidden": "true" },
    make("span", {}, player));
