/** Bins: the one rule that says in which bin a probability lies. Twin of src/calibrant/bins.py. */

import { lowerBound, upperBound, zeros } from "./arrays";

export type Closed = "left" | "right";
export type Scheme = "width" | "mass" | "own" | "bands";

export interface Bins {
  edges: Float64Array;
  closed: Closed;
  scheme: Scheme;
  requested: number;
}

export const MAX_BINS = 10_000;

/** Bins of equal width on [0, 1]; edges by division, never by accumulation. */
export function widthBins(count: number, closed: Closed = "left"): Bins {
  const edges = zeros(count + 1);
  for (let k = 0; k <= count; k++) edges[k] = k / count;
  return { edges, closed, scheme: "width", requested: count };
}

export function ownBins(edges: ArrayLike<number>, closed: Closed = "left", scheme: Scheme = "own"): Bins {
  return { edges: Float64Array.from(edges), closed, scheme, requested: edges.length - 1 };
}

export const binCount = (bins: Bins): number => bins.edges.length - 1;

/** The bin of a value: edges[i] <= p < edges[i + 1], the last bin closed; the other way round when closed right. */
export function binOf(bins: Bins, value: number): number {
  const place = (bins.closed === "left" ? upperBound(bins.edges, value) : lowerBound(bins.edges, value)) - 1;
  return Math.min(Math.max(place, 0), bins.edges.length - 2);
}
