/** Set a game up: rules, elements, hands, who starts; or paste one. */

import { Problem } from "./api.js";
import { drawCard } from "./card.js";
import { byId, make, showProblem } from "./dom.js";
import { drawElement, elementName, LETTERS } from "./elements.js";
import { fromLink, openLink } from "./link.js";
import { Picker } from "./picker.js";
import { deal, notationOf } from "./service.js";
import { CELL_NAMES, SWITCHES, cardText } from "./words.js";

const PLAYERS = ["A", "B"];
const HAND_SIZE = 5;
const JSON_BEGINS = /^[{["]/;

export class SetUp {
  #draft = null; // {elements: [9], hands: {A: [5], B: [5]}}; null where nothing is
  #brush = "F"; // the element that a click puts on a cell
  #work = Promise.resolve(); // clicks are followed one after the other, as they came

  constructor(game, cards) {
    Object.assign(this, { game, cards, picker: new Picker(cards) });
    const clicks = {
      "hands-random": (draft) => this.#dealHands(draft, "random"),
      "hands-stratified": (draft) => this.#dealHands(draft, "stratified"),
      "elements-game": (draft) => this.#dealElements(draft),
      "elements-none": (draft) => this.#setElements(draft, Array(CELL_NAMES.length).fill(null)),
      start: (draft) => this.#start(draft),
      "open-pasted": (draft) => this.#openPasted(draft),
    };
    for (const [id, act] of Object.entries(clicks)) {
      byId(id).addEventListener("click", () => {
        const draft = this.#draft;
        this.#work = this.#work.then(() => this.#try(draft, act));
      });
    }
    byId("rule-elemental").addEventListener("change", () => this.#draw());
  }

  /** Open the dialog with the opening of the game on the table. */
  open() {
    const { state } = this.game.timeline.opening;
    const padded = (hand) => [...hand, ...Array(HAND_SIZE - hand.length).fill(null)];
    this.#draft = {
      elements: state.board.map(({ element }) => element ?? null),
      hands: { A: padded(state.hands.A), B: padded(state.hands.B) },
    };
    for (const name of SWITCHES) byId(`rule-${name}`).checked = state.rules[name];
    byId(`variant-${state.rules.variant}`).checked = true;
    byId("first-toss").checked = true;
    this.#work = Promise.resolve(); // what an outage still holds up is of an earlier draft
    showProblem(byId("setup-problem"), null);
    this.#draw();
    byId("setup").showModal();
  }

  /** Follow a click on a draft, unless the dialog was opened anew since. */
  async #try(draft, act) {
    if (draft !== this.#draft) return;
    showProblem(byId("setup-problem"), null);
    try {
      await act(draft);
    } catch (problem) {
      if (draft !== this.#draft) return;
      showProblem(byId("setup-problem"), problem);
      byId("setup-problem").scrollIntoView({ block: "nearest" });
    }
  }

  get #rules() {
    const switches = SWITCHES.map((name) => [name, byId(`rule-${name}`).checked]);
    return { ...Object.fromEntries(switches), variant: chosen("variant") };
  }

  async #dealHands(draft, strategy) {
    const { state } = await deal({ ...this.#rules, strategy });
    draft.hands = state.hands;
    this.#draw();
  }

  async #dealElements(draft) {
    byId("rule-elemental").checked = true;
    const { state } = await deal({ ...this.#rules, elements: "ff8" });
    this.#setElements(draft, state.board.map(({ element }) => element ?? null));
  }

  #setElements(draft, elements) {
    draft.elements = elements;
    this.#draw();
  }

  /** Begin with what is set up; whether it can be is for the service to say. */
  async #start(draft) {
    const { elements, hands } = draft;
    const first = chosen("first");
    const toss = PLAYERS[crypto.getRandomValues(new Uint8Array(1))[0] % PLAYERS.length];
    const isPicked = (card) => card !== null;
    const state = {
      board: elements.map((element, cell) => ({ cell, card_id: null, owner: null, element })),
      hands: { A: hands.A.filter(isPicked), B: hands.B.filter(isPicked) },
      to_move: first === "toss" ? toss : first,
      rules: this.#rules,
    };
    await this.#begin(draft, { opening: await notationOf(state) });
  }

  async #openPasted(draft) {
    const text = byId("pasted").value.trim();
    if (!text) throw new Error("Paste a state as JSON, a notation or a link first");
    if (JSON_BEGINS.test(text)) await this.#begin(draft, { opening: await fromJson(text) });
    else if (text.includes("#")) await this.#begin(draft, fromLink(text), openLink);
    else await this.#begin(draft, { opening: text });
  }

  async #begin(draft, opened, open = (game, asked) => game.open(asked)) {
    if (draft !== this.#draft) return;
    await open(this.game, opened);
    if (draft === this.#draft) byId("setup").close();
  }

  #draw() {
    const { elements, hands } = this.#draft;
    byId("elements").hidden = !byId("rule-elemental").checked;
    byId("brushes").replaceChildren(...LETTERS.map((letter) => this.#brushButton(letter)));
    byId("layout").replaceChildren(...elements.map((element, cell) => this.#ground(element, cell)));
    for (const player of PLAYERS) {
      const slots = hands[player].map((cardId, number) => this.#slot(player, cardId, number));
      byId(`slots-${player}`).replaceChildren(...slots);
    }
  }

  #brushButton(letter) {
    const click = () => {
      this.#brush = letter;
      this.#draw();
      byId("brushes").querySelector('[aria-pressed="true"]').focus();
    };
    const isChosen = this.#brush === letter;
    return make("button",
      { type: "button", class: "brush", "aria-pressed": String(isChosen), click },
      drawElement(letter), make("span", {}, elementName(letter)));
  }

  #ground(element, cell) {
    const click = () => {
      const changed = element === this.#brush ? null : this.#brush;
      this.#setElements(this.#draft, this.#draft.elements.with(cell, changed));
      byId("layout").children[cell].focus();
    };
    const label = `${CELL_NAMES[cell]}: ${element ? elementName(element) : "no element"}`;
    return make("button", { type: "button", class: "ground-cell", "aria-label": label, click },
      element ? drawElement(element) : null);
  }

  #slot(player, cardId, number) {
    const card = cardId === null ? null : this.cards.get(cardId);
    const label = `${player}'s card ${number + 1}: ${card ? cardText(card) : "none yet"}`;
    return make("button", {
      type: "button",
      class: "slot",
      "data-end": player === "A" ? "near" : "far",
      "aria-label": label,
      click: () => this.#pick(player, number),
    }, card ? drawCard(card) : make("span", { class: "empty-slot", "aria-hidden": "true" }, "+"));
  }

  /** Fill one place, then the empty ones behind it. */
  #pick(player, number) {
    const hand = this.#draft.hands[player];
    let place = number;
    this.picker.open(`A card for ${player}`, (card) => {
      hand[place] = card.id;
      this.#draw();
      place = hand.indexOf(null);
      return place !== -1;
    });
  }
}

const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`).value;

async function fromJson(text) {
  let state;
  try {
    state = JSON.parse(text);
  } catch (error) {
    throw new Problem({ title: "This is not JSON", detail: error.message });
  }
  return notationOf(state);
}
