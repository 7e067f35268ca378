/** A game as the part of the address behind "#": the opening, the moves, the step on show.
 *
 *     #opening=ff8-esp_9_1.2.3.4.5_6.7.8.9.10_A&moves=3-4.7-0&at=1
 */

/** Return the hash of a timeline. */
export function toHash({ opening, moves, at, hasNext }) {
  const parts = [`opening=${opening.notation}`];
  if (moves.length) {
    parts.push(`moves=${moves.map(({ card_id, cell }) => `${card_id}-${cell}`).join(".")}`);
  }
  if (hasNext) parts.push(`at=${at}`);
  return `#${parts.join("&")}`;
}

/** Return {opening, moves, at} of a link or its hash; null when it holds no game. */
export function fromLink(text) {
  const parts = new URLSearchParams(text.slice(text.indexOf("#") + 1));
  if (!text.includes("#") || !parts.get("opening")) return null;
  const moves = (parts.get("moves") ?? "").split(".").filter(Boolean).map((move) => {
    const [card_id, cell] = move.split("-").map(Number);
    return { card_id, cell };
  });
  return { opening: parts.get("opening"), moves, at: Number(parts.get("at") ?? moves.length) };
}
