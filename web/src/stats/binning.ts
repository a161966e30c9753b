/** Which bins: equal width, equal mass, or own edges. Twin of src/calibrant/calibration/binning.py. */

import { total } from "./arrays";
import { ownBins, widthBins, type Bins, type Closed } from "./bins";
import { isExact, probOf, wOf, type Cells } from "./cells";
import { gridOf } from "./grid";

export type Binning = "width" | "mass";

/** Bins of about equal weight; equal probabilities stay together, so there can be fewer than asked for. */
export function massBins(cells: Cells, count: number): Bins {
  const w = wOf(cells);
  const all = total(w[0]) + total(w[1]);
  const edges = [0];
  const prob = isExact(cells) ? cells.key : probOf(cells);
  let end = 0;
  let before = -1;
  for (let i = 0; i < cells.key.length; i++) {
    const weight = w[0][i]! + w[1][i]!;
    end += weight;
    const place = Math.min(Math.trunc((((2 * end - weight) / 2) * count) / all), count - 1);
    if (i > 0 && place !== before) edges.push(edgeBefore(cells, prob, i));
    before = place;
  }
  edges.push(1);
  return { ...ownBins(edges, "left", "mass"), requested: count };
}

function edgeBefore(cells: Cells, prob: Float64Array, i: number): number {
  if (!isExact(cells)) return gridOf(cells.resolution).low[cells.key[i]!]!;
  const before = prob[i - 1]!;
  const after = prob[i]!;
  const between = before + (after - before) / 2;
  return between > before && between < after ? between : after;
}

export function chooseBins(cells: Cells, count: number, binning: Binning, closed: Closed = "left"): Bins {
  return binning === "mass" ? massBins(cells, count) : widthBins(count, closed);
}
