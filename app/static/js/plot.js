/** A small plot of the margin over a game. */

import { makeSvg } from "./dom.js";
import { signed } from "./words.js";

const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 34;
const EDGE = 12;

/** Return a line of margins as a player sees them, with the moment on show marked. */
export function drawPlot(margins, at, player) {
  const most = Math.max(2, ...margins.map(Math.abs));
  const x = (index) => LEFT + (index * (WIDTH - LEFT - EDGE)) / Math.max(1, margins.length - 1);
  const y = (margin) => HEIGHT / 2 - (margin * (HEIGHT / 2 - EDGE)) / most;
  const points = margins.map((margin, index) => `${x(index)},${y(margin)}`);
  const label = `Margin for ${player} after each move: ${margins.map(signed).join(", ")}`;
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "plot" },
    ...[most, 0, -most].flatMap((margin) => ruler(margin, y(margin))),
    makeSvg("polyline", { points: points.join(" "), class: "plot-line" }),
    ...margins.map((margin, index) => makeSvg("circle", {
      cx: x(index), cy: y(margin), r: index === at ? 5 : 3, class: index === at ? "dot now" : "dot",
    })),
  );
}

const ruler = (margin, y) => [
  makeSvg("line", { x1: LEFT, x2: WIDTH - EDGE, y1: y, y2: y, class: "ruler" }),
  makeSvg("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, signed(margin)),
];
