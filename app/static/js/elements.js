/** The eight elements: letter, name, and a sign that is told apart by its shape. */

import { make, makeSvg } from "./dom.js";

const SHAPES = { // paths in a field of 24 by 24
  F: ["Fire", "M12 2c1 4 6 6 6 12a6 6 0 0 1-12 0c0-3 2-4 2-7 2 1 3 3 3 5 1-2 2-5 1-10z"],
  I: ["Ice", "M11 2h2v5l4-3 1 2-4 3h6v2h-5l5 4-1 2-6-4v9h-2v-9l-6 4-1-2 5-4H4V9h6L6 6l1-2 4 3z"],
  T: ["Thunder", "M14 2 5 13h5l-2 9 11-13h-6z"],
  W: ["Water", "M12 2c4 5 7 9 7 13a7 7 0 0 1-14 0c0-4 3-8 7-13z"],
  E: ["Earth", "M9 5l4 7 2-3 7 12H2z"],
  P: ["Poison", "M8 2h8v2h-1v5l5 9a3 3 0 0 1-3 4H7a3 3 0 0 1-3-4l5-9V4H8z"],
  H: ["Holy", "M12 1l2.5 7.5H22l-6 4.5 2.4 7.5L12 16l-6.4 4.5L8 13 2 8.5h7.500z"],
  L: [
    "Wind",
    "M3 8h11a2 2 0 1 0-2-2h-2a4 4 0 1 1 4 4H3zm0 4h15a4 4 0 1 1-4 4h2a2 2 0 1 0 2-2H3zm0 4h8v2H3z",
  ],
};

export const LETTERS = Object.keys(SHAPES);
const LETTER_OF = Object.fromEntries(LETTERS.map((letter) => [SHAPES[letter][0], letter]));

/** Return the name of an element's letter. */
export const elementName = (letter) => SHAPES[letter][0];

/** Return the letter of an element's name. */
export const elementLetter = (name) => LETTER_OF[name];

/** Return the sign of an element, for eyes only: its name must be said beside it. */
export function drawElement(letter, className = "element") {
  const path = makeSvg("path", { d: SHAPES[letter][1] });
  const picture = makeSvg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
  const title = elementName(letter);
  return make("span", { class: className, "data-element": letter, title }, picture);
}
