/** What the database covers: facts and tables, what is not served and why, its deals. */

import { DealList } from "./deals.js";
import { byId, make } from "./dom.js";
import { describeDatabase, loadCards } from "./service.js";
import { whileTold } from "./status.js";

const number = new Intl.NumberFormat("en");
const FACTS = {
  generation: "Generation",
  deals: "Deals",
  format: "Format",
  revision: "Engine revision",
  digest: "Content digest",
  cards: "Card digest",
  file_bytes: "Bytes on disk",
};
const COLUMNS = ["states", "blocks", "bytes"];

const text = (value) => (typeof value === "number" ? number.format(value) : String(value));

function drawFacts(facts) {
  return Object.entries(FACTS).flatMap(([name, title]) => [
    make("dt", {}, title),
    make("dd", { "data-fact": name }, text(facts[name])),
  ]);
}

function drawLayer(title, layer) {
  return make("tr", {},
    make("th", { scope: "row" }, title),
    ...COLUMNS.map((column) => make("td", { class: "number" }, text(layer[column]))),
    make("td", { class: "number" }, layer.bits_per_state.toFixed(2)));
}

function drawKind([kind, deals]) {
  return make("tr", {},
    make("th", { scope: "row" }, kind),
    make("td", { class: "number" }, text(deals)));
}

function drawPart({ name, kind, bytes }) {
  return make("tr", {},
    make("th", { scope: "row" }, name),
    make("td", {}, kind),
    make("td", { class: "number" }, text(bytes)));
}

/** Say what is there and not served, and why. */
function drawUnserved({ refused, left_out: leftOut = [] }) {
  byId("refused").hidden = !refused;
  byId("refused").textContent = `What is there now is not served: ${refused}.`;
  byId("left-out").hidden = !leftOut.length;
  byId("left-out").replaceChildren(
    make("strong", {}, "Left out, because it cannot be read"),
    make("ul", {}, ...leftOut.map(({ name, reason }) =>
      make("li", {}, make("code", {}, name), `: ${reason}`))),
  );
}

function draw(facts) {
  drawUnserved(facts);
  const isThere = facts.generation !== null && !facts.damage;
  byId("nothing").hidden = isThere;
  if (facts.damage) byId("nothing").textContent = `The database is damaged: ${facts.damage}.`;
  byId("covered").hidden = !isThere;
  if (!isThere) return;
  byId("facts").replaceChildren(...drawFacts(facts));
  byId("kinds").replaceChildren(...Object.entries(facts.kinds).map(drawKind));
  byId("layers").replaceChildren(
    ...facts.layers.map((layer) => drawLayer(`ply ${layer.ply}`, layer)),
    drawLayer("all", facts.total),
  );
  byId("parts").replaceChildren(...facts.parts.map(drawPart));
}

await whileTold(async () => {
  const [facts, cards] = await Promise.all([describeDatabase(), loadCards()]);
  draw(facts);
  if (facts.generation !== null) await new DealList(cards).open();
});
