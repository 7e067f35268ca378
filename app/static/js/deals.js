/** The deals of the database: those of some rules, or with a card; each opens on the board.
 *
 * What is chosen is in the address, so that it is a link:
 *
 *     /browse/database?card=Squall&variant=ff8&same=true
 */

import { drawWorth } from "./board.js";
import { drawCard, drawOwner } from "./card.js";
import { byId, make, showProblem } from "./dom.js";
import { drawElement, elementName } from "./elements.js";
import { toHash } from "./link.js";
import { listDeals } from "./service.js";
import {
  CELL_NAMES, counted, RULE_NAMES, rulesText, SWITCHES, VARIANT_NAMES, worth,
} from "./words.js";

const ON_A_PAGE = 20;
const CHOICES = ["variant", ...SWITCHES];
const ENDS = { A: "near", B: "far" };

export class DealList {
  #wishes = {};
  #next = null; // the cursor of the page that comes next
  #asked = 0; // how often; an answer that is not to the last question is not wanted any more

  constructor(cards) {
    this.cards = cards;
    const names = [...cards.values()].map(({ name }) => make("option", { value: name }));
    byId("card-names").append(...names);
    fillChoice("variant", "Any variant", Object.entries(VARIANT_NAMES));
    for (const name of SWITCHES) {
      const word = RULE_NAMES[name];
      fillChoice(name, `${word}: any`, [["true", `${word} on`], ["false", `${word} off`]]);
    }
    byId("deals-card").addEventListener("change", () => this.#choose());
    for (const name of CHOICES) {
      byId(`deals-${name}`).addEventListener("change", () => this.#choose());
    }
    byId("deals-any").addEventListener("click", () => this.#show(new URLSearchParams()));
    byId("more").addEventListener("click", () => this.#load());
  }

  /** Show the deals that the address asks for. */
  async open() {
    byId("deals").hidden = false;
    await this.#show(new URLSearchParams(location.search));
  }

  async #show(wishes) {
    byId("deals-card").value = wishes.get("card") ?? "";
    for (const name of CHOICES) {
      const select = byId(`deals-${name}`);
      select.value = wishes.get(name) ?? "";
      if (select.selectedIndex === -1) select.value = ""; // the address says what cannot be
    }
    await this.#choose();
  }

  /** Begin the list anew with what is chosen. */
  async #choose() {
    this.#asked += 1;
    const { card, problem } = this.#card();
    showProblem(byId("deals-problem"), problem);
    byId("deals-list").replaceChildren();
    byId("more").hidden = true;
    byId("deals-count").textContent = "";
    if (problem) return;
    if (card) byId("deals-card").value = card.name;
    const chosen = CHOICES.map((name) => [name, byId(`deals-${name}`).value]);
    const wishes = [["card", card?.name], ...chosen].filter(([, wish]) => wish);
    this.#wishes = Object.fromEntries(wishes);
    history.replaceState(null, "", addressOf(this.#wishes));
    this.#next = null;
    await this.#load();
  }

  /** Return the card that is searched for: by its name or number, or by a part of the name. */
  #card() {
    const text = byId("deals-card").value.trim().toLowerCase();
    if (!text) return {};
    const cards = [...this.cards.values()];
    const named = cards.filter(({ id, name }) => [name.toLowerCase(), String(id)].includes(text));
    const found = named.length
      ? named
      : cards.filter(({ name }) => name.toLowerCase().includes(text));
    return found.length === 1 ? { card: found[0] } : { problem: cardProblem(text, found) };
  }

  /** Add the next page, or say why there is none. */
  async #load() {
    const asked = (this.#asked += 1);
    const isWanted = () => asked === this.#asked;
    byId("deals-count").textContent = "Looking …";
    try {
      const deals = await this.#find(isWanted);
      if (isWanted()) this.#add(deals.map((deal) => this.#draw(deal)));
    } catch (problem) {
      if (isWanted()) showProblem(byId("deals-problem"), problem);
    }
  }

  /** Return the next deals; where there were none among those looked at, look on. */
  async #find(isWanted) {
    let page;
    do {
      const cursor = this.#next ? { after: this.#next } : {};
      page = await listDeals({ ...this.#wishes, limit: ON_A_PAGE, ...cursor });
      if (isWanted()) this.#next = page.next;
    } while (isWanted() && !page.deals.length && page.next);
    return page.deals;
  }

  #add(items) {
    const list = byId("deals-list");
    const more = byId("more");
    const hadFocus = document.activeElement === more;
    list.append(...items);
    more.hidden = !this.#next;
    if (hadFocus && more.hidden) (items[0] ?? list.lastChild).querySelector("a").focus();
    byId("deals-count").textContent = this.#countText(list.children.length);
  }

  #countText(count) {
    if (count) return `${counted(count, "deal")}${this.#next ? " so far" : ""}`;
    return Object.keys(this.#wishes).length ? "No deal is like that." : "There are no deals.";
  }

  #draw(deal) {
    const { hands, ply, plies, states } = deal;
    return make("li", { class: "deal" },
      make("div", { class: "deal-head" }, ...headOf(deal)),
      this.#hand("A", hands.A),
      deal.board ? this.#board(deal.board) : null,
      this.#hand("B", hands.B),
      make("div", { class: "deal-foot" },
        make("span", { class: "quiet" }, `${counted(states, "state")}, ply ${ply} to ${plies}`),
        make("a", { href: `/${toHash(gameOf(deal))}`, "aria-label": this.#linkText(hands) },
          "Open on the board")));
  }

  #hand(player, hand) {
    return make("div",
      {
        class: "deal-hand",
        "data-end": ENDS[player],
        role: "img",
        "aria-label": `${player}'s hand: ${this.#names(hand)}`,
      },
      drawOwner(player),
      ...hand.map((id) => drawCard(this.cards.get(id))));
  }

  #board(board) {
    const label = board.filter(({ card_id }) => card_id !== null).map(({ cell, card_id, owner }) =>
      `${this.cards.get(card_id).name} ${CELL_NAMES[cell]}, ${owner}'s`).join("; ");
    return make("div", { class: "deal-board", role: "img", "aria-label": `On the board: ${label}` },
      ...board.map((content) => this.#cell(content)));
  }

  #cell({ card_id, owner, element }) {
    return make("span", { class: "cell", "data-end": ENDS[owner] },
      element ? drawElement(element, "ground") : null,
      card_id === null ? null : this.#owned(card_id, owner));
  }

  #owned(cardId, owner) {
    const card = drawCard(this.cards.get(cardId));
    card.append(drawOwner(owner));
    return card;
  }

  #names(ids) {
    return ids.map((id) => this.cards.get(id).name).join(", ") || "none";
  }

  #linkText({ A, B }) {
    return `Open on the board: ${this.#names(A)} against ${this.#names(B)}`;
  }
}

