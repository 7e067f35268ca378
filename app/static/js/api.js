/** Requests: they wait out an outage, tell how long they took, and fail as problems. */

const FIRST_WAIT = 500; // milliseconds; doubled after every try
const LONGEST_WAIT = 8000;
const UNAVAILABLE = 503;
const TIME_LIMIT = "urn:triadbase:problem:time-limit"; // asking again would take as long

/** Fires "outage" (detail: why, and the wait in ms) and, when an answer comes again, "over". */
export const outages = new EventTarget();
let isOut = false;

/** What the service finds wrong with a request. */
export class Problem extends Error {
  constructor({ title, detail, errors = [] }) {
    super(detail || title);
    this.title = title;
    this.errors = errors; // [{field, found, allowed}]
  }
}

/** Return {body, ms, serviceMs}; throw `Problem`. A body given is sent as JSON by POST. */
export async function ask(path, body) {
  for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    const began = performance.now();
    const reply = await attempt(path, body);
    if (!reply.why) {
      endOutage();
      return settle(reply, performance.now() - began);
    }
    isOut = true;
    outages.dispatchEvent(new CustomEvent("outage", { detail: { why: reply.why, wait } }));
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function attempt(path, body) {
  const options = { cache: "no-cache" };
  if (body !== undefined) {
    Object.assign(options, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  }
  try {
    const response = await fetch(path, options);
    const content = await response.json();
    const isPassing = response.status === UNAVAILABLE && content.type !== TIME_LIMIT;
    return isPassing ? { why: content.detail } : { response, content };
  } catch {
    return { why: "The service cannot be reached" };
  }
}

function endOutage() {
  if (isOut) outages.dispatchEvent(new Event("over"));
  isOut = false;
}

function settle({ response, content }, ms) {
  if (!response.ok) throw new Problem(content);
  const timing = /total;dur=([\d.]+)/.exec(response.headers.get("Server-Timing") ?? "");
  return { body: content, ms, serviceMs: timing ? Number(timing[1]) : null };
}
