/** Make and find elements; no HTML text and no style attribute, as the page's policy wants. */

const SVG = "http://www.w3.org/2000/svg";

/** Return the element with this id. */
export const byId = (id) => document.getElementById(id);

/** Return a new element; attributes that are null or false are left out. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return a new SVG element. */
export function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Set an attribute, or remove it when the value is null or false. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

/** Show or remove a problem, with every wrong field in words; below advice, if there is any. */
export function showProblem(root, problem) {
  root.hidden = !problem;
  root.replaceChildren();
  if (!problem) return;
  const { title, message, advice, errors = [] } = problem;
  root.append(make("strong", {}, title ?? message));
  const list = make("ul", {}, ...errors.map(describe));
  if (advice) root.append(make("p", {}, advice));
  if (errors.length) root.append(advice ? folded("What the service says of it", list) : list);
  else if (!advice && title && message !== title) root.append(make("p", {}, message));
}

const folded = (summary, content) =>
  make("details", {}, make("summary", {}, summary), content);

const describe = ({ field, found, allowed }) =>
  make("li", {}, make("code", {}, field), `: found ${found}; allowed: ${allowed}`);
