/** The card picker: search by name, level and element, and take one. */

import { drawCard } from "./card.js";
import { byId, make } from "./dom.js";
import { elementName, LETTERS } from "./elements.js";
import { cardText, counted } from "./words.js";

const LEVELS = Array.from({ length: 10 }, (_, index) => String(index + 1));

export class Picker {
  #take = null; // who gets the card; returns whether another is wanted

  constructor(cards) {
    this.cards = [...cards.values()];
    fillChoice(byId("picker-level"), LEVELS, (level) => `level ${level}`);
    fillChoice(byId("picker-element"), ["none", ...LETTERS.map(elementName)], (name) => name);
    for (const id of ["picker-name", "picker-level", "picker-element"]) {
      byId(id).addEventListener("input", () => this.#draw());
    }
    byId("picker-name").addEventListener("keydown", (event) => {
      if (event.key === "Enter") byId("picker-cards").querySelector("button")?.click();
    });
  }

  /** Let people pick cards for as long as `take(card)` wants another. */
  open(title, take) {
    this.#take = take;
    byId("picker-title").textContent = title;
    byId("picker-name").value = "";
    this.#draw();
    byId("picker").showModal();
    byId("picker-name").focus();
  }

  #pick(card) {
    if (!this.#take(card)) byId("picker").close();
  }

  #draw() {
    const found = this.cards.filter(wanted());
    byId("picker-count").textContent = counted(found.length, "card");
    byId("picker-cards").replaceChildren(...found.map((card) =>
      make("button", {
        type: "button",
        class: "pick",
        "data-end": "none",
        "aria-label": `${cardText(card)}, level ${card.level}`,
        click: () => this.#pick(card),
      }, drawCard(card))));
  }
}

/** Return a test for what is asked for. */
function wanted() {
  const name = byId("picker-name").value.trim().toLowerCase();
  const level = byId("picker-level").value;
  const element = byId("picker-element").value;
  return (card) =>
    card.name.toLowerCase().includes(name) &&
    (!level || String(card.level) === level) &&
    (!element || (card.element ?? "none") === element);
}

function fillChoice(select, values, text) {
  select.append(...values.map((value) => make("option", { value }, text(value))));
}