function fillChoice(name, any, choices) {
  const options = [["", any], ...choices].map(([value, text]) => make("option", { value }, text));
  byId(`deals-${name}`).append(...options);
}

const addressOf = (wishes) => {
  const query = new URLSearchParams(wishes).toString();
  return `${location.pathname}${query ? `?${query}` : ""}${location.hash}`;
};

const gameOf = (deal) => ({ opening: deal, moves: [], at: 0, hasNext: false });

function cardProblem(text, found) {
  const names = found.map(({ name }) => name).join(", ");
  const title = found.length ? "More than one card is called so" : "No card is called so";
  return { title, message: found.length ? names : `There is no “${text}” in any card's name.` };
}

/** Return what a deal is worth, its rules and its elements. */
function headOf({ margin, ply, rules, elements }) {
  const verdict = margin === null
    ? [make("span", {}, "What it is worth cannot be read")]
    : [drawWorth(margin, "A"), make("b", {}, verdictText(margin, ply))];
  return [
    ...verdict,
    make("span", {}, rulesText(rules)),
    rules.elemental ? make("span", { class: "quiet" }, elementsText(elements)) : null,
  ].filter((part) => part !== null);
}

function verdictText(margin, ply) {
  const { phrase } = worth(margin, "A");
  return ply ? `A ${phrase} from here` : `A starts and ${phrase}`;
}

/** Return where the elements lie: "Fire top left, Ice centre". */
function elementsText(elements) {
  const lying = (elements ?? []).flatMap((letter, cell) =>
    letter ? [`${elementName(letter)} ${CELL_NAMES[cell]}`] : []);
  return lying.join(", ") || "no elements";
}
