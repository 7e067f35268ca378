/** Requests: they wait out an outage, tell how long they took, and fail as problems.
 *
 * An outage is no answer at all, or one that says that the service is away. All else is an
 * answer, if perhaps not the service's own: a proxy has pages for what it refuses.
 */

const FIRST_WAIT = 500; // milliseconds; doubled after every try
const LONGEST_WAIT = 8000;
const AWAY = [502, 503, 504]; // a proxy says so, or the service itself
const TIME_LIMIT = "urn:triadbase:problem:time-limit"; // asking again would take as long
const CANNOT_BE_REACHED = "The service cannot be reached";
const LONGEST_PATH = 2000; // characters; what servers and proxies take everywhere
const TOO_LARGE = 413;

/** Fires "outage" (detail: why, and the wait in ms) and, when an answer comes again, "over". */
export const outages = new EventTarget();
let isOut = false;

/** What is wrong with a request, as the service says it or as this page does. */
export class Problem extends Error {
  constructor({ title, detail, errors = [] }) {
    super(detail || title);
    this.title = title;
    this.errors = errors; // [{field, found, allowed}], where the service says it
  }
}

/** Return {body, ms, serviceMs}; throw `Problem`. A body given is sent as JSON by POST. */
export async function ask(path, body) {
  if (path.length > LONGEST_PATH) throw tooLong(path.length);
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
  let response;
  let text;
  try {
    response = await fetch(path, options);
    text = await response.text();
  } catch { // nobody there, or gone before the answer was whole
    return { why: CANNOT_BE_REACHED };
  }
  const content = parsed(text);
  const isAway = AWAY.includes(response.status) && content?.type !== TIME_LIMIT;
  return isAway ? { why: content?.detail ?? CANNOT_BE_REACHED } : { response, content };
}

/** Return the JSON object that a text is, or null. */
function parsed(text) {
  try {
    const content = JSON.parse(text);
    return typeof content === "object" ? content : null;
  } catch {
    return null;
  }
}

function endOutage() {
  if (isOut) outages.dispatchEvent(new Event("over"));
  isOut = false;
}

function settle({ response, content }, ms) {
  const isOurs = content && (response.ok || content.title);
  if (!isOurs) throw notOurs(response.status);
  if (!response.ok) throw new Problem(content);
  const timing = /total;dur=([\d.]+)/.exec(response.headers.get("Server-Timing") ?? "");
  return { body: content, ms, serviceMs: timing ? Number(timing[1]) : null };
}

const tooLong = (length) => new Problem({
  title: "This is too long",
  detail: `A request of ${length.toLocaleString("en")} characters is not sent: no game is that long.`,
});

const notOurs = (status) => new Problem(status === TOO_LARGE
  ? { title: "This is too large", detail: "A proxy in front of the service takes no more at a time." }
  : {
    title: "The answer cannot be understood",
    detail: `It has status ${status} and is not the service's own, but perhaps a proxy's. ` +
      "Try again, or reload the page; if that does not help, tell whoever runs the service.",
  });
