/** The state on show as a link, as JSON, as notation and as a curl command, to copy. */

import { byId, make } from "./dom.js";

const COPIED = 1500; // milliseconds a button says so

/** Return every form of the state on show, by name. */
function formsOf({ state, notation }) {
  const json = JSON.stringify(state);
  const header = "-H 'Content-Type: application/json'";
  return {
    Link: location.href,
    Notation: notation,
    JSON: json,
    curl: `curl -s ${header} -d '${json}' '${location.origin}/eval?moves=true'`,
  };
}

/** Fill the dialog for the state on show, and open it. */
export function openShare(game) {
  const rows = Object.entries(formsOf(game.now)).map(([name, text]) => drawForm(name, text));
  byId("share-forms").replaceChildren(...rows);
  byId("share").showModal();
}

function drawForm(name, text) {
  const id = `share-${name.toLowerCase()}`;
  const field = make("input", { id, readonly: true, focus: (event) => event.target.select() });
  field.value = text;
  const button = make("button", { type: "button", "aria-label": `Copy ${name}` }, "Copy");
  button.addEventListener("click", () => copy(field, button));
  return make("div", { class: "form-row" }, make("label", { for: id }, name), field, button);
}

async function copy(field, button) {
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  } catch { // pages that are not from here and not encrypted have no clipboard
    field.focus();
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => { button.textContent = "Copy"; }, COPIED);
}
